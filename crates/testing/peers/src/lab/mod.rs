//! A small internet on this machine: a DNS root of its own with knot, a validating resolver with unbound, sites with
//! every kind of certificate and a registry with nginx. Nothing of it is shared with the machine or with another lab,
//! and it ends with its owner, however that ends.
//!
//! All is on loopback addresses and on ports that were free. One port with TLS and one without are the same at every
//! address: a client finds a site as it would elsewhere, by the address that its name has, and by its name. All names
//! but those of `github.io` are under `test`, which is signed, as is the root.
//!
//! # Zones
//!
//! | zone | what it is |
//! |---|---|
//! | `signed` | signed; an address, `www`, MX, SPF, DMARC and CAA, as the next ones have them |
//! | `plain`, `plain.signed` | not signed, under a signed parent |
//! | `bogus` | signed, but its parent has the digest of another key |
//! | `broken` | not signed, but its parent has a key's digest |
//! | `lapsed` | signed for two weeks, two months ago |
//! | `algorithm` | not signed, under the digest for an algorithm that no validator knows: insecure, not bogus |
//! | `perfect` | all that a domain can do: signed, two name servers, IPv6, MX, SPF with `-all`, DMARC with `reject`, CAA, MTA-STS, TLS-RPT, TLSA, BIMI, the best headers, `security.txt` |
//! | `tenant.github.io` | the same, below a public suffix of the list's private part: only the platform is registered |
//! | `swollen` | as much of everything as a look puts down, in every record, certificate, page and registration |
//! | `nomail` | no mail at all: null MX, SPF with `-all` alone, DMARC with `reject` |
//! | `lame`, `dead` | its server refuses; its server never answers |
//! | `other-name` | its server answers with an address of `elsewhere.test` |
//! | `truncated` | its server truncates and has no TCP |
//! | `caa-servfail` | it has an address, but its server fails at CAA |
//!
//! # Names in `test`
//!
//! | name | what it is |
//! |---|---|
//! | `spf-open`, `spf-soft` | `+all`, `~all` |
//! | `spf-syntax`, `spf-two` | a mechanism that does not exist; two records |
//! | `spf-void`, `spf-loop`, `spf-many` | three look-ups of nothing; an include of itself; eleven look-ups |
//! | `dmarc-reject`, `dmarc-quarantine`, `dmarc-none` | a policy each |
//! | `dmarc-testing`, `dmarc-percent`, `dmarc-subdomains` | `t=y`; `pct=10`; `sp=none` and `np=reject` |
//! | `dmarc-invalid`, `dmarc-missing`, `dmarc-two` | `p=maybe`; no record; two |
//! | `dmarc-outside` | reports go to `reports.test`, which takes them |
//! | `deep.below.dmarc-reject`, `deep.below.caa-nobody` | names without records of their own, two levels down |
//! | `caa-missing`, `caa-nobody`, `caa-critical` | no record; nobody may issue; a critical tag that nobody knows |
//! | `caa-wild`, `caa-account` | another issuer for wildcards; one account and one method alone |
//! | `alias`, `nowhere` | an alias of `good`; of a name that does not exist |
//! | `chain`, `long-chain`, `loop` | eight aliases; twenty, which no resolver follows; two that are each other's |
//! | `long-text`, `many-texts` | one text of 64 kB, which is SPF; 401 texts of 50 kB, one of which is |
//! | `private`, `metadata` | 10.0.0.1; 169.254.169.254 |
//! | `silent`, `refused` | a server that accepts and says nothing with TLS; one that is not there |
//! | `probe-waits`, `probe-waits-good` | with TLS it speaks with who asks for a page alone; a certificate that has ended, and a good one |
//! | `page-waits` | with TLS it speaks with who looks at the certificate alone, which has ended |
//!
//! # Sites
//!
//! With TLS, and without it a redirect (301) to the same with TLS, unless something else is said.
//!
//! | site | what it is |
//! |---|---|
//! | `good`, `month`, `soon` | a certificate for 60, 20 and 3 more days |
//! | `expired`, `future`, `wrong` | ended 30 days ago; begins in 30; for another name |
//! | `self`, `unknown`, `incomplete` | its own issuer; an authority that nobody knows; without the intermediate one |
//! | `no-sct`, `rsa2048`, `ecc384`, `many-names`, `wild` | good, without receipts of logs; with such a key; for a thousand names; for `*.wild` too |
//! | `crowd0` to `crowd199` | good, the same server for all of them |
//! | `weak` | an RSA key of 1024 bits |
//! | `old`, `tls12`, `tls13`, `everything` | TLS 1.0 and 1.1 only; 1.2 only; 1.3 only; 1.0 to 1.3 |
//! | `nohttps` | no TLS: its port is closed |
//! | `no-redirect` | the same page without TLS |
//! | `headers-good`, `headers-none`, `headers-bad` | the best headers; none; worse than none |
//! | `moved`, `redirects` | a redirect to `www.moved`; three in a row to there |
//! | `redirect-loop`, `redirect-down` | to itself; to a site without TLS |
//! | `redirect-private`, `redirect-metadata` | without TLS to 10.0.0.1; to a name with a link-local address |
//! | `redirect-inside`, `redirect-name` | with TLS to 10.0.0.1; to a name that has that address |
//! | `failing`, `slow` | 503; a page at a few bytes a second |
//!
//! # The registry
//!
//! At `rdap.test`, with TLS and without. Each domain above began 1000 days ago and is good for another 400, but for these.
//! Under `ageless/` it does not say of `perfect` when that began.
//!
//! | domain | what its answer is |
//! |---|---|
//! | `rdap-month`, `rdap-week`, `rdap-expired` | ends in 20 days; in 3; ended 10 days ago |
//! | `rdap-young`, `rdap-endless` | began 10 days ago; has no end |
//! | `rdap-missing`, `rdap-busy` | 404; 429 |
//! | `rdap-slow`, `rdap-huge` | 16 bytes a second; 10 MiB |
//! | `rdap-broken`, `rdap-other` | JSON that ends too early; about another domain |
//! | `rdap-moved` | a redirect to the answer for `good` |
//! | `rdap-private`, `rdap-inside` | a redirect to 10.0.0.1, without TLS and with it |
//!
//! If the shared data is present, the answers of real registries in it are served for their domains as well.

