//! The name servers, and one question to one of them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::udp::UdpClientStream;
use hickory_resolver::net::xfer::{DnsRequestSender as _, FirstAnswer as _};
use hickory_resolver::proto::op::{DnsRequest, DnsRequestOptions, DnsResponse, Edns, Message, Query};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::Trouble;

/// The most servers that are asked, as in resolv.conf(5).
const MAX_SERVERS: usize = 4;
/// The largest answer over UDP that is asked for: it passes without being cut into fragments.
const MAX_UDP: u16 = 1232;
/// After so long without an answer a datagram is sent once more, and another server is asked as well.
const SECOND_TRY: Duration = Duration::from_millis(350);
/// The longest for one question to one server.
const PATIENCE: Duration = Duration::from_millis(1200);

/// The name servers that were configured.
pub(super) struct Servers {
    servers: Vec<SocketAddr>,
    /// The one that answered last.
    preferred: AtomicUsize,
}

impl Servers {
    pub(super) fn new(servers: impl IntoIterator<Item = SocketAddr>) -> Arc<Self> {
        let servers = servers.into_iter().take(MAX_SERVERS).collect();
        Arc::new(Self { servers, preferred: AtomicUsize::new(0) })
    }

    /// The one that is asked first.
    pub(super) fn preferred(&self) -> Option<SocketAddr> {
        self.servers.get(self.preferred.load(Ordering::Relaxed)).copied()
    }

    /// Asks one server after the other, each a little later, until one answers. None is to check what it says (CD=1).
    pub(super) async fn ask(&self, question: &Query) -> Result<DnsResponse, Trouble> {
        let first = self.preferred.load(Ordering::Relaxed);
        let order = (0..self.servers.len()).map(|nth| (first + nth) % self.servers.len());
        let mut attempts: FuturesUnordered<_> = order
            .zip(0_u32..)
            .map(|(index, nth)| async move {
                sleep(SECOND_TRY * nth).await;
                (index, self.ask_one(self.servers[index], question, Checking::Disabled).await)
            })
            .collect();
        let mut trouble = Trouble::Unreachable;
        while let Some((index, outcome)) = attempts.next().await {
            match outcome {
                Ok(answer) => {
                    self.preferred.store(index, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(own) => trouble = own,
            }
        }
        Err(trouble)
    }

    /// Asks one server, over UDP, and over TCP where the answer is truncated. Any response code is an answer.
    pub(super) async fn ask_one(
        &self,
        server: SocketAddr,
        question: &Query,
        checking: Checking,
    ) -> Result<DnsResponse, Trouble> {
        let asked = async {
            let message = message(question, checking);
            let answer = over_udp(server, message.clone()).await?;
            if !answer.metadata.truncation {
                return Ok(answer);
            }
            over_tcp(server, &message).await
        };
        timeout(PATIENCE, asked).await.map_err(|_| Trouble::TimedOut)?
    }
}

/// Whether a resolver is to check what it answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Checking {
    /// CD=0.
    Enabled,
    /// CD=1.
    Disabled,
}

fn message(question: &Query, checking: Checking) -> Message {
    let mut message = Message::query();
    message.metadata.recursion_desired = true;
    message.metadata.checking_disabled = checking == Checking::Disabled;
    message.add_query(question.clone());
    let mut edns = Edns::new();
    edns.set_max_payload(MAX_UDP).set_dnssec_ok(true);
    message.set_edns(edns);
    message
}

async fn over_udp(server: SocketAddr, message: Message) -> Result<DnsResponse, Trouble> {
    let mut stream = UdpClientStream::builder(server, TokioRuntimeProvider::default())
        .with_timeout(Some(PATIENCE))
        .with_max_retries(2)
        .build();
    let mut options = DnsRequestOptions::default();
    options.retry_interval = SECOND_TRY;
    let asked = stream.send_message(DnsRequest::new(message, options)).first_answer().await;
    asked.map_err(|error| trouble(&error))
}

async fn over_tcp(server: SocketAddr, message: &Message) -> Result<DnsResponse, Trouble> {
    let question = message.to_vec().map_err(|_| Trouble::Unusable)?;
    let bytes = exchange(server, &question).await.map_err(|_| Trouble::Unusable)?;
    let answer = DnsResponse::from_buffer(bytes).map_err(|_| Trouble::Unusable)?;
    let fits = answer.metadata.id == message.metadata.id
        && answer.queries == message.queries
        && !answer.metadata.truncation;
    if fits { Ok(answer) } else { Err(Trouble::Unusable) }
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

/// What a fetch's failure is.
pub(super) fn trouble(error: &NetError) -> Trouble {
    match error {
        NetError::Timeout => Trouble::TimedOut,
        NetError::Busy | NetError::NoConnections | NetError::Io(_) => Trouble::Unreachable,
        _ => Trouble::Unusable,
    }
}
