//! The language of a wrapper, by the name with which it is called.

/// A language that has a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    /// The language of a wrapper's name. C for an unknown name.
    pub(super) fn of_name(name: &str) -> Language {
        match name {
            _ if ["c++", "cxx", "CC"].iter().any(|end| name.ends_with(end)) => Language::Cxx,
            _ if name.ends_with("fort") => Language::Fortran,
            _ => Language::C,
        }
    }

    /// The language's name for users.
    pub(super) fn title(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Fortran => "Fortran",
        }
    }

    /// The variable that overrides the compiler.
    pub(super) fn variable(self) -> &'static str {
        match self {
            Language::C => "SHMEM_CC",
            Language::Cxx => "SHMEM_CXX",
            Language::Fortran => "SHMEM_FC",
        }
    }

    /// All variables that override the compiler, in order of precedence: ours, which Sandia OpenSHMEM uses too, an older one of theirs, and
    /// Open MPI's.
    pub(super) fn variables(self) -> [&'static str; 3] {
        match self {
            Language::C => [self.variable(), "SMA_CC", "OSHMEM_CC"],
            Language::Cxx => [self.variable(), "SMA_CXX", "OSHMEM_CXX"],
            Language::Fortran => [self.variable(), "SMA_FC", "OSHMEM_FC"],
        }
    }

    pub(super) fn default_compiler(self) -> &'static str {
        match self {
            Language::C => "cc",
            Language::Cxx => "c++",
            Language::Fortran => "gfortran",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_family_has_its_language() {
        let rows = [
            (Language::C, ["oshcc", "shmemcc"].as_slice()),
            (Language::Cxx, &["oshc++", "oshcxx", "oshCC", "shmemc++", "shmemcxx", "shmemCC"]),
            (Language::Fortran, &["oshfort", "shmemfort"]),
        ];
        for (language, names) in rows {
            for name in names {
                assert_eq!(Language::of_name(name), language, "{name}");
            }
        }
    }
}
