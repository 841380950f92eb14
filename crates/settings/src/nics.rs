//! The NICs that the user wants used, or not used.

/// Value of `SHMEM_NICS`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nics {
    names: Vec<String>,
    /// The NICs with these names are not used, and all others may be.
    excluded: bool,
}

impl Nics {
    /// Parse `mlx5_0,mlx5_1`, or `^mlx5_0` for all but this one.
    pub fn parse(text: &str) -> Option<Nics> {
        let (excluded, list) = text.strip_prefix('^').map_or((false, text), |list| (true, list));
        let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
        let is_name = |name: &String| !name.is_empty() && !name.contains(['^', ' ', '/']);
        let is_new = |at: usize| !names[..at].contains(&names[at]);
        ((0..names.len()).all(is_new) && names.iter().all(is_name)).then_some(Nics { names, excluded })
    }

    /// Whether the NIC of this name may be used.
    pub fn allow(&self, nic: &str) -> bool {
        self.names.iter().any(|name| name == nic) != self.excluded
    }

    /// The NICs that are to be used, if they are named.
    pub fn named(&self) -> &[String] {
        if self.excluded { &[] } else { &self.names }
    }

    /// The NICs that are not to be used.
    pub fn unwanted(&self) -> &[String] {
        if self.excluded { &self.names } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_nics_to_use_or_not_to_use() {
        let nics = |text| Nics::parse(text).unwrap();
        for (text, allowed, refused) in [
            ("mlx5_0", "mlx5_0", "mlx5_1"),
            ("mlx5_0,mlx5_1", "mlx5_1", "mlx5_11"),
            ("^mlx5_0", "mlx5_1", "mlx5_0"),
            ("^ mlx5_0, cxi1", "cxi0", "cxi1"),
        ] {
            assert!(nics(text).allow(allowed) && !nics(text).allow(refused), "{text}");
        }
        assert_eq!(nics("a,b").named(), ["a", "b"]);
        assert_eq!((nics("^a").named(), nics("^a").unwanted()), (&[][..], &["a".to_owned()][..]));
        for text in ["", "^", "a,", ",a", "a b", "a,^b", "a/b", "a,a"] {
            assert_eq!(Nics::parse(text), None, "{text:?}");
        }
    }
}