mod ask;
mod catalog;
mod certificate;
mod certificate_kind;
mod choosy;
mod liar;
mod names;
mod programs;
pub mod rdap;
mod site;
mod web;
mod zone;

pub use ask::{ask, ask_unchecked, extended_errors};
pub use certificate_kind::Kind;
pub use hickory_resolver::proto;
pub use liar::{Liar, Liars, Lie};
pub use site::{Plain, Site, Speaks};
pub use zone::Zone;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use hickory_resolver::proto::rr::RecordType;
use serde_json::Value;

use crate::anvil::missing;
use certificate::Authority;
use choosy::{Choosy, Waits};
use programs::{Programs, installed};
use web::Ports;

/// The programs that Debian's packages must have installed: `need_lab` in `scripts/tools.sh`.
const PROGRAMS: [&str; 7] = ["knotd", "keymgr", "kzonesign", "unbound", "nginx", "delv", "openssl"];

/// The time within which all servers must answer; after it, the start is tried once more on other ports.
const PATIENCE: Duration = Duration::from_secs(20);

/// The lab, for as long as it is kept.
pub struct Lab {
    /// knot: the authority for every zone but those that are elsewhere. UDP and TCP.
    pub dns: SocketAddr,
    /// unbound: a resolver that validates with the lab's root. UDP and TCP.
    pub resolver: SocketAddr,
    /// The port of every site with TLS, at the address that its name has.
    pub https: u16,
    /// The same without.
    pub http: u16,
    /// The root's key as a DNSKEY record has it: `257 3 13 <base64>`.
    pub root_key: String,
    /// The certificate of the authority that the lab's clients trust.
    pub authority: String,
    /// Name servers that do wrong: to be asked themselves, or through the resolver by the zones that are theirs.
    pub liars: Liars,
    folder: PathBuf,
    programs: Programs,
    /// The listener's backlog takes connections, and nobody speaks.
    _silent: TcpListener,
    _choosy: Vec<Choosy>,
}

