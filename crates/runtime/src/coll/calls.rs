//! One collective over a team that spans nodes, as calls of its groups: the members of this node, and the leaders of all nodes.

use super::{Call, Wide};
use crate::{
    far::Far,
    live::Live,
    teams::{Group, TeamState},
};

/// The calls of one PE.
pub(crate) struct Calls<'c> {
    /// The call among the members of this node.
    here: Call<'c>,
    /// The call among the leaders, if this PE is one.
    leaders: Option<Leaders<'c>>,
}

struct Leaders<'c> {
    call: Call<'c>,
    group: &'c Group,
    far: &'c Far,
}

impl<'c> Calls<'c> {
    /// Make one call for each group. `None` for a team without groups.
    pub fn new(live: &'c Live, team: &'c TeamState, call: impl Fn(&'c Group) -> Call<'c>) -> Option<Calls<'c>> {
        let (groups, far) = team.groups.as_ref().zip(live.far.as_ref())?;
        let leaders = groups.leaders.as_ref().map(|group| Leaders { call: call(group), group, far });
        Some(Calls { here: call(&groups.here), leaders })
    }

    /// Calls that move no data of the program.
    pub fn bare(live: &'c Live, team: &'c TeamState) -> Option<Calls<'c>> {
        Calls::new(live, team, |group| Call::bare(&group.member))
    }

    /// The calls in the form that is driven at once.
    pub fn now(self, live: &'c Live) -> (Call<'c>, Option<Wide<'c>>) {
        let wide = |Leaders { call, group, far }| Wide::new(call, live, far, &group.shape);
        (self.here, self.leaders.map(wide))
    }

    /// The calls in the form that a request keeps.
    pub fn later(self, live: &'c Live) -> (Call<'c, true>, Option<Wide<'c, true>>) {
        let wide = |Leaders { call, group, far }: Leaders<'c>| Wide::new(call.later(), live, far, &group.shape);
        (self.here.later(), self.leaders.map(wide))
    }
}
