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
            "ucp_(init_version|cleanup|context_(query|print_info)|config_(read|release|modify)|",
            "worker_(create|destroy|get_address|release_address|progress|get_efd|arm|flush_nbx|set_am_recv_handler)|",
            "ep_(create|close_nbx|rkey_unpack)|mem_(map|unmap)|rkey_(pack|buffer_release|destroy)|",
            "am_(send_nbx|recv_data_nbx)|put_nbx|get_nbx|request_(check_status|free))|ucs_status_string"
        ),
        constant_type: |_, _| None,
    });
}
