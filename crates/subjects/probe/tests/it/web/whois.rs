//! WHOIS servers that answer, and those that should not be believed.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use domain_name::DomainName;
use fetch::{Policy, Ports};
use probe::whois::{
    KnownCreation, MAX_BYTES, MAX_KEPT_BYTES, PORT, Whois, WhoisObservation, WhoisResult, policy,
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::registry::now;
use super::support::{Authority, HANG, closed};

/// An answer to a query; `None` for none until the client goes away.
type Script = fn(&str) -> Option<Vec<u8>>;

struct Server {
    port: u16,
    queries: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let queries = Arc::new(Mutex::new(Vec::new()));
        let kept = queries.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = kept.clone();
                tokio::spawn(async move {
                    let (mut stream, mut query) = (BufReader::new(stream), String::new());
                    stream.read_line(&mut query).await.ok()?;
                    kept.lock().unwrap().push(query.clone());
                    match script(query.trim()) {
                        Some(answer) => stream.write_all(&answer).await.ok()?,
                        None => drop(stream.read_u8().await),
                    }
                    stream.shutdown().await.ok()
                });
            }
        });
        Self { port, queries }
    }

    fn client(&self) -> Whois {
        client(self.port)
    }

    fn queries(&self) -> Vec<String> {
        self.queries.lock().unwrap().clone()
    }
}

/// A client whose servers are all at this port.
fn client(port: u16) -> Whois {
    let servers = [("", "iana.example.com"), ("ru", "whois.example.com"), ("de", "none.example.com")];
    let servers = servers.map(|(top, server)| (top.to_owned(), server.to_owned()));
    Whois::new(Authority::new().fetcher(), port).with_servers(servers)
}

async fn look(whois: &Whois, name: &str) -> WhoisObservation {
    let name = DomainName::parse(name).unwrap();
    let seen = tokio::time::timeout(HANG, whois.look(&name, now())).await.expect("the query hangs");
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<WhoisObservation>(&json).unwrap(), seen);
    seen
}

async fn created(script: Script) -> KnownCreation {
    look(&Server::start(script).await.client(), "example.ru").await.created()
}

#[tokio::test]
async fn a_registration_is_asked_for_once_and_its_date_is_read() {
    let server =
        Server::start(|query| Some(format!("domain: {query}\ncreated: 2009-03-04T05:06:07Z\n").into_bytes()))
            .await;
    let whois = server.client();
    let seen = look(&whois, "example.ru").await;
    assert_eq!(seen.created(), KnownCreation::At("2009-03-04T05:06:07.000Z".parse().unwrap()));
    assert_eq!(look(&whois, "example.ru").await, seen);
    assert_eq!(server.queries(), ["example.ru\r\n"]);
}

#[tokio::test]
async fn the_server_of_another_top_level_domain_is_asked_for_once() {
    let server = Server::start(|query| {
        let answer = match query {
            "zz" => "refer: whois.example.com\n\ndomain: ZZ\n".to_owned(),
            "xx" => "domain: XX\nstatus: ACTIVE\n".to_owned(),
            "yy" => "too many queries\n".to_owned(),
            name => format!("Domain Name: {name}\nCreation Date: 2009-03-04\n"),
        };
        Some(answer.into_bytes())
    })
    .await;
    let whois = server.client();
    for name in ["a.zz", "b.zz"] {
        assert!(matches!(look(&whois, name).await.created(), KnownCreation::At(_)), "{name}");
    }
    assert_eq!(server.queries(), ["zz\r\n", "a.zz\r\n", "b.zz\r\n"]);
    assert_eq!(look(&whois, "a.xx").await.end, WhoisResult::NoServer);
    let refused = look(&whois, "a.yy").await;
    assert!(matches!(refused.end, WhoisResult::Failed { .. }), "a refusal does not show that there is none");
}

#[tokio::test]
async fn what_is_no_answer_about_the_domain_leaves_the_date_unknown() {
    let unknown = KnownCreation::Unknown;
    assert_eq!(created(|_| None).await, unknown("timeout"));
    assert_eq!(created(|_| Some(Vec::new())).await, unknown("no_record"));
    assert_eq!(created(|_| Some(b"Query limit exceeded\n".to_vec())).await, unknown("no_record"));
    assert_eq!(created(|_| Some(b"created: 2009-01-01\n".to_vec())).await, unknown("no_record"));
    let other = |_: &str| Some(b"domain: other.ru\ncreated: 2009-01-01\n".to_vec());
    assert_eq!(created(other).await, unknown("another_domain"));
    let undated = |_: &str| Some(b"domain: example.ru\nstate: REGISTERED\n".to_vec());
    assert_eq!(created(undated).await, unknown("no_creation_date"));
    let future = |_: &str| Some(b"domain: example.ru\ncreated: 2027-01-01\n".to_vec());
    assert_eq!(created(future).await, unknown("future_creation_date"));
    assert_eq!(look(&client(closed().await), "example.ru").await.created(), unknown("connection_refused"));
    assert_eq!(look(&client(closed().await), "example.de").await.created(), unknown("no_address"));
}

#[tokio::test]
async fn a_long_answer_is_cut_and_tells_nothing() {
    let at_bound: Script = |_| Some(padded(MAX_KEPT_BYTES));
    let (longer, endless): (Script, Script) =
        (|_| Some(padded(MAX_KEPT_BYTES + 1)), |_| Some(padded(64 * MAX_BYTES)));
    assert!(matches!(created(at_bound).await, KnownCreation::At(_)));
    for script in [longer, endless] {
        assert_eq!(created(script).await, KnownCreation::Unknown("too_large"));
    }
}

/// A sound answer with empty lines up to so many bytes.
fn padded(bytes: usize) -> Vec<u8> {
    let mut answer = b"domain: example.ru\ncreated: 2009-01-01\n".to_vec();
    answer.resize(bytes, b'\n');
    answer
}

#[test]
fn only_the_port_of_whois_is_opened_and_addresses_stay_guarded() {
    let opened = policy(Policy::production());
    assert_eq!(opened, Policy { ports: Ports::Only([PORT].into()), ..Policy::production() });
    assert_eq!(policy(Policy::dev()), Policy::dev());
}
