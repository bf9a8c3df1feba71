//! Host names that are never looked up.
//!
//! A name without a dot, and a name below a domain that the public DNS does not serve, can be answered only by a local
//! mechanism: a search list, multicast DNS, or a resolver with a view of a private network.

/// Top-level domains that never lead to a public host.
///
/// `arpa` stands for its special-use children as well (`home.arpa`, `ipv4only.arpa`, `resolver.arpa`,
/// `service.arpa` and the reverse trees). `example.com` and its kin are in the registry too, but they
/// exist, and RFC 6761 section 6.5 asks nothing special for them.
const SPECIAL: &[&str] = &[
    // IANA Special-Use Domain Names registry.
    "alt",       // RFC 9476
    "arpa",      // RFC 3172
    "example",   // RFC 6761 section 6.5
    "invalid",   // RFC 6761 section 6.4
    "local",     // RFC 6762
    "localhost", // RFC 6761 section 6.3
    "onion",     // RFC 7686
    "test",      // RFC 6761 section 6.2
    // Reserved by ICANN for private use (board resolution 2024.07.29.06).
    "internal",
    // Private use by RFC 6762 appendix G; ICANN has deferred `corp` and `home` indefinitely (2018.02.04.12).
    "corp",
    "home",
    "intranet",
    "lan",
    "private",
];

/// Returns true if `host` (a parsed domain, lower case) is `localhost` or below it.
pub(crate) fn is_localhost(host: &str) -> bool {
    top(host) == "localhost"
}

/// Returns true if `host` (a parsed domain, lower case) can be a name of the public DNS.
#[must_use]
pub fn is_public(host: &str) -> bool {
    host.trim_end_matches('.').contains('.') && !SPECIAL.contains(&top(host))
}

/// The last label. Dots after it are no labels: whoever looks up `localhost..` may well drop them.
fn top(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    host.rsplit('.').next().unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::{SPECIAL, is_localhost, is_public};

    #[test]
    fn names_of_the_public_dns_pass() {
        for host in
            ["example.com", "local.example.com", "localhost.dev.br", "notlocal.io", "xn--6qqa088eba.com"]
        {
            assert!(is_public(host), "{host}");
        }
    }

    #[test]
    fn special_use_names_and_names_of_one_label_do_not() {
        for host in [
            "printer.local",
            "metadata.google.internal",
            "a.home.arpa",
            "x.onion",
            "foo",
            "metadata",
            "",
            ".",
            "foo..",
            "a.localhost..",
        ] {
            assert!(!is_public(host), "{host}");
        }
        for special in SPECIAL {
            assert!(!is_public(special) && !is_public(&format!("a.b.{special}")), "{special}");
        }
    }

    #[test]
    fn localhost_is_the_last_label() {
        assert!(is_localhost("localhost") && is_localhost("a.b.localhost") && is_localhost("localhost.."));
        assert!(!is_localhost("localhost.com") && !is_localhost("mylocalhost"));
    }
}
