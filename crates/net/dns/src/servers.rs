//! A pool of name servers, and a question to one of them. The answer is returned unchanged.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::udp::UdpClientStream;
use hickory_resolver::net::xfer::{DnsRequestSender as _, FirstAnswer as _};
use hickory_resolver::proto::op::{DnsRequest, DnsRequestOptions, DnsResponse, Edns, Message, Query};
use hickory_resolver::system_conf::read_system_conf;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::Failure;

/// The most servers that are asked, as in resolv.conf(5).
pub(crate) const MAX_SERVERS: usize = 4;
/// The largest UDP answer that a question asks for, in bytes: it passes without fragmentation.
const MAX_UDP: u16 = 1232;
/// After so long without an answer a datagram is sent once more, and another server is asked as well.
const SECOND_TRY: Duration = Duration::from_millis(350);
/// The longest for one question to one server.
const PATIENCE: Duration = Duration::from_millis(1200);

/// A pool of configured name servers.
pub struct ServerPool {
    servers: Vec<SocketAddr>,
    /// The one that answered last.
    preferred: AtomicUsize,
}

impl ServerPool {
    /// Makes a pool of these servers, in this order. Servers after the fourth are ignored.
    pub fn new(servers: impl IntoIterator<Item = SocketAddr>) -> Arc<Self> {
        let servers = servers.into_iter().take(MAX_SERVERS).collect();
        Arc::new(Self { servers, preferred: AtomicUsize::new(0) })
    }

    /// The addresses of all servers, in the given order.
    pub fn all(&self) -> &[SocketAddr] {
        &self.servers
    }

    /// The server that is asked first; `None` where there is none.
    pub fn preferred(&self) -> Option<SocketAddr> {
        self.servers.get(self.preferred.load(Ordering::Relaxed)).copied()
    }

    /// Asks the servers one after the other, each a little later than the one before, until one answers. Returns the
    /// answer and the server's address.
    pub fn ask<'a>(
        &'a self,
        question: &'a Query,
        manner: QueryMode,
    ) -> BoxFuture<'a, Result<(SocketAddr, DnsResponse), Failure>> {
        async move {
            let first = self.preferred.load(Ordering::Relaxed);
            let order = (0..self.servers.len()).map(|nth| (first + nth) % self.servers.len());
            let mut attempts: FuturesUnordered<_> = order
                .zip(0_u32..)
                .map(|(index, nth)| async move {
                    sleep(SECOND_TRY * nth).await;
                    (index, self.ask_one(self.servers[index], question, manner).await)
                })
                .collect();
            let mut failure = Failure::Unreachable;
            while let Some((index, outcome)) = attempts.next().await {
                match outcome {
                    Ok(answer) => {
                        self.preferred.store(index, Ordering::Relaxed);
                        return Ok((self.servers[index], answer));
                    }
                    Err(own) => failure = own,
                }
            }
            Err(failure)
        }
        .boxed()
    }

    /// Asks one server over UDP, and over TCP where the answer is truncated. A response with any response code counts
    /// as an answer.
    pub fn ask_one<'a>(
        &'a self,
        server: SocketAddr,
        question: &'a Query,
        manner: QueryMode,
    ) -> BoxFuture<'a, Result<DnsResponse, Failure>> {
        async move {
            let asked = async {
                let message = message(question, manner);
                let answer = over_udp(server, message.clone()).await?;
                if !answer.metadata.truncation {
                    return Ok(answer);
                }
                over_tcp(server, &message).await
            };
            timeout(PATIENCE, asked).await.map_err(|_| Failure::TimedOut)?
        }
        .boxed()
    }
}

/// The DNSSEC flags of a question (RFC 3225, RFC 4035).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryMode {
    /// No flags: the server may validate signatures, and its answer does not contain them.
    Plain,
    /// DO=1, CD=0: the server validates signatures, and its answer contains them.
    Checked,
    /// DO=1, CD=1: the server validates nothing, and its answer contains the signatures.
    Unchecked,
}

fn message(question: &Query, manner: QueryMode) -> Message {
    let mut message = Message::query();
    message.metadata.recursion_desired = true;
    message.metadata.checking_disabled = manner == QueryMode::Unchecked;
    message.add_query(question.clone());
    let mut edns = Edns::new();
    edns.set_max_payload(MAX_UDP).set_dnssec_ok(manner != QueryMode::Plain);
    message.set_edns(edns);
    message
}

async fn over_udp(server: SocketAddr, message: Message) -> Result<DnsResponse, Failure> {
    let mut stream = UdpClientStream::builder(server, TokioRuntimeProvider::default())
        .with_timeout(Some(PATIENCE))
        .with_max_retries(2)
        .build();
    let mut options = DnsRequestOptions::default();
    options.retry_interval = SECOND_TRY;
    let asked = stream.send_message(DnsRequest::new(message, options)).first_answer().await;
    asked.map_err(|error| failure(&error))
}

async fn over_tcp(server: SocketAddr, message: &Message) -> Result<DnsResponse, Failure> {
    let question = message.to_vec().map_err(|_| Failure::Unusable)?;
    let bytes = exchange(server, &question).await.map_err(|_| Failure::Unusable)?;
    let answer = DnsResponse::from_buffer(bytes).map_err(|_| Failure::Unusable)?;
    let fits = answer.metadata.id == message.metadata.id
        && answer.queries == message.queries
        && !answer.metadata.truncation;
    if fits { Ok(answer) } else { Err(Failure::Unusable) }
}

async fn exchange(server: SocketAddr, question: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(question.len()).map_err(io::Error::other)?;
    let mut framed = length.to_be_bytes().to_vec();
    framed.extend_from_slice(question);
    stream.write_all(&framed).await?;
    let mut bytes = vec![0; usize::from(stream.read_u16().await?)];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// The failure that an error of hickory stands for.
fn failure(error: &NetError) -> Failure {
    match error {
        NetError::Timeout => Failure::TimedOut,
        NetError::Busy | NetError::NoConnections | NetError::Io(_) => Failure::Unreachable,
        _ => Failure::Unusable,
    }
}

/// The name servers of the system's configuration. Without a configuration it is the one on this machine, as
/// resolv.conf(5) says; a public name server is never used unless it is configured.
pub fn system_servers() -> Vec<SocketAddr> {
    let system = read_system_conf().map(|(config, _)| config);
    let servers: Vec<SocketAddr> = system
        .iter()
        .flat_map(|config| config.name_servers())
        .map(|server| SocketAddr::new(server.ip, server.connections.first().map_or(53, |own| own.port)))
        .collect();
    if servers.is_empty() { vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 53))] } else { servers }
}
