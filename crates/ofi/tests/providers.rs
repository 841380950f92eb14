//! Providers that this machine lacks, by version, with the properties that their sources announce: each is taken, passes the suite, and is
//! used by the plan that `PROVIDERS.md` states.
//!
//! The source of a row is the provider's directory in libfabric's repository at the tag of that version: capabilities, modes and sizes are
//! the values of the structures and macros that the row names. Only capabilities that this crate asks about are listed.
#![cfg(bindings)]

mod fake;

use fake::{Profile, VNIS, library};
use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Error, Fabric, Op, Pe, Remote, SegmentId, Slingshot, Stage};
use ferrite_ofi::{Options, engine_with, open_with};
use libfabric_sys::*;
use std::{ffi::c_int, iter};

/// FI_MR_BASIC and FI_MR_SCALABLE, which headers of libfabric 2 lack.
const BASIC: c_int = 1 << 0;
const SCALABLE: c_int = 1 << 1;

const COMM: u64 = FI_LOCAL_COMM | FI_REMOTE_COMM;
const RDM: u64 = FI_MSG | FI_RMA | FI_ATOMIC | COMM;

/// The expected use of a provider.
struct Plan {
    /// Name that the transport reports.
    by: &'static str,
    nic_atomics: bool,
    /// Maximum number of endpoints for lanes.
    endpoints: usize,
}

/// `cxip_prov_key_domain_attr` and `cxip_tx_attr` in prov/cxi/src/cxip_info.c; CXIP_CAPS, CXIP_INJECT_SIZE (192 bytes) and
/// CXIP_MSG_ORDER in prov/cxi/include/cxip.h. The three versions differ in orders of atomics alone, which are not used.
fn cxi(version: (u32, u32)) -> Profile {
    Profile {
        name: "cxi",
        version,
        caps: RDM | FI_FENCE,
        mode: 0,
        mr_mode: FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
        counters: 16,
        inject: 192,
        orders: FI_ORDER_SAS | FI_ORDER_WAW,
        depth: 1024,
        hardware: true,
        ..Profile::default()
    }
}

/// `fi_opx_fillinfo` in prov/opx/src/fi_opx_init.c (the mode), OPX_MR in prov/opx/configure.m4 and `fi_opx_choose_domain` in
/// prov/opx/src/fi_opx_domain.c (the registration modes), FI_OPX_DEFAULT_CAPS and FI_OPX_DEFAULT_MSG_ORDER in
/// prov/opx/include/rdma/opx/fi_opx.h, FI_OPX_HFI1_PACKET_IMM (16 bytes) in fi_opx_hfi1_packet.h.
fn opx(version: (u32, u32), mr_mode: c_int) -> Profile {
    Profile {
        name: "opx",
        version,
        caps: RDM,
        mode: FI_ASYNC_IOV,
        mr_mode,
        inject: 16,
        orders: 0,
        depth: usize::MAX,
        ..Profile::default()
    }
}

/// `efa_prov_info_alloc_for_rdm` and `efa_user_info_alter_rdm` in prov/efa/src. From 2.5 on, FI_ORDER_WAW is missing, and the maximum size
/// of injected messages is the room of a packet.
fn efa(version: (u32, u32), inject: usize) -> Profile {
    Profile {
        name: "efa",
        version,
        caps: RDM,
        mode: 0,
        mr_mode: FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
        inject,
        orders: FI_ORDER_SAS,
        ..Profile::default()
    }
}

/// PSMX3_CAPS and PSMX3_MSG_ORDER in prov/psm3/src/psmx3.h; `psmx3_domain_attr` in psmx3_attr.c, whose registration modes leave the choice.
fn psm3() -> Profile {
    Profile {
        name: "psm3",
        version: (2, 6),
        caps: RDM,
        mode: 0,
        mr_mode: SCALABLE | BASIC,
        inject: 64,
        ..Profile::default()
    }
}

/// `verbs_domain_attr` in prov/verbs/src/verbs_info.c, below `ofi_rxm`, which has no atomics over it (prov/rxm/src/rxm_attr.c).
fn verbs() -> Profile {
    Profile {
        version: (2, 6),
        caps: FI_MSG | FI_RMA | COMM,
        mode: 0,
        mr_mode: FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
        ..Profile::default()
    }
}

/// Options of a PE. `maps_host` makes no difference to the suite, which has one PE on each host.
fn options(me: Pe, size: u32) -> Options {
    Options { crowded: true, maps_host: true, ..Options::new(me, size, 99) }
}

