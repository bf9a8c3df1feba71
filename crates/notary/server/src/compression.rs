//! Compression of answers (RFC 9110, section 8.4): brotli and gzip, for clients that accept them.
//!
//! A document that stays the same is compressed once, well. Every other answer is compressed as it is sent, fast, and only up to
//! [`MAX_BYTES`]: compressing must not take longer than a millisecond on a thread that serves.

use std::io::Write as _;
use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderValue, Response, header};
use axum::response::IntoResponse as _;
use bytes::Bytes;
use flate2::write::GzEncoder;
use tower_http::CompressionLevel;
use tower_http::compression::{CompressionLayer, Predicate};

/// The size from which on an answer is compressed, in bytes. The headers of a shorter one outweigh what is saved.
const MIN_BYTES: u64 = 1024;
/// The largest answer that is compressed as it is sent, in bytes.
const MAX_BYTES: u64 = 128 << 10;
/// The quality of brotli for what is compressed once; above it the time grows faster than the size falls.
const BROTLI_QUALITY: i32 = 7;
/// The window of brotli, as a power of two: the largest that every browser takes.
const BROTLI_WINDOW: i32 = 22;

/// Makes the layer that compresses answers as they are sent.
pub(crate) fn layer() -> CompressionLayer<Compressible> {
    CompressionLayer::new()
        .no_deflate()
        .no_zstd()
        .quality(CompressionLevel::Fastest)
        .compress_when(Compressible)
}

/// The answers that are worth the time: texts of some length, and no stream of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compressible;

impl Predicate for Compressible {
    fn should_compress<B: axum::body::HttpBody>(&self, response: &Response<B>) -> bool {
        let is_sized =
            response.body().size_hint().exact().is_some_and(|size| (MIN_BYTES..=MAX_BYTES).contains(&size));
        is_sized && !response.headers().contains_key(header::CONTENT_ENCODING) && is_text(response.headers())
    }
}

fn is_text(headers: &HeaderMap) -> bool {
    let media_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default();
    media_type.starts_with("text/") || media_type.ends_with("json") || media_type.ends_with("+xml")
}

/// A document that stays the same, with its compressed forms, which are made when the first client accepts them.
#[derive(Debug)]
pub(crate) struct Lasting {
    plain: Bytes,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

impl Lasting {
    pub(crate) fn new(plain: impl Into<Bytes>) -> Self {
        Self { plain: plain.into(), brotli: OnceLock::new(), gzip: OnceLock::new() }
    }

    /// Makes an answer of the form that the request's headers accept.
    pub(crate) fn answer(&self, request: &HeaderMap) -> axum::response::Response {
        let (body, encoding) = self.form(request);
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    fn form(&self, request: &HeaderMap) -> (Bytes, Option<&'static str>) {
        if (self.plain.len() as u64) < MIN_BYTES {
            return (self.plain.clone(), None);
        }
        let accepts = |encoding| accepts(request, encoding);
        let (form, compress, encoding): (_, fn(&[u8]) -> Bytes, _) = if accepts("br") {
            (&self.brotli, brotli, "br")
        } else if accepts("gzip") {
            (&self.gzip, gzip, "gzip")
        } else {
            return (self.plain.clone(), None);
        };
        (form.get_or_init(|| compress(&self.plain)).clone(), Some(encoding))
    }
}

/// Returns true if `Accept-Encoding` names an encoding, and does not forbid it with a weight of 0.
fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    let accepted = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|list| list.split(',')).any(|element| {
        let (name, weight) = element.split_once(';').unwrap_or((element, ""));
        let weight = weight.trim().strip_prefix("q=").map(|weight| weight.trim_end_matches(['0', '.']));
        name.trim().eq_ignore_ascii_case(encoding) && weight != Some("")
    })
}

fn brotli(plain: &[u8]) -> Bytes {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        size_hint: plain.len(),
        ..Default::default()
    };
    let mut compressed = Vec::new();
    let written = brotli::BrotliCompress(&mut &plain[..], &mut compressed, &parameters);
    written.expect("writing to memory does not fail");
    compressed.into()
}

fn gzip(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    let compressed = encoder.write_all(plain).and_then(|()| encoder.finish());
    compressed.expect("writing to memory does not fail").into()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use axum::body::Body;
    use axum::http::Request;

    use crate::testing::{Answer, Service};

    async fn get(service: &Service, path: &str, accepted: &str) -> Answer {
        let request = Request::get(path).header("accept-encoding", accepted).header("accept", "text/html");
        service.send(request.body(Body::empty()).unwrap()).await
    }

    fn plain(answer: &Answer) -> Vec<u8> {
        let mut plain = Vec::new();
        match answer.header("content-encoding") {
            "gzip" => flate2::read::GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).unwrap(),
            "br" => brotli::Decompressor::new(&answer.body[..], 4096).read_to_end(&mut plain).unwrap(),
            other => panic!("`{other}`"),
        };
        plain
    }

    #[tokio::test]
    async fn a_long_answer_is_compressed_as_the_client_accepts_it_and_holds_the_same() {
        let service = Service::new();
        // A document that lasts, a page, a file, and an answer of its own.
        for path in ["/openapi.json", "/pricing", "/assets/verify.js", "/stats"] {
            let whole = service.get(path).await;
            for (accepted, encoding) in
                [("gzip, deflate, br", "br"), ("gzip;q=0.5", "gzip"), ("br;q=0.0,gzip", "gzip")]
            {
                let answer = get(&service, path, accepted).await;
                assert_eq!(answer.header("content-encoding"), encoding, "{path}, {accepted}");
                assert!(answer.header("vary").contains("accept-encoding"), "{path}");
                assert!(answer.body.len() < whole.body.len(), "{path}");
                if path != "/stats" {
                    assert!(plain(&answer) == whole.body, "{path}, {accepted}");
                }
            }
            for accepted in ["", "identity", "deflate", "br;q=0"] {
                assert_eq!(
                    get(&service, path, accepted).await.header("content-encoding"),
                    "",
                    "{path}, {accepted}"
                );
            }
        }
    }

    #[tokio::test]
    async fn a_short_answer_and_the_log_are_sent_as_they_are() {
        let service = Service::new();
        for path in ["/robots.txt", "/log/checkpoint", "/nothing"] {
            assert_eq!(get(&service, path, "br, gzip").await.header("content-encoding"), "", "{path}");
        }
    }
}
