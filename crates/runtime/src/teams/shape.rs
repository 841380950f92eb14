//! The members of a team, in order: a start, a stride and a size, or a list.

use core::ffi::c_int;

/// The members of a team, as world numbers. The standard's splits only make strided shapes out of strided shapes, which need no memory.
/// Lists are for splits by color and for hosts whose PEs are not evenly spaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Member i is `start + i * stride`.
    Strided {
        /// World number of member 0.
        start: c_int,
        /// Distance from one member to the next; negative in a reversed team.
        stride: c_int,
        /// Number of members.
        size: u32,
    },
    /// Member i is element i of the list.
    Listed(Box<[c_int]>),
}

impl Shape {
    /// All PEs of a job of `size` PEs.
    pub fn world(size: u32) -> Shape {
        Shape::Strided { start: 0, stride: 1, size }
    }

    /// The shape of these world numbers, strided if they are evenly spaced.
    pub fn of(members: &[c_int]) -> Shape {
        let &[start, ref rest @ ..] = members else { return Shape::Strided { start: 0, stride: 1, size: 0 } };
        let stride = rest.first().map_or(1, |second| second - start);
        let even = members.iter().enumerate().all(|(i, &pe)| pe == start + i as c_int * stride);
        if even && stride != 0 {
            Shape::Strided { start, stride, size: members.len() as u32 }
        } else {
            Shape::Listed(members.into())
        }
    }

    /// Number of members.
    #[inline(always)]
    pub fn size(&self) -> u32 {
        match self {
            Shape::Strided { size, .. } => *size,
            Shape::Listed(members) => members.len() as u32,
        }
    }

    /// The world number of member `index`; -1 if there is none.
    #[inline(always)]
    pub fn world_pe(&self, index: c_int) -> c_int {
        match self {
            Shape::Strided { start, stride, size } => {
                if (index as u32) < *size {
                    start + index * stride
                } else {
                    -1
                }
            }
            Shape::Listed(members) => usize::try_from(index).ok().and_then(|i| members.get(i)).copied().unwrap_or(-1),
        }
    }

    /// The index of the PE with this world number; `None` if it is not a member.
    pub fn index_of(&self, pe: c_int) -> Option<c_int> {
        match self {
            Shape::Strided { start, stride, size } => {
                let distance = pe - start;
                let index = if *stride == 0 { 0 } else { distance / stride };
                (index >= 0 && (index as u32) < *size && index * stride == distance).then_some(index)
            }
            Shape::Listed(members) => members.iter().position(|&member| member == pe).map(|i| i as c_int),
        }
    }

    /// Members `start + i * stride` of this shape, for i below `size`; `None` if any of these indices is out of range.
    pub fn select(&self, start: c_int, stride: c_int, size: c_int) -> Option<Shape> {
        if size <= 0 || (stride == 0 && size != 1) {
            return None;
        }
        let last = i64::from(start) + i64::from(size - 1) * i64::from(stride);
        let range = 0..i64::from(self.size());
        if !range.contains(&i64::from(start)) || !range.contains(&last) {
            return None;
        }
        let stride = if size == 1 { 1 } else { stride };
        Some(match self {
            Shape::Strided { start: base, stride: step, .. } => {
                Shape::Strided { start: base + start * step, stride: step * stride, size: size as u32 }
            }
            Shape::Listed(_) => Shape::of(&(0..size).map(|i| self.world_pe(start + i * stride)).collect::<Vec<_>>()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn selections_of_eight() {
        let world = Shape::world(8);
        let cases: &[(c_int, c_int, c_int, Option<&[c_int]>)] = &[
            (0, 1, 8, Some(&[0, 1, 2, 3, 4, 5, 6, 7])),
            (7, -2, 4, Some(&[7, 5, 3, 1])),
            (3, 0, 1, Some(&[3])),
            (3, 100, 1, Some(&[3])),
            (3, 0, 2, None),
            (3, 3, 3, None),
            (0, 1, 9, None),
            (-1, 1, 2, None),
            (0, 1, 0, None),
            (0, -1, 2, None),
            (1, c_int::MAX, 2, None),
        ];
        for &(start, stride, size, wanted) in cases {
            let got = world.select(start, stride, size);
            let members: Option<Vec<c_int>> = got.map(|s| (0..s.size() as c_int).map(|i| s.world_pe(i)).collect());
            assert_eq!(members.as_deref(), wanted, "({start}, {stride}, {size})");
        }
    }

    #[test]
    fn even_lists_need_no_memory() {
        assert_eq!(Shape::of(&[4, 2, 0]), Shape::Strided { start: 4, stride: -2, size: 3 });
        assert!(matches!(Shape::of(&[0, 1, 3]), Shape::Listed(_)));
    }

    proptest! {
        #[test]
        fn a_listed_team_is_the_strided_one(n in 1u32..20, a in 0i32..20, b in -5i32..6, c in 1i32..20, s in 0i32..20, t in -3i32..4, k in 1i32..20) {
            let Some(team) = Shape::world(n).select(a, b, c) else { return Ok(()) };
            let listed = Shape::Listed((0..team.size() as c_int).map(|i| team.world_pe(i)).collect());
            let (x, y) = (team.select(s, t, k), listed.select(s, t, k));
            prop_assert_eq!(x.is_some(), y.is_some());
            if let (Some(x), Some(y)) = (x, y) {
                for i in -1..=x.size() as c_int { prop_assert_eq!(x.world_pe(i), y.world_pe(i)); }
                for pe in -1..n as c_int + 1 { prop_assert_eq!(x.index_of(pe), y.index_of(pe)); }
                for i in 0..x.size() as c_int { prop_assert_eq!(x.index_of(x.world_pe(i)), Some(i)); }
            }
        }
    }
}
