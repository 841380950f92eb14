//! Which transport carries what cannot be mapped. The only place that names providers.

use crate::settings::{Settings, Transport};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Fabric, Pe, Result};
use ferrite_tcp::{Options, TcpFabric};

/// The PEs whose memory this one maps: those of its host, unless the user wants a transport to carry everything.
pub(crate) fn mapped(settings: &Settings, boot: &dyn Boot) -> Vec<Pe> {
    match settings.transport {
        Transport::Auto | Transport::Shm => boot.local().to_vec(),
        Transport::Tcp => vec![boot.me()],
    }
}

/// The fabric that reaches the others.
pub(crate) fn open(settings: &Settings, boot: &dyn Boot) -> Result<Box<dyn Fabric>> {
    match settings.transport {
        Transport::Shm => Err(Error::new(format!(
            "SHMEM_TRANSPORT is shm, and {} of {} PEs are on this host; auto lets a transport reach the others",
            boot.local().len(),
            boot.size()
        ))),
        Transport::Auto | Transport::Tcp => tcp(settings, boot),
    }
}

fn tcp(settings: &Settings, boot: &dyn Boot) -> Result<Box<dyn Fabric>> {
    let mut options = Options::new(boot.me(), boot.size(), boot.secret());
    options.interface = settings.tcp_interface.clone();
    let fabric = TcpFabric::new(options).map_err(|cause| Error::because("opening the TCP transport", cause))?;
    Ok(Box::new(fabric))
}
