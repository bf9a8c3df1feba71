//! The sender of a message, for whom a record is checked.

use std::net::IpAddr;

use dns::{Name, reverse_name};

/// The properties of the sender of a message, to which macros refer (RFC 7208, 7.2).
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// The address of the client. An IPv4-mapped IPv6 address counts as its IPv4 address (5).
    pub ip: IpAddr,
    /// The name that the client gave in HELO or EHLO.
    pub helo: &'a str,
    /// The sender of the envelope, `local@domain`. It is empty for a bounce, whose sender is `postmaster` at `helo`
    /// (2.4).
    pub mail_from: &'a str,
    /// The name of the receiving host. If it is empty, macros in an explanation have `unknown`.
    pub receiver: &'a str,
    /// The time of the check, in seconds since 1970-01-01T00:00:00Z.
    pub at: i64,
}

impl Session<'_> {
    /// The address of the client; an IPv4-mapped IPv6 address is converted.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.ip.to_canonical()
    }

    /// The domain of the sender: the text after the last `@`, or the whole text without one; `helo` for a bounce.
    #[must_use]
    pub fn domain(&self) -> &str {
        match self.mail_from.rsplit_once('@') {
            Some((_, domain)) => domain,
            None if self.mail_from.is_empty() => self.helo,
            None => self.mail_from,
        }
    }

    /// The local part of the sender, or `postmaster` where there is none (4.3).
    #[must_use]
    pub fn local(&self) -> &str {
        self.mail_from
            .rsplit_once('@')
            .map(|(local, _)| local)
            .filter(|local| !local.is_empty())
            .unwrap_or("postmaster")
    }

    /// The address as the macro `i` has it: dotted decimal for IPv4, dotted nibbles for IPv6.
    #[must_use]
    pub fn dotted(&self) -> String {
        match self.address() {
            IpAddr::V4(address) => address.to_string(),
            address @ IpAddr::V6(_) => {
                let name = reverse_name(address);
                let mut nibbles: Vec<&str> = name.labels().take(32).collect();
                nibbles.reverse();
                nibbles.join(".")
            }
        }
    }

    /// The name for looking up the client's PTR records.
    #[must_use]
    pub fn reverse(&self) -> Name {
        reverse_name(self.address())
    }
}
