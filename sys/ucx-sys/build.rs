//! Generates bindings from UCX's installed headers.

fn main() {
    headers::bind(&headers::Headers {
        library: "UCX",
        header: "ucp/api/ucp.h",
        // Newer headers declare some of what is used here in the second.
        headers: &["ucp/api/ucp.h", "ucp/api/ucp_compat.h"],
        package: "libucx-dev",
        types: "ucp_.*|ucs_(status|memory_type|thread_mode).*",
        foreign_types: "sockaddr.*|FILE|_IO_.*",
        constants: "UCP_.*|UCS_(OK|INPROGRESS|ERR_.*|THREAD_MODE_.*|MEMORY_TYPE_.*)",
        functions: concat!(
            "ucp_(init_version|cleanup|context_(query|print_info)|get_version|get_version_string|",
            "config_(read|release|modify)|",
            "worker_(create|destroy|query|get_address|release_address|progress|get_efd|wait|wait_mem|arm|signal|",
            "fence|flush_nbx|set_am_recv_handler)|ep_(create|close_nbx|flush_nbx|rkey_unpack)|",
            "mem_(map|unmap|query)|rkey_(pack|buffer_release|ptr|destroy)|am_(send_nbx|recv_data_nbx|data_release)|",
            "put_nbx|get_nbx|atomic_op_nbx|request_(check_status|cancel|free))|ucs_status_string"
        ),
        cfgs: &[],
        constant_type: |_, _| None,
    });
}
