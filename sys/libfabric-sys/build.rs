//! Generates bindings from libfabric's installed headers.

use headers::IntKind;

fn main() {
    headers::bind(&headers::Headers {
        library: "libfabric",
        header: "rdma/fabric.h",
        headers: &[
            "rdma/fabric.h",
            "rdma/fi_errno.h",
            "rdma/fi_domain.h",
            "rdma/fi_endpoint.h",
            "rdma/fi_cm.h",
            "rdma/fi_eq.h",
            "rdma/fi_rma.h",
            "rdma/fi_atomic.h",
        ],
        package: "libfabric-dev",
        types: "fi_.*|fid|fid_.*",
        foreign_types: "iovec|fi_mr_mode|fi_eq_cm_entry|fi_mutex_cond|fi_wait_pollfd|fi_hmem_override_ops|fi_param.*|fi_log.*",
        constants: "FI_.*",
        functions: "fi_version|fi_getinfo|fi_freeinfo|fi_dupinfo|fi_fabric|fi_strerror|fi_tostr_r",
        constant_type,
    });
}

/// Errors and registration modes are `int` wherever the interface takes them, flags and capabilities `uint64_t`. Some
/// flags begin like the one or the other: those are greater than an `int`, or than any error.
fn constant_type(name: &str, value: i64) -> Option<IntKind> {
    const ERRORS: std::ops::Range<i64> = 0..512;
    Some(match name {
        "FI_MAJOR_VERSION" | "FI_MINOR_VERSION" | "FI_REVISION_VERSION" => IntKind::U32,
        "FI_SUCCESS" => IntKind::I32,
        _ if name.starts_with("FI_E") && ERRORS.contains(&value) => IntKind::I32,
        _ if name.starts_with("FI_MR_") && i32::try_from(value).is_ok() => IntKind::I32,
        _ => IntKind::U64,
    })
}
