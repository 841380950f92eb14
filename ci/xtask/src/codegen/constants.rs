//! The part of a header before the prototypes: types, handles and constants.

use ferrite_abi::{
    Routine, Status,
    constants::{self, Constant, Value},
    extensions,
};

/// True if a row has a complex type.
pub fn complex(row: &Routine) -> bool {
    row.instances.iter().any(|i| i.name.starts_with("complex"))
}

pub fn preamble(rows: &[Routine]) -> String {
    let mut text = String::from(INCLUDES);
    if rows.iter().any(complex) {
        text += COMPLEX;
    }
    text + TYPES
}

const INCLUDES: &str = "\
#include <stddef.h>
#include <stdint.h>

/* Programs that test these two macros to identify the library treat it as a complete one. */
#define SHMEM_DEF_H
#define SHMEM_FUNCTION_ATTRIBUTES

#if defined(__cplusplus) && __cplusplus >= 201103L
#define _SHMEM_NORETURN [[noreturn]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define _SHMEM_NORETURN _Noreturn
#elif defined(__GNUC__)
#define _SHMEM_NORETURN __attribute__((__noreturn__))
#else
#define _SHMEM_NORETURN
#endif

/* Always inlined, so that the place of a call is a line of the program, not of this file. */
#ifdef __GNUC__
#define _SHMEM_INLINE inline __attribute__((__always_inline__))
#else
#define _SHMEM_INLINE inline
#endif

";

const COMPLEX: &str = "\
/* Standard C++ has no _Complex, but compilers do; std::complex has the same layout. */
#ifdef __cplusplus
#if __cplusplus >= 201103L
extern \"C++\" {
#include <complex>
}
#endif
__extension__ typedef double _Complex _SHMEM_complexd;
__extension__ typedef float _Complex _SHMEM_complexf;
#else
typedef double _Complex _SHMEM_complexd;
typedef float _Complex _SHMEM_complexf;
#endif

";

const TYPES: &str = "\
/* Handles are opaque. Predefined handles are constants, so they may be used in static initialisers. */
typedef struct _SHMEM_ctx *shmem_ctx_t;
typedef struct _SHMEM_team *shmem_team_t;

#ifdef __cplusplus
#define _SHMEM_HANDLE(type, value) (reinterpret_cast<type>(value))
#else
#define _SHMEM_HANDLE(type, value) ((type)(value))
#endif

typedef struct {
    int num_contexts;
} shmem_team_config_t;

typedef struct {
    size_t total_ops;
} shmem_ctx_session_config_t;

";

/// The types of the extensions.
pub const EXTENSION_TYPES: &str = "\
/* A unique id: 128 bytes that any channel may carry. What shmemx_init_attr is told: its fields are set by
   shmemx_set_attr_uniqueid_args. */
typedef struct {
    int version;
    char internal[124];
} shmemx_uniqueid_t;
#define SHMEMX_UNIQUEID_INITIALIZER { 1, { 0 } }

typedef struct {
    int version;
    int myrank;
    int nranks;
    shmemx_uniqueid_t uniqueid;
    char reserved[116];
} shmemx_init_attr_t;
#define SHMEMX_INIT_ATTR_INITIALIZER { 1, -1, 0, SHMEMX_UNIQUEID_INITIALIZER, { 0 } }

/* A request: a non-blocking collective that was started, and must be tested or waited for. */
typedef struct _SHMEMX_req *shmemx_req_t;

/* A counter of the puts and gets that have arrived at this PE. */
typedef struct _SHMEMX_ct *shmemx_ct_t;

/* Operations of a context: issued (\"pending\" is Sandia OpenSHMEM's word) and complete;
   target: writes that have arrived at this PE. */
typedef struct {
    uint64_t pending_put;
    uint64_t pending_get;
    uint64_t completed_put;
    uint64_t completed_get;
    uint64_t target;
} shmemx_pcntr_t;

/* A function that returns the number of the calling thread. */
typedef uint64_t (*shmemx_gettid_t)(void);

/* A transfer, for shmemx_wait_req. */
typedef void *shmemx_request_handle_t;

/* Programs test this macro to find out whether shmemx_wtime exists. */
#define HAVE_SHMEMX_WTIME

/* Cray's generic broadcast over an active set: of 32-bit words if dest points to such words, otherwise of 64-bit words. */
#if !defined(__cplusplus) || __cplusplus >= 201103L
#define shmemx_broadcast(dest, ...) \\
    (sizeof(*(dest)) == 4 ? shmem_broadcast32(dest, __VA_ARGS__) : shmem_broadcast64(dest, __VA_ARGS__))
#endif

/* HPE's space: a part of the device heap. */
typedef struct {
    size_t size;
    int mtype;
} shmem_space_config_t;
typedef struct _SHMEM_space *shmem_space_t;

/* An aggregator of items or of updates, and its handler of items: an array, its length, and the PE that sent them. */
typedef struct _SHMEMX_agg *shmemx_agg_t;
typedef void (*shmemx_agg_handler_t)(void *context, const void *items, size_t nitems, int source_pe);

";

/// Definitions of the constants.
pub fn definitions() -> String {
    defined(constants::all())
}

/// Definitions of the extensions' constants.
pub fn of_extensions() -> String {
    defined(extensions::all_constants().filter(|constant| !is_of_devices(constant)))
}

/// Definitions of the constants of `shmemg.h`.
pub fn of_devices() -> String {
    defined(extensions::all_constants().filter(|constant| is_of_devices(constant)))
}

fn is_of_devices(constant: &Constant) -> bool {
    constant.status == Status::Vendor(extensions::DEVICE_VENDOR)
}

fn defined(constants: impl Iterator<Item = &'static Constant>) -> String {
    let mut text = String::new();
    for constant in constants {
        let value = match constant.value {
            Value::Int(value) if value < 0 => format!("({value})"),
            Value::Int(value) => value.to_string(),
            Value::Long(value) => format!("{value}L"),
            Value::Text(value) => format!("\"{value}\""),
            Value::Ctx(value) => format!("_SHMEM_HANDLE(shmem_ctx_t, {value})"),
            Value::Req(value) => format!("_SHMEM_HANDLE(shmemx_req_t, {value})"),
            Value::Team(value) => format!("_SHMEM_HANDLE(shmem_team_t, {value})"),
            Value::Alias(of) => of.to_owned(),
        };
        text += &format!("#define {} {value}\n", constant.name);
    }
    text + "\n"
}
