//! The identity of the request that a payment is for: the same proof with another request is refused.

use std::fmt;

use receipt::hash::sha256;

/// The identity of a request that a payment is bound to. All parts are raw, as received: two requests that mean the
/// same but are spelled differently are two requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestIdentity<'a> {
    /// The method in capitals, such as `POST`.
    pub method: &'a str,
    /// The path, such as `/commit`.
    pub path: &'a str,
    /// The query without `?`; empty where there is none.
    pub query: &'a str,
    /// SHA-256 of the raw body.
    pub body_hash: [u8; 32],
}

impl<'a> RequestIdentity<'a> {
    /// Makes the identity of a request with this raw body.
    #[must_use]
    pub fn new(method: &'a str, path: &'a str, query: &'a str, body: &[u8]) -> Self {
        Self::of_hash(method, path, query, sha256(body))
    }

    /// Makes the identity of a request from the SHA-256 of its body.
    #[must_use]
    pub fn of_hash(method: &'a str, path: &'a str, query: &'a str, body_hash: [u8; 32]) -> Self {
        Self { method, path, query, body_hash }
    }

    /// Computes `SHA-256(METHOD LF path LF raw-query LF hex(SHA-256(raw body)))`.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let Self { method, path, query, body_hash } = self;
        let body_hash = hex::encode(body_hash);
        Fingerprint(sha256(format!("{method}\n{path}\n{query}\n{body_hash}").as_bytes()))
    }

    /// The path, followed by `?` and the query where it is not empty: the `target` of a statement of settlement.
    #[must_use]
    pub fn target(&self) -> String {
        let Self { path, query, .. } = self;
        if query.is_empty() { (*path).to_owned() } else { format!("{path}?{query}") }
    }
}

/// The SHA-256 that identifies a request to its payment.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The hash as 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_what_a_shell_makes_of_the_published_rule() {
        // body=$(printf hello | sha256sum | cut -d' ' -f1)
        // printf 'POST\n/commit\na=b\n%s' "$body" | sha256sum
        let request = RequestIdentity::new("POST", "/commit", "a=b", b"hello");
        assert_eq!(
            request.fingerprint().to_string(),
            "fcba47699bc912ec50cbfe28474cd367fd55a690ccd5eae99e883be3e2809573"
        );
    }

    #[test]
    fn another_body_path_method_or_query_is_another_request() {
        let requests = [
            RequestIdentity::new("POST", "/commit", "", b"{}"),
            RequestIdentity::new("POST", "/commit", "", b"{} "),
            RequestIdentity::new("POST", "/dispute", "", b"{}"),
            RequestIdentity::new("GET", "/commit", "", b"{}"),
            RequestIdentity::new("POST", "/commit", "a=b", b"{}"),
            RequestIdentity::new("POST", "/commit?a=b", "", b"{}"),
        ];
        for (at, request) in requests.iter().enumerate() {
            assert!(
                requests[..at].iter().all(|other| other.fingerprint() != request.fingerprint()),
                "{request:?}"
            );
        }
    }

    #[test]
    fn a_target_has_a_question_mark_only_before_a_query() {
        assert_eq!(RequestIdentity::new("GET", "/awards", "", b"").target(), "/awards");
        assert_eq!(RequestIdentity::new("GET", "/awards", "q=a", b"").target(), "/awards?q=a");
    }
}