/// Run the suite with two PEs. Returns the version and the capabilities of each question to the library.
fn check(profile: Profile, expected: &Plan) -> Vec<(u32, u64)> {
    let row = format!("{} {:?}", profile.name, profile.version);
    let (library, turn) = library(profile);
    conformance::threads(2, &|me, size| {
        let fabric = engine_with(library.clone(), options(me, size)).unwrap();
        let (about, caps) = (fabric.about(), fabric.caps());
        assert_eq!((&*about.by, about.endpoints_max), (expected.by, Some(expected.endpoints)), "{row}");
        assert_eq!((caps.nic_atomics, caps.drives_nic), (expected.nic_atomics, true), "{row}");
        Box::new(fabric) as Box<dyn Fabric>
    });
    turn.world(|world| {
        assert!(world.broken.is_empty(), "{row}: broken: {:#?}", world.broken);
        world.asked.clone()
    })
}

#[test]
fn slingshot_is_taken_with_its_atomics() {
    for (version, by) in
        [((2, 1), "libfabric 2.1, cxi"), ((2, 3), "libfabric 2.3, cxi"), ((2, 6), "libfabric 2.6, cxi")]
    {
        check(cxi(version), &Plan { by, nic_atomics: true, endpoints: 8 });
    }
}

#[test]
fn omni_path_is_taken_whichever_modes_it_answers_with() {
    let plan = |by| Plan { by, nic_atomics: false, endpoints: 1 };
    for (version, mr_mode, by) in [
        ((2, 0), SCALABLE, "libfabric 2.0, opx"),
        ((2, 0), SCALABLE | FI_MR_HMEM, "libfabric 2.0, opx"),
        ((2, 0), BASIC, "libfabric 2.0, opx"),
        ((2, 6), 0, "libfabric 2.6, opx"),
        ((2, 6), FI_MR_HMEM, "libfabric 2.6, opx"),
    ] {
        let mut profile = opx(version, mr_mode);
        // FI_MR_BASIC stands for three modes, so the provider then uses addresses and chooses keys.
        if mr_mode == BASIC {
            profile.mr_mode |= FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;
        }
        check(profile, &plan(by));
    }
}

#[test]
fn efa_is_asked_for_rdma_and_for_other_hosts_alone() {
    for (number, inject, by) in [((1, 22), 32, "libfabric 1.22, efa"), ((2, 5), 4000, "libfabric 2.5, efa")] {
        let asked = check(efa(number, inject), &Plan { by, nic_atomics: false, endpoints: 16 });
        assert!(asked.iter().all(|&(api, _)| api == version(1, 18)), "{asked:?}");
        let (_, opened) = asked.last().unwrap();
        assert_eq!(opened & COMM, FI_REMOTE_COMM, "the endpoints are for other hosts");
    }
}

#[test]
fn efa_opens_its_shared_memory_where_hosts_are_not_mapped() {
    let (library, turn) = library(efa((2, 5), 4000));
    let options = Options { maps_host: false, ..options(Pe(0), 1) };
    drop(engine_with(library, options).unwrap());
    turn.world(|world| assert!(world.asked.iter().all(|(_, caps)| caps & COMM == 0), "{:?}", world.asked));
}

#[test]
fn an_old_library_is_asked_for_its_own_version() {
    let (library, turn) = library(Profile { version: (1, 17), ..verbs() });
    drop(engine_with(library, options(Pe(0), 1)).unwrap());
    turn.world(|world| assert!(world.asked.iter().all(|&(api, _)| api == version(1, 17))));
}

#[test]
fn psm3_and_verbs_are_taken() {
    check(psm3(), &Plan { by: "libfabric 2.6, psm3", nic_atomics: false, endpoints: 16 });
    check(verbs(), &Plan { by: "libfabric 2.6, verbs;ofi_rxm", nic_atomics: false, endpoints: 16 });
}

/// Two rails are two domains of one device. The last PE has one.
#[test]
fn two_rails_carry_long_transfers_alike() {
    for (profile, by) in [
        (cxi((2, 6)), "libfabric 2.6, cxi"),
        (efa((2, 5), 4000), "libfabric 2.5, efa"),
        (verbs(), "libfabric 2.6, verbs;ofi_rxm"),
    ] {
        let (library, turn) = library(profile);
        for size in [2, 3] {
            conformance::threads(size, &|me, size| {
                let rails = if me == Pe(2) { Vec::new() } else { vec!["fake0".to_owned(); 2] };
                let needs_rails = !rails.is_empty();
                let fabric = open_with(library.clone(), Options { rails, needs_rails, ..options(me, size) }).unwrap();
                let about = fabric.about();
                assert_eq!((&*about.by, about.devices.len()), (by, if me == Pe(2) { 1 } else { 2 }));
                fabric
            });
        }
        turn.world(|world| {
            assert!(world.broken.is_empty(), "{by}: broken: {:#?}", world.broken);
            let most = world.carried.values().max().unwrap();
            let busy = world.carried.values().filter(|&&bytes| bytes > most / 4).count();
            assert!(busy >= 4, "{by}: two rails of two PEs carry much: {:?}", world.carried);
        });
    }
}