impl Lab {
    /// The one lab of a test's binary; `None` where its programs are not installed, which is told and fails under CI.
    #[must_use]
    pub fn shared(untested: &str) -> Option<&'static Self> {
        static LAB: OnceLock<Option<Lab>> = OnceLock::new();
        LAB.get_or_init(|| Self::start(untested)).as_ref()
    }

    /// A lab with the usual zones and sites.
    #[must_use]
    pub fn start(untested: &str) -> Option<Self> {
        Self::start_with(untested, &[], &[])
    }

    /// A lab with more zones and sites, or others in place of those of the same name. A site's name gets its address in the deepest zone that holds it.
    #[must_use]
    pub fn start_with(untested: &str, zones: &[Zone], sites: &[Site]) -> Option<Self> {
        if let Some(program) = PROGRAMS.iter().find(|name| installed(name).is_none()) {
            missing(program, untested);
            return None;
        }
        // Another process may take a port in between: once more, then.
        let lab = Self::try_start(zones, sites).or_else(|_| Self::try_start(zones, sites));
        Some(lab.unwrap_or_else(|error| panic!("the lab: {error}")))
    }

    fn try_start(zones_of_caller: &[Zone], sites: &[Site]) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("lab-").tempdir().unwrap().keep();
        let mut programs = Programs::new(folder.clone());
        let token = folder.file_name().unwrap().to_string_lossy().into_owned();
        let (ports, liars) = (Ports::choose(), Liars::start());
        let silent = TcpListener::bind((web::SILENT, ports.https)).map_err(|error| error.to_string())?;
        let choosy: Result<_, _> =
            Waits::ALL.into_iter().map(|waits| Choosy::start(waits, ports.https)).collect();
        let choosy = choosy.map_err(|error| error.to_string())?;

        let authority = Authority::new();
        let mut of_catalog = catalog::sites(&token);
        of_catalog.retain(|known| sites.iter().all(|site| site.names[0] != known.names[0]));
        let sites = of_catalog.into_iter().chain(sites.iter().cloned());
        let mut sites: Vec<_> = sites.map(|site| authority.certify(site)).collect();
        let digest = |host: &str| {
            let found = sites.iter().find(|(site, _)| site.names[0] == host);
            found.expect("the site is in the catalog").1.key_digest.clone()
        };
        let mut zones = catalog::zones(&liars, digest);
        zones.retain(|known| zones_of_caller.iter().all(|zone| zone.name() != known.name()));
        zones.extend(zones_of_caller.iter().cloned());
        zone_of(&mut zones, catalog::TOKEN_HOST).add(&format!("{}. TXT \"{token}\"", catalog::TOKEN_HOST));
        for (site, _) in &sites {
            give_address(&mut zones, site);
        }
        let registry = catalog::registry(zones.iter().flat_map(Zone::owners));
        give_address(&mut zones, &registry);
        sites.push(authority.certify(registry));

        web::start(&mut programs, &folder, ports, &sites);
        let names = names::start(&mut programs, &folder, zones);
        let Ports { https, http, .. } = ports;
        let (dns, resolver, root_key) = (names.authority, names.resolver, names.root_key);
        let authority = authority.pem();
        fs::write(folder.join("ca.pem"), &authority).unwrap();
        let (programs, _silent, _choosy) = (programs, silent, choosy);
        let mut lab = Self {
            dns,
            resolver,
            https,
            http,
            root_key,
            authority,
            liars,
            folder,
            programs,
            _silent,
            _choosy,
        };
        lab.ready(&token, names.zones)?;
        Ok(lab)
    }

    /// Waits until knot has each of these zones, and each server gives the lab's own token: then it runs, and it is ours.
    fn ready(&mut self, token: &str, mut missing: Vec<Zone>) -> Result<(), String> {
        let started = Instant::now();
        loop {
            let knows = |server| {
                ask(server, catalog::TOKEN_HOST, RecordType::TXT).is_ok_and(|answer| {
                    answer.answers.iter().any(|record| record.data.to_string().contains(token))
                })
            };
            let serves = || {
                self.get(catalog::TOKEN_HOST, catalog::TOKEN_PATH).is_ok_and(|answer| answer.ends_with(token))
            };
            // unbound comes last: it would remember a zone that was not there yet.
            missing.retain(|zone| !names::is_served(self.dns, zone));
            if missing.is_empty() && serves() && knows(self.dns) && knows(self.resolver) {
                return Ok(());
            }
            self.programs.check()?;
            if started.elapsed() > PATIENCE {
                return Err(format!("no answer after {PATIENCE:?}: {}", self.programs.all_said()));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the answer without TLS at a path, its head included.
    fn get(&self, host: &str, path: &str) -> std::io::Result<String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.http));
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// The root's key in a file, as unbound and hickory read it (`TrustAnchors::from_file`).
    #[must_use]
    pub fn anchor(&self) -> PathBuf {
        self.folder.join("root.key")
    }

    /// The authority's certificate in a file.
    #[must_use]
    pub fn authority_file(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// The server that takes a connection and never speaks, which `silent.test` leads to.
    #[must_use]
    pub fn silent(&self) -> SocketAddr {
        SocketAddr::from((web::SILENT, self.https))
    }

    /// The base address of the registry, with TLS.
    #[must_use]
    pub fn rdap(&self) -> String {
        format!("https://rdap.test:{}/", self.https)
    }

    /// A bootstrap file that names the registry for the lab's top-level domains.
    #[must_use]
    pub fn bootstrap(&self) -> Value {
        rdap::bootstrap(&["test", "io"], &self.rdap())
    }

    /// Returns the whole output of delv, with the lab's root, for a question put to knot.
    #[must_use]
    pub fn delv(&self, name: &str, kind: &str) -> String {
        let mut command = Command::new(installed("delv").unwrap());
        command
            .arg("-a")
            .arg(self.folder.join("anchor.bind"))
            .args(["+root=.", "-p"])
            .arg(self.dns.port().to_string());
        let said = command.arg(format!("@{}", self.dns.ip())).args([name, kind]).output().unwrap();
        String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr)
    }
}

/// The deepest zone that holds a name.
fn zone_of<'a>(zones: &'a mut [Zone], name: &str) -> &'a mut Zone {
    zones
        .iter_mut()
        .filter(|zone| zone.holds(name))
        .max_by_key(|zone| zone.name().len())
        .expect("test holds it")
}

fn give_address(zones: &mut [Zone], site: &Site) {
    for name in &site.names {
        zone_of(zones, name).give_address(name, IpAddr::from(site.speaks.address()));
    }
}
