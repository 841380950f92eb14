//! Teams: numbered sets of PEs.

use crate::{
    Ctx, Private, Serialized, Shared,
    context::{create_private, create_serialized, create_shared},
    element::OneThread,
    world::Inner,
};
use core::{fmt, marker::PhantomData};
use ferrite_runtime::{self as rt, Site};

/// The runtime's handle of a team, lent by its owner.
pub struct RawTeam<'t> {
    pub(crate) inner: &'t Inner,
    pub(crate) team: rt::Team,
}

/// A group of members: the world, or a team.
pub trait GroupInner {
    #[doc(hidden)]
    fn raw(&self) -> RawTeam<'_>;
}

/// Some of the PEs, numbered from 0, that call [collectives](crate::Group) together.
///
/// Splitting creates teams: [`Group::split_strided`](crate::Group::split_strided), [`Group::split_2d`](crate::Group::split_2d) and
/// [`Group::split_by`](crate::Group::split_by). One thread of a PE at a time uses a team. The number of teams is limited: [`Team::destroy`]
/// frees the team's slot for another; a team that is only dropped keeps it until the world ends.
///
/// ```
/// use ferrite::Group;
/// ferrite::local(4, |world| {
///     let evens = world.split_strided(0, 2, 2).unwrap();
///     assert_eq!(evens.is_some(), world.my_pe() % 2 == 0);
///     if let Some(evens) = evens {
///         assert_eq!(evens.sum(world.my_pe()), 2);
///         evens.destroy();
///     }
/// });
/// ```
pub struct Team<'w> {
    inner: &'w Inner,
    team: rt::Team,
    one_thread: OneThread,
}

impl<'w> Team<'w> {
    pub(crate) fn of(inner: &'w Inner, team: rt::Team) -> Team<'w> {
        Team { inner, team, one_thread: PhantomData }
    }

    /// The team of this handle; `None` if the handle is invalid.
    pub(crate) fn made(inner: &'w Inner, team: rt::Team) -> Option<Team<'w>> {
        (team != rt::Team::INVALID).then(|| Team::of(inner, team))
    }

    /// End the team. Collective over its members.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     for _ in 0..1000 {
    ///         world.split_strided(0, 1, 2).unwrap().unwrap().destroy();
    ///     }
    /// });
    /// ```
    pub fn destroy(self) {
        static SITE: Site = Site::of_rust("Team::destroy");
        self.inner.outside_of_phases(SITE.name);
        let lock = || ferrite_os::mutex::lock(&self.inner.contexts);
        // SAFETY: contexts and teams created from this one have borrowed it, so only forgotten ones are left.
        unsafe { self.inner.rt.team_destroy_locked(&SITE, self.team, lock) }
    }

    /// A context that numbers PEs as the team does, for several threads at the same time.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(4, |world| {
    ///     let word = world.alloc_box::<u64>().unwrap();
    ///     let (row, _column) = world.split_2d(2).unwrap();
    ///     let ctx = row.shared_context().unwrap();
    ///     ctx.put(&word, 5, 1 - row.my_pe());
    ///     ctx.quiet();
    ///     row.sync();
    ///     assert_eq!(word.read(), 5);
    /// });
    /// ```
    pub fn shared_context(&self) -> Option<Ctx<'_, Shared>> {
        create_shared(self.inner, self.team)
    }

    /// The same, for one thread at a time.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let team = world.split_strided(1, 1, 1).unwrap();
    ///     if let Some(team) = team {
    ///         team.serialized_context().unwrap().quiet();
    ///     }
    /// });
    /// ```
    pub fn serialized_context(&self) -> Option<Ctx<'_, Serialized>> {
        create_serialized(self.inner, self.team)
    }

    /// The same, for this thread alone.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| world.shared().private_context().unwrap().fence());
    /// ```
    pub fn private_context(&self) -> Option<Ctx<'_, Private>> {
        create_private(self.inner, self.team)
    }
}

impl GroupInner for Team<'_> {
    fn raw(&self) -> RawTeam<'_> {
        RawTeam { inner: self.inner, team: self.team }
    }
}

impl fmt::Debug for Team<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team({:#x})", self.team.0)
    }
}

/// A split was refused. All members get this error alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SplitError {
    /// `split_strided`: the new team would have no member, one member several times, or one that the group has not.
    NotMembers {
        /// The first member.
        start: u32,
        /// The distance between members.
        stride: i32,
        /// The number of members.
        size: u32,
        /// The number of PEs of the group.
        of: u32,
    },
    /// `split_2d`: rows of no PEs.
    NoWidth,
    /// As many teams exist as there can be. [`Team::destroy`] makes room.
    TooManyTeams,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SplitError::NotMembers { start, stride, size, of } => write!(
                f,
                "{size} PEs from {start} on, each {stride} further, are no team of a group of {of} PEs: their numbers must differ and \
                 lie below {of}"
            ),
            SplitError::NoWidth => f.write_str("rows of a split must have at least one PE"),
            SplitError::TooManyTeams => {
                f.write_str("as many teams exist as there can be, some 250: Team::destroy makes room for another")
            }
        }
    }
}

