//! Credentials of a Slingshot job: the VNI that keeps the traffic of jobs apart, and the service of each device that admits the job.
//!
//! A launcher passes them in three variables (fi_cxi(7), "Authorization Keys"). The provider uses the *first* VNI of the list, which is the
//! step's (`cxip_nic_get_ss_env_get_vni` in prov/cxi/src/cxip_nic.c). PEs of several steps have different first VNIs and reach each other
//! only by the job's VNI, which all its steps have as the *last* of their lists. In one step the whole list is the same. So the last VNI
//! is right in both cases.

use std::fmt;

/// A job's credentials, as its launcher passed them. Empty if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slingshot {
    /// VNIs in the launcher's order: SLINGSHOT_VNIS.
    vnis: Vec<u16>,
    /// Device and service: SLINGSHOT_DEVICES and SLINGSHOT_SVC_IDS.
    services: Vec<(String, u32)>,
}

/// Credentials for one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthKey {
    service: u32,
    vni: u16,
}

impl AuthKey {
    /// The bytes of `struct cxi_auth_key` (prov/cxi/include/fi_cxi_ext.h): 32 bits of service, 16 bits of VNI, two bytes of padding.
    pub fn bytes(self) -> [u8; 8] {
        let ([a, b, c, d], [e, f]) = (self.service.to_ne_bytes(), self.vni.to_ne_bytes());
        [a, b, c, d, e, f, 0, 0]
    }
}

impl Slingshot {
    /// Parse the values of SLINGSHOT_VNIS, SLINGSHOT_DEVICES and SLINGSHOT_SVC_IDS. A word that is no number ends its list: the provider
    /// would read it as 0.
    pub fn parse(vnis: Option<&str>, devices: Option<&str>, services: Option<&str>) -> Slingshot {
        let words = |text: Option<&str>| {
            text.unwrap_or_default()
                .split(',')
                .map(|word| word.trim().to_owned())
                .filter(|word| !word.is_empty())
                .collect()
        };
        let (vnis, devices, services): (Vec<String>, Vec<String>, Vec<String>) =
            (words(vnis), words(devices), words(services));
        Slingshot {
            vnis: vnis.iter().map_while(|word| word.parse().ok()).collect(),
            services: devices.into_iter().zip(services.iter().map_while(|word| word.parse().ok())).collect(),
        }
    }

    /// The VNI that all PEs of the job have, if the launcher gave any.
    pub fn vni(&self) -> Option<u16> {
        self.vnis.last().copied()
    }

    /// The service of a device, if the launcher named one.
    pub fn service(&self, device: &str) -> Option<u32> {
        self.services.iter().find(|(name, _)| name == device).map(|&(_, service)| service)
    }

    /// Credentials for a device, if the provider would not find the same ones by itself.
    pub fn key(&self, device: &str) -> Option<AuthKey> {
        let (&vni, _) = self.vnis.split_last().filter(|(_, before)| !before.is_empty())?;
        Some(AuthKey { service: self.service(device)?, vni })
    }
}

impl fmt::Display for Slingshot {
    /// The VNIs, as SLINGSHOT_VNIS has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.vnis.iter().map(u16::to_string).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jobs_vni_is_the_last_and_devices_have_their_own_services() {
        // The second row is the example of the provider's own test (prov/cxi/test/auth_key.c).
        for (vnis, devices, services, device, vni, key) in [
            ("288", "cxi0", "5", "cxi0", Some(288), None),
            ("288,999", "cxi1,cxi15,cxi4,cxi0", "7,8,9,5", "cxi0", Some(999), Some((5, 999))),
            ("288,999", "cxi1,cxi15,cxi4,cxi0", "7,8,9,5", "cxi15", Some(999), Some((8, 999))),
            ("288,999", "cxi1", "7", "cxi0", Some(999), None),
            ("288,999", "", "", "cxi0", Some(999), None),
            ("", "cxi0", "5", "cxi0", None, None),
            ("x", "cxi0", "5", "cxi0", None, None),
        ] {
            let found = Slingshot::parse(Some(vnis), Some(devices), Some(services));
            assert_eq!(found.vni(), vni, "{vnis}");
            assert_eq!(found.key(device).map(|key| (key.service, key.vni)), key, "{vnis} on {device}");
        }
        assert_eq!(Slingshot::parse(None, None, None), Slingshot::default());
        assert_eq!(Slingshot::parse(Some("1, 2"), None, None).to_string(), "1,2");
    }
}
