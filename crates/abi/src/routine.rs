//! A row of the table, as data.

use crate::extensions::DEVICE_VENDOR;

/// The form of a routine's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `shmem_TYPE_stem`, one for each element type.
    Typed,
    /// `shmem_stemSIZEsuffix`, one for each size in bits, and `mem` for bytes.
    Sized,
    /// One name, written out.
    Plain,
}

/// How a routine and its method use contexts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// Neither the routine nor its method takes a context.
    Bare,
    /// The method takes a context, the routine does not: it uses the default context.
    Default,
    /// The method takes a context. Besides the routine there is its twin `shmem_ctx_...`, whose first argument is a context.
    Twin,
    /// There is no method. The routine has no effect: it was needed on machines without coherent caches.
    Nothing,
}

/// A routine's status in the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// In the specification since before 1.6.
    Current,
    /// New in the version named.
    Since(&'static str),
    /// Deprecated by the version named, but still required.
    Deprecated(&'static str),
    /// Removed by the version named; provided for old programs.
    Removed(&'static str),
    /// Not in any version, but other libraries have it and programs use it.
    Extension,
    /// Part of the second table, under a name of this vendor.
    Vendor(&'static str),
}

/// One of the names that a row stands for: an element type, a size, or nothing for a plain row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The part of the name: `float`, `32`, `mem`.
    pub name: &'static str,
    /// The type in the table's words: `f32`.
    pub rust: &'static str,
}

/// An argument of a routine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arg {
    /// Its name in C.
    pub name: &'static str,
    /// Its type in the table's words: `*mut T`.
    pub rust: &'static str,
}

/// The properties of a row besides its signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The section of the specification that describes the routine.
    pub section: &'static str,
    /// Its standing in the specification.
    pub status: Status,
    /// Whether C11 code can call it by a type-generic name.
    pub generic: bool,
    /// The type-generic name, if it is not made of the routine's own.
    pub generic_name: Option<&'static str>,
    /// Whether C sees `...` after the arguments.
    pub variadic: bool,
    /// True if no header declares it, since programs have variables and functions of that name.
    pub undeclared: bool,
}

impl Facts {
    pub(crate) const fn of(section: &'static str) -> Facts {
        Facts {
            section,
            status: Status::Current,
            generic: false,
            generic_name: None,
            variadic: false,
            undeclared: false,
        }
    }

    pub(crate) const fn generic(self) -> Facts {
        Facts { generic: true, ..self }
    }

    pub(crate) const fn generic_as(self, name: &'static str) -> Facts {
        Facts { generic: true, generic_name: Some(name), ..self }
    }

    pub(crate) const fn since(self, version: &'static str) -> Facts {
        Facts { status: Status::Since(version), ..self }
    }

    pub(crate) const fn deprecated(self, version: &'static str) -> Facts {
        Facts { status: Status::Deprecated(version), ..self }
    }

    pub(crate) const fn removed(self, version: &'static str) -> Facts {
        Facts { status: Status::Removed(version), ..self }
    }

    pub(crate) const fn variadic(self) -> Facts {
        Facts { variadic: true, ..self }
    }

