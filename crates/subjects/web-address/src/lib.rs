//! Web addresses as a browser opens them (WHATWG URL), in the canonical form and the expressions of Safe Browsing
//! (version 4, "URLs and Hashing").
//!
//! # Where the two standards differ
//!
//! The text is first parsed as a browser parses it, and the result is then made canonical. So the host that is checked is
//! the host that would be opened:
//!
//! | text | WHATWG, and here | Safe Browsing alone |
//! |---|---|---|
//! | `http://a.com\@b.com/` | host `a.com`: a backslash ends the host | host `b.com` |
//! | `http://a%2ecom/` | percent-decoded once; host `a.com` | decoded until nothing is left |
//! | `http://a%2523.com/`, `http:// a.com/` | no browser opens it: [`AddressError::Host`] | host with `%23`, `%20` |
//! | `http://[::ffff:1.2.3.4]/` | the connection goes to `1.2.3.4`, which is the canonical host | not stated in version 4 |
//! | `/a%2Fb`, `/%2e%2e/`, `/%252e/` | sent as it is, except for dot segments that are encoded once | decoded until nothing is left |
//! | `/a\b` | the backslash is a slash | a backslash |
//!
//! The path and the query are unescaped until nothing is left, as Safe Browsing has it. That can make two paths of one host
//! the same, and never changes the host. A backslash, and a question mark in the path, that was percent-encoded is escaped
//! again, which Safe Browsing does not do: a canonical address would otherwise be another address when it is parsed again.
//!
//! # Invariants
//!
//! - No text panics, and no more than [`MAX_ADDRESS_BYTES`] are read.
//!
//! - A canonical address is its own canonical address.
//!
//! - A text with a scheme other than that of a web page is an address without a host, and not an error.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`WebAddress`] | an address, its parts as read and as written |
//! | [`AddressHost`] | the host: a domain name, an IP address, or a name that only browsers accept |
//! | [`AddressError`] | the reason why a text is not an address |
//! | [`canonical_rules`] | the text of the code, to hash |

mod address;
mod canonical;
mod written;

pub use address::{AddressError, AddressHost, MAX_ADDRESS_BYTES, WebAddress};

/// The text of the code that reads addresses, to hash: two versions that read one differently never have one hash.
#[must_use]
pub fn canonical_rules() -> String {
    [
        include_str!("address.rs"),
        include_str!("canonical.rs"),
        include_str!("lib.rs"),
        include_str!("written.rs"),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_hashed_text_has_every_file() {
        let rules = crate::canonical_rules();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("the crate has its source").map(Result::unwrap) {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    assert!(rules.contains(&fs::read_to_string(entry.path()).unwrap()), "{entry:?}");
                }
            }
        }
    }
}
