//! The types of the C interface: their names in rows, and their C spelling.

/// An element type of the typed routines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CType {
    /// The name inside a routine's name: `longlong` of `shmem_longlong_put`.
    pub name: &'static str,
    /// How C spells it: `long long`.
    pub c: &'static str,
    /// Whether C defines it as another name of a standard type, so that a list that holds both associates one type
    /// twice, which `_Generic` and overloading refuse.
    pub alias: bool,
    /// The standard type that it is another name of where `long` has 64 bits; its own spelling otherwise.
    pub lp64: &'static str,
}

const fn own(name: &'static str, c: &'static str) -> CType {
    CType { name, c, alias: false, lp64: c }
}

const fn alias(name: &'static str, c: &'static str, lp64: &'static str) -> CType {
    CType { name, c, alias: true, lp64 }
}

const TYPES: &[CType] = &[
    own("float", "float"),
    own("double", "double"),
    own("longdouble", "long double"),
    own("char", "char"),
    own("schar", "signed char"),
    own("short", "short"),
    own("int", "int"),
    own("long", "long"),
    own("longlong", "long long"),
    own("uchar", "unsigned char"),
    own("ushort", "unsigned short"),
    own("uint", "unsigned int"),
    own("ulong", "unsigned long"),
    own("ulonglong", "unsigned long long"),
    alias("int8", "int8_t", "signed char"),
    alias("int16", "int16_t", "short"),
    alias("int32", "int32_t", "int"),
    alias("int64", "int64_t", "long"),
    alias("uint8", "uint8_t", "unsigned char"),
    alias("uint16", "uint16_t", "unsigned short"),
    alias("uint32", "uint32_t", "unsigned int"),
    alias("uint64", "uint64_t", "unsigned long"),
    alias("size", "size_t", "unsigned long"),
    alias("ptrdiff", "ptrdiff_t", "long"),
    own("complexd", "double _Complex"),
    own("complexf", "float _Complex"),
];

/// The element type that a routine's name calls `name`.
pub fn element(name: &str) -> Option<&'static CType> {
    TYPES.iter().find(|t| t.name == name)
}

/// How C spells a type that a row writes in Rust; `element` stands for `T` (`void` in routines that count bytes).
///
/// # Panics
/// If the table uses a type that C has no spelling for here: a mistake in the table.
pub fn c_type(rust: &str, element: &str) -> String {
    // The compiler may have put a space after the star: it does not specify how it prints tokens.
    if let Some(target) = rust.strip_prefix('*').map(str::trim_start) {
        return match target.strip_prefix("const ") {
            Some(target) => pointer(&format!("const {}", c_type(target, element))),
            None => pointer(&c_type(target.trim_start_matches("mut "), element)),
        };
    }
    match rust {
        "T" => element,
        "" | "!" | "c_void" => "void",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "c_long" => "long",
        "c_short" => "short",
        "c_char" => "char",
        "size_t" => "size_t",
        "ptrdiff_t" => "ptrdiff_t",
        "u64" => "uint64_t",
        "f64" => "double",
        "Ctx" => "shmem_ctx_t",
        "Team" => "shmem_team_t",
        "Req" => "shmemx_req_t",
        "Ct" => "shmemx_ct_t",
        "Agg" => "shmemx_agg_t",
        "AggHandler" => "shmemx_agg_handler_t",
        "Pcntr" => "shmemx_pcntr_t",
        "UniqueIdBytes" => "shmemx_uniqueid_t",
        "Space" => "shmem_space_t",
        "SpaceConfig" => "shmem_space_config_t",
        "InitAttr" => "shmemx_init_attr_t",
        "Gettid" => "shmemx_gettid_t",
        "TeamConfig" => "shmem_team_config_t",
        "SessionConfig" => "shmem_ctx_session_config_t",
        other => panic!("the table uses the type `{other}`, which has no C spelling"),
    }
    .to_owned()
}

fn pointer(target: &str) -> String {
    if target.ends_with('*') { format!("{target}*") } else { format!("{target} *") }
}
