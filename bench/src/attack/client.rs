//! A client with an address of its own: requests over connections whose source is any address of 127.0.0.0/8, which
//! Linux takes for its own. So one machine plays many networks.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::http;

/// The most bytes of an answer that are read.
const MAX_ANSWER_BYTES: usize = 8 << 20;

/// A request, whose long part may be shared with others.
#[derive(Clone, Debug)]
pub struct Request {
    /// The head, and the beginning of the body.
    first: Vec<u8>,
    /// The rest of the body.
    rest: Bytes,
}

impl Request {
    /// `GET target`.
    pub fn get(target: &str) -> Self {
        Self { first: http::get(target), rest: Bytes::new() }
    }

    /// `POST path` with a JSON body.
    pub fn post(path: &str, body: &str) -> Self {
        Self { first: http::post(path, body.as_bytes()), rest: Bytes::new() }
    }

    /// `POST path` with a body of two parts, of which the second is shared.
    pub fn post_shared(path: &str, start: &str, rest: Bytes) -> Self {
        let mut first = http::post_head(path, start.len() + rest.len());
        first.extend_from_slice(start.as_bytes());
        Self { first, rest }
    }

    /// The request with one more header.
    pub fn with_header(self, header: &str) -> Self {
        Self { first: http::with_header(&self.first, header), ..self }
    }

    /// Without the last bytes of its body, so that it is never whole.
    pub fn without_end(mut self, bytes: usize) -> Self {
        self.rest.truncate(self.rest.len().saturating_sub(bytes));
        self
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
    /// True if the answer came before the request was sent whole: the connection cannot be used again.
    is_early: bool,
}

impl Answer {
    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// A text of the answer's JSON.
    pub fn text(&self, name: &str) -> Option<String> {
        let value: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        Some(value.get(name)?.as_str()?.to_owned())
    }
}

/// The reason why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// No connection.
    Unconnected(io::Error),
    /// The connection ended, or what came is no answer.
    CutOff(String),
}

impl Failure {
    /// The word that it is counted under.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Unconnected(_) => "unconnected",
            Self::CutOff(_) => "cut off",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unconnected(error) => write!(f, "no connection: {error}"),
            Self::CutOff(detail) => write!(f, "the connection was cut off: {detail}"),
        }
    }
}

/// A connection from this address. A small receive buffer is for those who mean to leave answers unread.
pub async fn connect(from: Ipv4Addr, to: SocketAddr, receive_buffer: Option<u32>) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    // Ports of connections that have ended may be taken again.
    socket.set_reuseaddr(true)?;
    if let Some(bytes) = receive_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.bind(SocketAddr::from((from, 0)))?;
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One request on a connection of its own.
pub async fn ask_once(from: Ipv4Addr, to: SocketAddr, request: &Request) -> Result<Answer, Failure> {
    let mut stream = connect(from, to, None).await.map_err(Failure::Unconnected)?;
    exchange(&mut stream, request).await
}

/// One request on the connection that there is, or on a new one, which is kept while it is of use.
pub async fn ask(
    kept: &mut Option<TcpStream>,
    from: Ipv4Addr,
    to: SocketAddr,
    request: &Request,
) -> Result<Answer, Failure> {
    // Whoever is dropped in between leaves no half-read connection behind.
    let mut stream = match kept.take() {
        Some(stream) => stream,
        None => connect(from, to, None).await.map_err(Failure::Unconnected)?,
    };
    let answer = exchange(&mut stream, request).await?;
    let is_last = answer.is_early || answer.header("connection") == Some("close");
    *kept = (!is_last).then_some(stream);
    Ok(answer)
}

/// Sends a request and reads its answer, which may come before all was sent.
pub async fn exchange(stream: &mut TcpStream, request: &Request) -> Result<Answer, Failure> {
    let (mut reader, mut writer) = stream.split();
    let sending = async {
        writer.write_all(&request.first).await?;
        writer.write_all(&request.rest).await
    };
    let mut reading = std::pin::pin!(read_answer(&mut reader));
    tokio::select! {
        answer = &mut reading => return answer.map(|answer| Answer { is_early: true, ..answer }),
        // If the request could not be sent, there may be an answer that says why.
        _ = sending => {}
    }
    reading.await
}

/// Sends a request and waits for nothing.
pub async fn send(stream: &mut TcpStream, request: &Request) -> io::Result<()> {
    stream.write_all(&request.first).await?;
    stream.write_all(&request.rest).await
}

async fn read_answer(reader: &mut (impl tokio::io::AsyncRead + Unpin)) -> Result<Answer, Failure> {
    let cut_off = |detail: &dyn fmt::Display| Failure::CutOff(detail.to_string());
    let mut received = Vec::new();
    loop {
        if let Some(head) = http::head(&received).map_err(|error| cut_off(&error))?
            && head.end <= received.len()
        {
            let text = String::from_utf8_lossy(&received[..head.body_at]).into_owned();
            let body = received[head.body_at..head.end].to_vec();
            return Ok(Answer { status: head.status, head: text, body, is_early: false });
        }
        if received.len() > MAX_ANSWER_BYTES {
            return Err(cut_off(&"the answer does not end"));
        }
        match reader.read_buf(&mut received).await {
            Ok(0) => return Err(cut_off(&"it was closed")),
            Ok(_) => {}
            Err(error) => return Err(cut_off(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn a_client_comes_from_the_address_that_it_names() {
        runtime().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let served = tokio::spawn(async move {
                let (mut stream, peer) = listener.accept().await.unwrap();
                stream.write_all(b"HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
                peer.ip()
            });
            let from = Ipv4Addr::new(127, 9, 8, 7);
            let answer = ask_once(from, address, &Request::get("/")).await.unwrap();
            assert_eq!((answer.status, answer.header("x-a"), &*answer.body), (200, Some("b"), &b"{}"[..]));
            assert_eq!(served.await.unwrap(), from);
        });
    }

    #[test]
    fn a_connection_that_is_closed_or_not_taken_is_a_failure_and_no_panic() {
        runtime().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            tokio::spawn(async move { drop(listener.accept().await) });
            let from = Ipv4Addr::new(127, 9, 8, 7);
            let failure = ask_once(from, address, &Request::get("/")).await.unwrap_err();
            assert_eq!(failure.word(), "cut off");
            // The listener went with its task.
            let failure = ask_once(from, address, &Request::get("/")).await.unwrap_err();
            assert_eq!(failure.word(), "unconnected");
        });
    }

    #[test]
    fn a_request_that_lacks_its_end_still_announces_it() {
        let request = Request::post_shared("/x", "{", Bytes::from_static(b"12345}")).without_end(1);
        let sent = [&request.first[..], &request.rest[..]].concat();
        let text = String::from_utf8(sent).unwrap();
        assert!(text.contains("content-length: 7") && text.ends_with("{12345"), "{text}");
    }
}
