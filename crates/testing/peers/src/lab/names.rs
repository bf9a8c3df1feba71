//! knot with a private root, and unbound on top.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

use hickory_resolver::proto::rr::RecordType;
use jiff::Timestamp;

use super::ask::ask;
use super::programs::{Programs, free_port, installed, output};
use super::zone::{Trust, Zone};

/// The servers' addresses, and the key of the root.
pub(super) struct Names {
    pub(super) authority: SocketAddr,
    pub(super) resolver: SocketAddr,
    /// `257 3 13 <base64>`
    pub(super) root_key: String,
    /// The zones that knot serves.
    pub(super) zones: Vec<Zone>,
}

/// Returns true if knot has a zone, with its signatures if it has any.
pub(super) fn is_served(knot: SocketAddr, zone: &Zone) -> bool {
    let records = if zone.has_key() { 2 } else { 1 };
    ask(knot, zone.name(), RecordType::SOA)
        .is_ok_and(|answer| answer.metadata.authoritative && answer.answers.len() == records)
}

/// Starts both on these zones; the root is added, and each zone is delegated by the deepest one above it.
pub(super) fn start(programs: &mut Programs, folder: &Path, mut zones: Vec<Zone>) -> Names {
    zones.push(Zone::signed(""));
    let loopback = IpAddr::from([127, 0, 0, 1]);
    let authority = SocketAddr::new(loopback, free_port(&[loopback]));
    let resolver = SocketAddr::new(loopback, free_port(&[loopback]));
    for part in ["zones", "keys", "run"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    let keys = Keys::new(folder, &zones);
    let digests: Vec<_> = zones.iter().map(|zone| zone.has_key().then(|| keys.generate(zone))).collect();
    delegate(&mut zones, &digests);
    for zone in zones.iter().filter(|zone| zone.is_here()) {
        fs::write(folder.join("zones").join(file(zone)), zone.text()).unwrap();
        if zone.trust == Trust::Lapsed {
            keys.sign_in_the_past(folder, zone);
        }
    }
    let configuration = folder.join("knot.conf");
    fs::write(&configuration, knot_configuration(folder, Some(authority), &zones, Zone::is_signed)).unwrap();
    let root_key = keys.public("");
    let mut knot = Command::new(installed("knotd").unwrap());
    knot.arg("-c").arg(configuration);
    programs.start("knotd", knot);

    fs::write(folder.join("root.key"), format!(". IN DNSKEY {root_key}\n")).unwrap();
    fs::write(folder.join("anchor.bind"), delv_anchor(&root_key)).unwrap();
    fs::write(folder.join("unbound.conf"), unbound_configuration(folder, authority, resolver, &zones))
        .unwrap();
    let mut unbound = Command::new(installed("unbound").unwrap());
    unbound.arg("-d").arg("-c").arg(folder.join("unbound.conf"));
    programs.start("unbound", unbound);
    zones.retain(Zone::is_here);
    Names { authority, resolver, root_key, zones }
}

fn file(zone: &Zone) -> String {
    if zone.name().is_empty() { "root.zone".to_owned() } else { format!("{}.zone", zone.name()) }
}

fn delegate(zones: &mut [Zone], digests: &[Option<String>]) {
    for child in 0..zones.len() {
        let (zone, digest) = (zones[child].clone(), digests[child].as_deref());
        let parent = zones
            .iter_mut()
            .enumerate()
            .filter(|(index, parent)| *index != child && parent.holds(zone.name()));
        if let Some((_, parent)) = parent.max_by_key(|(_, parent)| parent.name().len()) {
            parent.delegate(&zone, digest);
        }
    }
}

/// knot's own tools for keys, on its store of them.
struct Keys {
    /// One in which every zone with a key is signed, those that knot must leave as they are too.
    configuration: PathBuf,
    /// When the signatures that have ended were made, in Unix seconds.
    past: String,
}

impl Keys {
    fn new(folder: &Path, zones: &[Zone]) -> Self {
        let configuration = folder.join("keys.conf");
        fs::write(&configuration, knot_configuration(folder, None, zones, Zone::has_key)).unwrap();
        let past = Timestamp::now().as_second() - 60 * 86_400;
        Self { configuration, past: past.to_string() }
    }

    fn run(&self, zone: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(installed("keymgr").unwrap());
        output(command.arg("-c").arg(&self.configuration).arg(format!("{zone}.")).args(arguments))
    }

    /// Makes a zone's key, before knot would; its digest as a DS record has it.
    fn generate(&self, zone: &Zone) -> String {
        let mut arguments =
            vec!["generate".to_owned(), format!("algorithm={}", zone.policy.algorithm.replace('-', ""))];
        arguments.extend(["ksk=yes", "zsk=yes"].map(str::to_owned));
        if zone.trust == Trust::Lapsed {
            arguments
                .extend(["created", "publish", "ready", "active"].map(|at| format!("{at}={}", self.past)));
        }
        self.run(zone.name(), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let lines = self.run(zone.name(), &["ds"]);
        let mut records = lines.lines().filter_map(|line| Some(line.split_once(" DS ")?.1));
        records.find(|record| record.split(' ').nth(2) == Some("2")).unwrap().to_owned()
    }

    /// Signs a zone's file as it would have been signed then.
    fn sign_in_the_past(&self, folder: &Path, zone: &Zone) {
        let signed = folder.join("signed");
        fs::create_dir_all(&signed).unwrap();
        let mut command = Command::new(installed("kzonesign").unwrap());
        command.arg("-c").arg(&self.configuration).args(["-t", &self.past]).arg("-o").arg(&signed);
        output(command.arg(format!("{}.", zone.name())));
        fs::rename(signed.join(file(zone)), folder.join("zones").join(file(zone))).unwrap();
    }

    fn public(&self, zone: &str) -> String {
        self.run(zone, &["dnskey"]).trim().split_once(" DNSKEY ").unwrap().1.to_owned()
    }
}

fn knot_configuration(
    folder: &Path,
    address: Option<SocketAddr>,
    zones: &[Zone],
    is_signed: fn(&Zone) -> bool,
) -> String {
    let folder = folder.display();
    let listen = address.map(|address| format!("  listen: [ \"{}@{}\" ]\n", address.ip(), address.port()));
    let policies = policies(zones);
    let mut text = format!(
        "server:\n  rundir: \"{folder}/run\"\n{}  background-workers: 2\n  udp-workers: 1\n  tcp-workers: 1\n\
         log:\n  - target: stderr\n    any: info\n\
         database:\n  storage: \"{folder}/keys\"\n\
         {policies}template:\n  - id: default\n    storage: \"{folder}/zones\"\n    zonefile-sync: -1\n    \
         zonefile-load: whole\n    journal-content: none\n\
         zone:\n",
        listen.unwrap_or_default(),
    );
    for zone in zones.iter().filter(|zone| zone.is_here()) {
        let _ = writeln!(text, "  - domain: \"{}.\"\n    file: \"{}\"", zone.name(), file(zone));
        if is_signed(zone) {
            let _ = writeln!(text, "    dnssec-signing: on\n    dnssec-policy: {}", zone.policy.id());
        }
    }
    text
}

/// Each policy of a zone, once.
fn policies(zones: &[Zone]) -> String {
    let policies: BTreeSet<_> = zones.iter().map(|zone| (zone.policy.id(), zone.policy)).collect();
    let mut text = "policy:\n".to_owned();
    for (id, policy) in policies {
        let _ = writeln!(
            text,
            "  - id: {id}\n    algorithm: {}\n    single-type-signing: on\n    nsec3: {}",
            policy.algorithm,
            if policy.is_hashed { "on" } else { "off" }
        );
    }
    text
}

fn delv_anchor(root_key: &str) -> String {
    let fields: Vec<_> = root_key.splitn(4, ' ').collect();
    format!(
        "trust-anchors {{ . static-key {} {} {} \"{}\"; }};\n",
        fields[0], fields[1], fields[2], fields[3]
    )
}

fn unbound_configuration(folder: &Path, knot: SocketAddr, own: SocketAddr, zones: &[Zone]) -> String {
    let folder = folder.display();
    let mut text = format!(
        "server:\n  interface: {ip}@{port}\n  port: {port}\n  do-daemonize: no\n  username: \"\"\n  chroot: \"\"\n  \
         directory: \"{folder}\"\n  pidfile: \"{folder}/run/unbound.pid\"\n  use-syslog: no\n  logfile: \"\"\n  \
         num-threads: 1\n  do-ip6: no\n  do-not-query-localhost: no\n  trust-anchor-file: \"{folder}/root.key\"\n  \
         module-config: \"validator iterator\"\n  access-control: 127.0.0.0/8 allow\n  \
         local-zone: \"test.\" nodefault\n  val-log-level: 2\n  ede: yes\n\
         remote-control:\n  control-enable: no\n",
        ip = own.ip(),
        port = own.port(),
    );
    // A stub for the root alone would follow the delegations to port 53.
    for zone in zones {
        let server = if let Trust::Elsewhere(server) = zone.trust { server } else { knot };
        let (name, ip, port) = (zone.name(), server.ip(), server.port());
        let _ = writeln!(text, "stub-zone:\n  name: \"{name}.\"\n  stub-addr: {ip}@{port}\n  stub-prime: no");
    }
    text
}