impl std::error::Error for SplitError {}

/// Whether these are numbers of different members of a group of `of` PEs, the rule of the runtime.
fn are_members(start: u32, stride: i32, size: u32, of: u32) -> bool {
    let last = i64::from(start) + (i64::from(size) - 1) * i64::from(stride);
    size > 0 && (stride != 0 || size == 1) && start < of && (0..i64::from(of)).contains(&last)
}

impl<'t> RawTeam<'t> {
    pub(crate) fn my_pe(&self) -> u32 {
        static SITE: Site = Site::of_rust("Group::my_pe");
        // SAFETY: the team's owner has lent it.
        unsafe { self.inner.rt.team_my_pe(&SITE, self.team) as u32 }
    }

    #[inline]
    pub(crate) fn n_pes(&self) -> u32 {
        // A fast path, because collectives call this each time.
        if self.team == rt::Team::WORLD {
            return self.inner.size;
        }
        static SITE: Site = Site::of_rust("Group::n_pes");
        // SAFETY: the team's owner has lent it.
        unsafe { self.inner.rt.team_n_pes(&SITE, self.team) as u32 }
    }

    pub(crate) fn world_pe(&self, rank: u32) -> Option<u32> {
        static SITE: Site = Site::of_rust("Group::world_pe");
        let rank = i32::try_from(rank).ok()?;
        // SAFETY: both are teams.
        let pe = unsafe { self.inner.rt.team_translate_pe(&SITE, self.team, rank, rt::Team::WORLD) };
        u32::try_from(pe).ok()
    }

    pub(crate) fn pe_of(&self, pe: u32) -> Option<u32> {
        static SITE: Site = Site::of_rust("Group::pe_of");
        let pe = i32::try_from(pe).ok()?;
        // SAFETY: both are teams.
        let rank = unsafe { self.inner.rt.team_translate_pe(&SITE, rt::Team::WORLD, pe, self.team) };
        u32::try_from(rank).ok()
    }

    pub(crate) fn split_strided(self, start: u32, stride: i32, size: u32) -> Result<Option<Team<'t>>, SplitError> {
        static SITE: Site = Site::of_rust("Group::split_strided");
        let mut made = rt::Team::INVALID;
        let (from, members, of) = (start, size, self.n_pes());
        let (start, size) = (start as i32, size as i32);
        // SAFETY: no configuration, and a local to write to.
        let refused = unsafe {
            let none = core::ptr::null();
            self.inner.rt.team_split_strided(&SITE, self.team, start, stride, size, none, 0, &mut made)
        };
        match refused {
            0 => Ok(Team::made(self.inner, made)),
            _ if are_members(from, stride, members, of) => Err(SplitError::TooManyTeams),
            _ => Err(SplitError::NotMembers { start: from, stride, size: members, of }),
        }
    }

    pub(crate) fn split_2d(self, width: u32) -> Result<(Team<'t>, Team<'t>), SplitError> {
        static SITE: Site = Site::of_rust("Group::split_2d");
        let (mut row, mut column) = (rt::Team::INVALID, rt::Team::INVALID);
        let width = i32::try_from(width).unwrap_or(i32::MAX);
        // SAFETY: no configurations, and locals to write to.
        let refused = unsafe {
            let none = core::ptr::null();
            self.inner.rt.team_split_2d(&SITE, self.team, width, none, 0, &mut row, none, 0, &mut column)
        };
        match (refused, Team::made(self.inner, row), Team::made(self.inner, column)) {
            (0, Some(row), Some(column)) => Ok((row, column)),
            _ if width == 0 => Err(SplitError::NoWidth),
            _ => Err(SplitError::TooManyTeams),
        }
    }

    pub(crate) fn split_by(self, color: Option<u32>, key: i32) -> Option<Team<'t>> {
        static SITE: Site = Site::of_rust("Group::split_by");
        let color = color.map(|color| {
            i32::try_from(color).unwrap_or_else(|_| panic!("color is {color}; use a number below 2147483648"))
        });
        // SAFETY: the team of this group.
        let made = unsafe { self.inner.rt.form_teams_by_color(&SITE, self.team, color, key) };
        Team::made(self.inner, made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_different_numbers_of_the_group() {
        for (start, stride, size, are) in [
            (0, 1, 8, true),
            (7, -2, 4, true),
            (3, 0, 1, true),
            (3, 0, 2, false),
            (0, 1, 9, false),
            (0, 1, 0, false),
            (8, 1, 1, false),
            (0, -1, 2, false),
        ] {
            assert_eq!(are_members(start, stride, size, 8), are, "{start} {stride} {size}");
        }
    }
}
