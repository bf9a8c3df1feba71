//! Domains whose servers never answer, and one whose servers do, looked at at the same time.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;

use dns::Resolver;
use domain_name::{DomainName, PublicSuffixes, Rules};
use fetch::{Fetcher, NameServers, Policy, Roots};
use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, NS, SOA, TXT};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use probe::payee::PayeeProbe;
use probe::registry::{self, Registry};
use probe::{ct, dnssec, payee, site, tls};
use threat_feeds::Feeds;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use trust::score::{CheckId, Status};
use trust::trust_score::{
    AT_ONCE, CONNECTIONS, Probes, TrustFinding, TrustJudge, TrustQuestion, registry_limits, site_limits,
};
use verdict::{Judge as _, JudgeContext, Timestamp};

/// Mute domains that are looked at at once: so many that if places were everybody's, all would be taken twice over.
const MUTE: usize = 160;
/// The files that this takes.
const FILES: u64 = 10_000;
/// Where servers take connections and say nothing.
const SILENT: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// Where nothing listens, in another network.
const CLOSED: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 3);

/// A resolver for names below `test`. Of those that begin with `mute` it knows the address alone, to all other questions
/// it waits for servers that never answer; and tells which name it was.
fn resolver(waiting: UnboundedSender<String>) -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut bytes = vec![0; 4096];
        while let Ok((length, client)) = socket.recv_from(&mut bytes) {
            let question = Message::from_vec(&bytes[..length]).unwrap();
            let name = question.queries[0].name().to_ascii();
            let kind = question.queries[0].query_type();
            let mute =
                name.trim_end_matches(".test.").rsplit('.').next().filter(|name| name.starts_with("mute"));
            match mute {
                Some(mute) if !matches!(kind, RecordType::A | RecordType::AAAA) => {
                    let _ = waiting.send(mute.to_owned());
                }
                _ => drop(socket.send_to(&reply(&question, mute.is_some()).to_vec().unwrap(), client)),
            }
        }
    });
    address
}

fn reply(question: &Message, is_mute: bool) -> Message {
    let asked = question.queries[0].clone();
    let mut reply = Message::response(question.metadata.id, question.metadata.op_code);
    reply.metadata.recursion_desired = true;
    reply.metadata.recursion_available = true;
    reply.metadata.response_code = ResponseCode::NoError;
    let wire = |text: &str| Name::from_ascii(text).unwrap();
    let text = |text: &str| Some(RData::TXT(TXT::new(vec![text.to_owned()])));
    let data = match asked.query_type() {
        RecordType::A => Some(RData::A(A(if is_mute { SILENT } else { CLOSED }))),
        RecordType::TXT if asked.name().to_ascii().starts_with("_dmarc.") => text("v=DMARC1; p=reject"),
        RecordType::TXT => text("v=spf1 -all"),
        RecordType::NS => Some(RData::NS(NS(wire("ns.sound.test.")))),
        _ => None,
    };
    let apex = asked.name().trim_to(2);
    match data {
        Some(data) => reply.add_answer(Record::from_rdata(asked.name().clone(), 60, data)),
        None => {
            let soa = SOA::new(wire("ns.sound.test."), wire("hm.sound.test."), 1, 60, 60, 60, 60);
            reply.add_authority(Record::from_rdata(apex, 60, RData::SOA(soa)))
        }
    };
    reply.add_query(asked);
    reply
}

fn judge(resolver: SocketAddr, https_port: u16, http_port: u16) -> TrustJudge {
    let policy = Policy { named: vec!["127.0.0.0/8".parse().unwrap()], ..Policy::dev() };
    let servers = vec![resolver];
    let with =
        |limits| Fetcher::new(policy.clone(), limits, NameServers::at(&servers).unwrap(), Roots::webpki());
    let fetcher = with(site_limits());
    let probes = Probes {
        servers: None,
        dns: Arc::new(Resolver::at(&servers).unwrap()),
        dnssec: dnssec::DnssecProbe::new(dnssec::DnssecConfig {
            servers: Some(servers.clone()),
            ..dnssec::DnssecConfig::default()
        }),
        tls: tls::TlsProbe::new(fetcher.clone(), Roots::webpki(), https_port),
        site: site::SiteProbe::new(fetcher.clone(), https_port, http_port),
        registry: Registry::new(with(registry_limits())),
        feeds: Feeds::open(&[]).unwrap(),
        popularity: None,
        whois: None,
        certificates: None,
        payee: PayeeProbe::new(fetcher.clone(), https_port),
        suffixes: Arc::new(PublicSuffixes::bundled()),
        at_once: AT_ONCE,
    };
    let rules = Rules { allowed_suffixes: vec!["test".to_owned()] };
    TrustJudge::new(probes, rules)
}

