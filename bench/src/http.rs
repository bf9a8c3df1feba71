//! As much of HTTP/1.1 as a client needs that knows its server: pre-built requests, answers with a length.

use anyhow::{Context as _, bail};
use memchr::memmem;

/// `GET path`.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nuser-agent: bench\r\naccept: */*\r\n\r\n").into_bytes()
}

/// `POST path` with a JSON body.
pub fn post(path: &str, body: &[u8]) -> Vec<u8> {
    [&post_head(path, body.len()), body].concat()
}

/// `POST path` with a JSON body, which a proxy says to be from this address.
pub fn post_from(path: &str, from: &str, body: &[u8]) -> Vec<u8> {
    with_header(&post(path, body), &format!("x-forwarded-for: {from}"))
}

/// The head of `POST path` with a JSON body of so many bytes.
pub fn post_head(path: &str, bytes: usize) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nuser-agent: bench\r\naccept: */*\r\n\
         content-type: application/json\r\ncontent-length: {bytes}\r\n\r\n"
    )
    .into_bytes()
}

/// A request with one more header.
pub fn with_header(request: &[u8], header: &str) -> Vec<u8> {
    let line = request.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    [&request[..line], header.as_bytes(), b"\r\n", &request[line..]].concat()
}

/// The head of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// The offset at which the body begins.
    pub body_at: usize,
    /// The offset at which the answer ends.
    pub end: usize,
}

/// The most bytes of a head; a longer one is not waited for.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The head of the answer that `bytes` begin with; `None` where it has not arrived whole.
///
/// # Errors
/// It is not HTTP/1.1, or has no `Content-Length`.
pub fn head(bytes: &[u8]) -> anyhow::Result<Option<Head>> {
    let Some(blank) = memmem::find(bytes, b"\r\n\r\n") else {
        if bytes.len() > MAX_HEAD_BYTES {
            bail!("the head of an answer does not end");
        }
        return Ok(None);
    };
    let text = std::str::from_utf8(&bytes[..blank]).context("the head of an answer is not text")?;
    let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.with_context(|| format!("not an answer of HTTP/1.1: {text:?}"))?;
    let length = content_length(text).with_context(|| format!("an answer without a length: {text:?}"))?;
    let body_at = blank + 4;
    Ok(Some(Head { status, body_at, end: body_at + length }))
}

fn content_length(head: &str) -> Option<usize> {
    // The server writes names in lower case; others are read the slow way.
    const NAME: &str = "\r\ncontent-length: ";
    if let Some(at) = memmem::find(head.as_bytes(), NAME.as_bytes()) {
        return head[at + NAME.len()..].split('\r').next()?.parse().ok();
    }
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello";
        let expected = Head { status: 200, body_at: bytes.len() - 5, end: bytes.len() };
        assert_eq!(head(bytes).unwrap(), Some(expected));
        assert_eq!(head(&bytes[..40]).unwrap(), None);
        assert_eq!(head(b"HTTP/1.1 404 Not Found\r\nContent-Length:0\r\n\r\n").unwrap().unwrap().status, 404);
    }

    #[test]
    fn an_answer_without_a_length_is_refused() {
        assert!(head(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
        assert!(head(b"SSH-2.0-x\r\n\r\n").is_err());
    }
}