    pub(crate) const fn undeclared(self) -> Facts {
        Facts { undeclared: true, ..self }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Routine {
    /// The form of its names.
    pub shape: Shape,
    /// How it uses contexts.
    pub context: Context,
    /// The prefix of its names, unless they are written out.
    pub prefix: &'static str,
    /// Whether the runtime has its method; if not, it is neither exported nor declared yet.
    pub served: bool,
    /// The name, or the part of it before the size.
    pub stem: &'static str,
    /// The part of the name after the size.
    pub suffix: &'static str,
    /// The types or sizes that it exists for; one empty instance if the name is plain.
    pub instances: &'static [Instance],
    /// Its arguments, without the context of the twin.
    pub args: &'static [Arg],
    /// The type of its result in the table's words; empty for nothing, `!` if it does not return.
    pub result: &'static str,
    /// The method of the runtime that implements it.
    pub method: &'static str,
    /// All else about the row.
    pub facts: Facts,
}

impl Routine {
    /// The pattern of its names: `shmem_TYPE_put`, `shmem_putSIZE_nbi`, or its only name.
    pub fn family(&self) -> String {
        let Routine { prefix, stem, suffix, .. } = self;
        match (self.shape, self.context) {
            (Shape::Typed, _) => format!("{prefix}TYPE_{stem}"),
            (Shape::Sized, _) => format!("{prefix}{stem}SIZE{suffix}"),
            (Shape::Plain, Context::Twin) => format!("{prefix}{stem}"),
            (Shape::Plain, _) => (*stem).to_owned(),
        }
    }

    /// The header that declares it.
    pub fn header(&self) -> &'static str {
        match self.facts.status {
            Status::Vendor(DEVICE_VENDOR) => "shmemg.h",
            Status::Vendor(_) => "shmemx.h",
            _ => "shmem.h",
        }
    }

    /// True if programs call it with variables that they declare volatile, as its first argument was up to OpenSHMEM 1.4. That is the
    /// variable that the routine waits for.
    pub fn may_be_volatile(&self) -> bool {
        self.args.first().is_some_and(|arg| arg.name == "ivar")
    }

    /// The type-generic name, if there is one.
    pub fn generic(&self) -> Option<String> {
        self.facts.generic.then(|| match self.facts.generic_name {
            Some(name) => name.to_owned(),
            None => format!("{}{}", self.prefix, self.stem),
        })
    }
}

/// The rows of the specification's table, in its order.
pub fn routines() -> Vec<Routine> {
    everything().into_iter().filter(|row| !vendor(row)).collect()
}

/// The rows of the extensions, in their table's order.
pub fn extension_routines() -> Vec<Routine> {
    everything().into_iter().filter(vendor).collect()
}

fn vendor(row: &Routine) -> bool {
    matches!(row.facts.status, Status::Vendor(_))
}

/// The rows of both tables.
pub fn everything() -> Vec<Routine> {
    let mut rows = Vec::new();
    macro_rules! read {
        (pending $($group:tt)*) => { read! { @group "shmem_" false $($group)* } };
        (served $($group:tt)*) => { read! { @group "shmem_" true $($group)* } };
        (extension $($group:tt)*) => { read! { @with Status::Extension, "shmem_" true $($group)* } };
        (cray $($group:tt)*) => { read! { @with Status::Vendor("Cray"), "shmemx_" true $($group)* } };
        (cray_team $($group:tt)*) => { read! { @with Status::Vendor("Cray"), "shmemx_team_" true $($group)* } };
        (sos $($group:tt)*) => { read! { @with Status::Vendor("SOS"), "shmemx_" true $($group)* } };
        (open_mpi $($group:tt)*) => { read! { @with Status::Vendor("Open MPI"), "shmemx_" true $($group)* } };
        (reference $($group:tt)*) => { read! { @with Status::Vendor("reference"), "shmemx_" true $($group)* } };
        (device $($group:tt)*) => { read! { @with Status::Vendor(DEVICE_VENDOR), "shmemg_" true $($group)* } };
        (own $($group:tt)*) => { read! { @with Status::Vendor("Ferrite"), "shmemx_" true $($group)* } };
        (@with $status:expr, $($group:tt)*) => {
            let first = rows.len();
            read! { @group $($group)* }
            rows[first..].iter_mut().for_each(|row: &mut Routine| row.facts.status = $status);
        };
        (@group $prefix:literal $served:literal $shape:ident $context:ident [$($name:tt: $ty:ty),*] { $(
            fn $stem:ident $(* $($suffix:ident)?)? ($($arg:ident: $arg_ty:ty),*) $(-> $result:ty)? = $method:ident
                [$section:literal $(, $fact:ident $($value:literal)?)*];
        )* }) => {{
            const INSTANCES: &[Instance] = &[$(Instance { name: stringify!($name), rust: stringify!($ty) }),*];
            $( rows.push(Routine {
                shape: read!(@shape $shape),
                context: read!(@context $context),
                prefix: $prefix,
                served: $served,
                stem: stringify!($stem),
                suffix: concat!($($(stringify!($suffix))?)?),
                instances: INSTANCES,
                args: &[$(Arg { name: stringify!($arg), rust: stringify!($arg_ty) }),*],
                result: concat!($(stringify!($result))?),
                method: stringify!($method),
                facts: Facts::of($section)$(.$fact($($value)?))*,
            }); )*
        }};
        (@shape typed) => { Shape::Typed };
        (@shape sized) => { Shape::Sized };
        (@shape plain) => { Shape::Plain };
        (@context bare) => { Context::Bare };
        (@context default) => { Context::Default };
        (@context twin) => { Context::Twin };
        (@context nothing) => { Context::Nothing };
    }
    crate::openshmem_abi!(read);
    crate::openshmemx_abi!(read);
    rows
}