fn port(listener: &TcpListener) -> u16 {
    listener.local_addr().unwrap().port()
}

/// Each check of a domain: how it ended, and why.
async fn checks(judge: &TrustJudge, name: &str) -> Vec<(CheckId, Status, String)> {
    let question = TrustQuestion::of(DomainName::parse(name).unwrap());
    let judged = judge.judge(&question, JudgeContext::from(Timestamp::EPOCH)).await.unwrap();
    let TrustFinding::V2(finding) = judged.finding else { panic!("a look of today") };
    let checks = finding.hygiene.checks;
    checks.into_iter().map(|check| (check.id, check.status, check.reason.into_owned())).collect()
}

fn status(checks: &[(CheckId, Status, String)], id: CheckId) -> Status {
    checks.iter().find(|check| check.0 == id).unwrap().1
}

/// How many connections wait to be taken up.
fn connections(listener: &TcpListener) -> usize {
    listener.set_nonblocking(true).unwrap();
    std::iter::from_fn(|| listener.accept().ok()).count()
}

#[tokio::test]
async fn a_look_has_as_many_connections_as_its_share_of_all() {
    let (https, http) = (TcpListener::bind((SILENT, 0)).unwrap(), TcpListener::bind((SILENT, 0)).unwrap());
    let (waiting, _waited_for) = unbounded_channel();
    checks(&judge(resolver(waiting), port(&https), port(&http)), "mute.test").await;
    // None has ended, so none was made in place of another. Of `test` no registry is known.
    // No payee was asked about, and no source of certificates is configured.
    let not_made = registry::CONNECTIONS + payee::CONNECTIONS + ct::CONNECTIONS;
    assert_eq!(connections(&https) + connections(&http) + not_made, CONNECTIONS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_never_answer_take_nothing_from_other_domains() {
    if rlimit::increase_nofile_limit(FILES).unwrap() < FILES {
        println!("skipped: fewer than {FILES} files may be open");
        return;
    }
    let (waiting, mut waited_for) = unbounded_channel();
    // Connections are taken by the system; nobody reads what they bring.
    let (https, http) = (TcpListener::bind((SILENT, 0)).unwrap(), TcpListener::bind((SILENT, 0)).unwrap());
    let judge = Arc::new(judge(resolver(waiting), port(&https), port(&http)));

    let alone = checks(&judge, "sound.test").await;
    for (id, expected) in [
        (CheckId::Spf, Status::Pass),
        (CheckId::Dmarc, Status::Pass),
        (CheckId::Caa, Status::Fail),
        (CheckId::Tls, Status::Fail),
    ] {
        assert_eq!(status(&alone, id), expected, "{alone:?}");
    }

    let mute: Vec<_> = (0..MUTE)
        .map(|nth| {
            let judge = Arc::clone(&judge);
            tokio::spawn(async move {
                // One after the other, so that there is always one.
                for turn in 0.. {
                    let found = checks(&judge, &format!("mute{nth}-{turn}.test")).await;
                    for id in [CheckId::Spf, CheckId::Dnssec, CheckId::Tls] {
                        assert_eq!(status(&found, id), Status::Unknown, "{found:?}");
                    }
                }
            })
        })
        .collect();
    let mut under_way = HashSet::new();
    while under_way.len() < MUTE {
        let name: String = waited_for.recv().await.unwrap();
        under_way.insert(name.split_once('-').unwrap().0.to_owned());
    }
    // Again where a machine that is busy with other things left no time for it.
    let mut among = Vec::new();
    for turn in 0..5 {
        among = checks(&judge, &format!("sound{turn}.test")).await;
        if among == alone {
            break;
        }
    }
    assert_eq!(among, alone);
    assert!(mute.iter().all(|looking| !looking.is_finished()));
    for looking in mute {
        looking.abort();
    }
}
