//! Questions to the lab's servers, as simple as they can be asked.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use hickory_resolver::proto::op::{Edns, Message, MessageType, OpCode, Query};
use hickory_resolver::proto::rr::rdata::opt::{EdnsCode, EdnsOption};
use hickory_resolver::proto::rr::{Name, RecordType};

/// Longer than any server of the lab takes, unless it means to say nothing.
const PATIENCE: Duration = Duration::from_secs(5);

/// One question of a stub resolver that wants signatures (DO), over UDP and, where that is truncated, TCP.
///
/// # Errors
/// No answer comes.
pub fn ask(server: SocketAddr, name: &str, kind: RecordType) -> io::Result<Message> {
    ask_as(server, name, kind, false)
}

/// The same, with the flag CD: the resolver shall not check.
///
/// # Errors
/// No answer comes.
pub fn ask_unchecked(server: SocketAddr, name: &str, kind: RecordType) -> io::Result<Message> {
    ask_as(server, name, kind, true)
}

fn ask_as(server: SocketAddr, name: &str, kind: RecordType, checking_disabled: bool) -> io::Result<Message> {
    let mut message = Message::new(0x1ab, MessageType::Query, OpCode::Query);
    message.metadata.recursion_desired = true;
    message.metadata.checking_disabled = checking_disabled;
    let mut name = Name::from_ascii(name).map_err(io::Error::other)?;
    name.set_fqdn(true);
    message.add_query(Query::query(name, kind));
    let mut edns = Edns::new();
    edns.set_max_payload(1232).set_dnssec_ok(true);
    message.set_edns(edns);
    let question = message.to_vec().map_err(io::Error::other)?;
    let answer = over_udp(server, &question)?;
    if answer.metadata.truncation { over_tcp(server, &question) } else { Ok(answer) }
}

fn over_udp(server: SocketAddr, question: &[u8]) -> io::Result<Message> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.connect(server)?;
    socket.send(question)?;
    let mut bytes = vec![0; 4096];
    let length = socket.recv(&mut bytes)?;
    Message::from_vec(&bytes[..length]).map_err(io::Error::other)
}

fn over_tcp(server: SocketAddr, question: &[u8]) -> io::Result<Message> {
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&u16::try_from(question.len()).map_err(io::Error::other)?.to_be_bytes())?;
    stream.write_all(question)?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut bytes = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut bytes)?;
    Message::from_vec(&bytes).map_err(io::Error::other)
}

/// The codes of the extended errors (RFC 8914) that an answer carries.
#[must_use]
pub fn extended_errors(answer: &Message) -> Vec<u16> {
    const EXTENDED_ERROR: u16 = 15;
    let options = answer.edns.iter().flat_map(|edns| edns.options().options.iter());
    let code = |(code, option): &(EdnsCode, EdnsOption)| match option {
        EdnsOption::Unknown(_, data) if u16::from(*code) == EXTENDED_ERROR => {
            Some(u16::from_be_bytes([*data.first()?, *data.get(1)?]))
        }
        _ => None,
    };
    options.filter_map(code).collect()
}
