//! HTTP/1.1 by hand: a client that can also send what no client should.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};

use serde_json::Value;

use super::HANG;

/// The most bytes of an answer's head that are read.
const MAX_HEAD: usize = 1 << 20;

/// A request before it becomes bytes.
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Request {
    pub fn new(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), headers: Vec::new(), body: None }
    }

    pub fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A POST of any bytes, said to be JSON.
    pub fn post(target: &str, body: impl AsRef<[u8]>) -> Self {
        Self::new("POST", target).header("Content-Type", "application/json").body(body)
    }

    pub fn json(target: &str, body: &Value) -> Self {
        Self::post(target, body.to_string())
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = Some(body.as_ref().to_vec());
        self
    }

    /// The bytes, with a length where there is a body.
    pub fn bytes(&self) -> Vec<u8> {
        let length = self.body.as_ref().map(|body| format!("Content-Length: {}\r\n", body.len()));
        self.assemble(&length.unwrap_or_default(), self.body.as_deref().unwrap_or_default())
    }

    /// The bytes with the body in chunks of this size, so that its length is not announced.
    pub fn chunked(&self, size: usize) -> Vec<u8> {
        let mut chunks = Vec::new();
        for chunk in self.body.as_deref().unwrap_or_default().chunks(size) {
            chunks.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            chunks.extend_from_slice(chunk);
            chunks.extend_from_slice(b"\r\n");
        }
        chunks.extend_from_slice(b"0\r\n\r\n");
        self.assemble("Transfer-Encoding: chunked\r\n", &chunks)
    }

    fn assemble(&self, length: &str, body: &[u8]) -> Vec<u8> {
        let Self { method, target, headers, .. } = self;
        let has_host = headers.iter().any(|(name, _)| name == "Host");
        let host = if has_host { "" } else { "Host: notary.test\r\n" };
        let mut head = format!("{method} {target} HTTP/1.1\r\n{host}");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = format!("{head}{length}\r\n").into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }
}

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header that stands there once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is given twice: {self:?}");
        value
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap_or_else(|_| panic!("not UTF-8: {self:?}"))
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The same, where the status is this one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    /// The body of an RFC 9457 problem document of this status.
    #[track_caller]
    pub fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["status"], status);
        for member in ["type", "title", "detail"] {
            assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {problem}");
        }
        assert_eq!(problem["request_id"].as_str(), self.header("x-request-id"), "{problem}");
        problem
    }

    /// That a 400 names this field, for this reason.
    #[track_caller]
    pub fn names(&self, field: &str, reason: &str) {
        let problem = self.problem(400);
        assert_eq!(
            (problem["field"].as_str(), problem["reason"].as_str()),
            (Some(field), Some(reason)),
            "{problem}"
        );
        assert!(problem["pointer"].is_string(), "{problem}");
    }
}

/// One connection; it stays open for as long as the server keeps it.
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    /// From an address of this machine's: all of 127.0.0.0/8 are.
    pub fn open_from(source: IpAddr, address: SocketAddr) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4()?;
            socket.bind(SocketAddr::new(source, 0))?;
            socket.connect(address).await?.into_std()
        })?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(HANG))?;
        stream.set_write_timeout(Some(HANG))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// The same connection for a second thread to write to.
    pub fn writer(&self) -> Self {
        Self(BufReader::new(self.0.get_ref().try_clone().unwrap()))
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) {
        // The other end may have closed already, which says the same.
        let _ = self.0.get_mut().shutdown(Shutdown::Write);
    }

    pub fn exchange(&mut self, request: &Request) -> Answer {
        self.send(&request.bytes()).unwrap();
        self.answer(&request.method).unwrap()
    }

    /// Reads the answer to a request of this method. An answer before the last (1xx) is passed over.
    pub fn answer(&mut self, method: &str) -> io::Result<Answer> {
        loop {
            let (status, headers) = self.head()?;
            if (100..200).contains(&status) {
                continue;
            }
            let has_body = method != "HEAD" && !matches!(status, 204 | 304);
            let body = if has_body { self.body(&headers)? } else { Vec::new() };
            return Ok(Answer { status, headers, body });
        }
    }

    /// Reads an answer before the last, which must be 100.
    pub fn wait_for_continue(&mut self) {
        assert_eq!(self.head().unwrap().0, 100);
    }

    /// Reads until the server closes; what came is not looked at.
    pub fn wait_for_the_end(&mut self) -> io::Result<()> {
        match io::copy(&mut self.0, &mut io::sink()) {
            // A reset is an end too.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(()),
            other => other.map(|_| ()),
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.0.by_ref().take(MAX_HEAD as u64).read_until(b'\n', &mut line)?;
        match line.strip_suffix(b"\r\n") {
            Some(line) => Ok(String::from_utf8_lossy(line).into_owned()),
            None => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "no whole line")),
        }
    }

    fn head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status line: {line:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            let (name, value) = line.split_once(':').ok_or_else(|| io::Error::other(line.clone()))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    fn body(&mut self, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
        let header = |name: &str| headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let mut body = Vec::new();
        if let Some((_, length)) = header("content-length") {
            body.resize(length.parse().map_err(io::Error::other)?, 0);
            self.0.read_exact(&mut body)?;
        } else if header("transfer-encoding").is_some() {
            loop {
                let size = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
                let mut chunk = vec![0; size + 2];
                self.0.read_exact(&mut chunk)?;
                body.extend_from_slice(&chunk[..size]);
                if size == 0 {
                    return Ok(body);
                }
            }
        } else {
            self.0.read_to_end(&mut body)?;
        }
        Ok(body)
    }
}