#[test]
fn a_rail_that_is_missing_is_named() {
    let (library, _turn) = library(verbs());
    let rails =
        |needs_rails| Options { rails: vec!["fake0".to_owned(), "fake1".to_owned()], needs_rails, ..options(Pe(0), 1) };
    let Err(error) = open_with(library.clone(), rails(true)) else { panic!("fake1 is accepted") };
    assert!(error.to_string().contains("using NIC fake1"), "{error}");
    let fabric = open_with(library, rails(false)).unwrap();
    assert_eq!(fabric.about().devices, ["fake0"]);
}

#[test]
fn atomics_of_slingshot_are_left_to_processors_if_asked() {
    let (library, turn) = library(cxi((2, 6)));
    let fabric = engine_with(library, Options { nic_atomics: false, ..options(Pe(0), 1) }).unwrap();
    assert!(!fabric.caps().nic_atomics);
    drop(fabric);
    turn.world(|world| assert!(world.asked.iter().all(|(_, caps)| caps & FI_ATOMIC == 0)));
}

/// A fabric is abandoned with as many gets under way as it takes. Nothing writes into the program's memory after that.
#[test]
fn an_abandoned_fabric_leaves_the_programs_memory_alone() {
    const LEN: usize = 4096;
    for profile in [cxi((2, 6)), verbs()] {
        let (library, turn) = library(profile);
        conformance::among_threads(2, &|me, meeting| {
            let mut into = vec![0_u8; 256 * LEN];
            let fabric = Box::new(engine_with(library.clone(), options(me, 2)).unwrap());
            let m = Member::new(fabric, me, 2, meeting);
            if me == Pe(0) {
                let from = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 };
                let get = |piece: &mut [u8]| Op::Get { from, to: piece.as_mut_ptr(), len: LEN };
                // SAFETY: the memory outlives the fabric.
                let posted = into.chunks_mut(LEN).map_while(|piece| unsafe { m.lane.post(&get(piece)) }.ok());
                assert!(posted.count() > 1);
                m.fabric().abandon(&Error::new("PE 1 is lost"));
                turn.world(|world| assert!(world.eps.values().all(|ep| ep.flying.is_empty())));
            }
            m.meet_and_do_nothing();
        });
    }
}

/// A thread waits for a small put, whose completion only the counter shows. Whenever it has looked, another thread posts as many long puts as
/// the lane takes.
#[test]
fn a_small_put_does_not_wait_for_all_later_puts() {
    let (library, _turn) = library(Profile { hardware: false, ..cxi((2, 6)) });
    conformance::among_threads(2, &|me, meeting| {
        let bytes = vec![1_u8; 8192];
        let m = Member::new(Box::new(engine_with(library.clone(), options(me, 2)).unwrap()), me, 2, meeting);
        let put =
            |len| Op::Put { to: Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 }, from: bytes.as_ptr(), len };
        if me == Pe(0) {
            (0..64).for_each(|_| _ = m.post(&put(bytes.len())));
            let (small, mut later) = (m.post(&put(8)), 0);
            while !m.lane.has_reached(Stage::Remote, small) {
                // SAFETY: the bytes outlive the last wait.
                later += iter::from_fn(|| unsafe { m.lane.post(&put(bytes.len())) }.ok()).count();
                // A lane takes 65,536 operations until it refuses more.
                assert!(later < 60_000, "the small put waits for all of them");
            }
            m.wait(m.post(&put(8)), Stage::Remote);
        }
        m.meet();
    });
}

/// Run the suite with two PEs on Slingshot, each with the VNIs of its launcher. Returns the rules that were broken.
fn with_vnis(vnis: [&'static str; 2]) -> Vec<String> {
    let (library, turn) = library(Profile { needs_vni: true, ..cxi((2, 6)) });
    conformance::threads(2, &|me, size| {
        let text = vnis[me.0 as usize];
        VNIS.set(text.split(',').map(|word| word.parse().unwrap()).collect());
        let slingshot = Slingshot::parse(Some(text), Some("cxi1,cxi0"), Some("3,4"));
        Box::new(engine_with(library.clone(), Options { slingshot, ..options(me, size) }).unwrap()) as Box<dyn Fabric>
    });
    turn.world(|world| world.broken.clone())
}

#[test]
fn slingshots_pes_of_one_step_reach_each_other() {
    assert!(with_vnis(["1030", "1030"]).is_empty());
    assert!(with_vnis(["1030,1024", "1030,1024"]).is_empty());
}

#[test]
fn slingshots_pes_of_two_steps_reach_each_other_by_the_vni_of_the_job() {
    assert!(with_vnis(["1030,1024", "1031,1024"]).is_empty());
}

#[test]
fn slingshot_without_a_vni_is_refused_in_the_librarys_words() {
    let (library, _turn) = library(Profile { needs_vni: true, ..cxi((2, 6)) });
    let error = engine_with(library, options(Pe(0), 1)).unwrap_err().to_string();
    assert!(
        error.contains("opening the domain of cxi on cxi0") && error.contains("Function not implemented"),
        "{error}"
    );
}
