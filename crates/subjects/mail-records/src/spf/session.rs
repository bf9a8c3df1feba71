//! The sender that a check is about.

use std::net::IpAddr;

use dns::{Name, reverse_name};

/// Properties of the sender when a message comes in; macros refer to them (RFC 7208, 7.2).
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// The client's address. An IPv4-mapped IPv6 address is taken for the IPv4 address that it holds (5).
    pub ip: IpAddr,
    /// Name that the client gave in HELO or EHLO.
    pub helo: &'a str,
    /// The envelope's sender, `local@domain`; empty for a bounce, whose sender is `postmaster` at `helo` (2.4).
    pub mail_from: &'a str,
    /// The receiving host's name; macros in an explanation say `unknown` where it is empty.
    pub receiver: &'a str,
    /// Time of the check, in seconds since 1970.
    pub at: i64,
}

impl Session<'_> {
    /// The client's address, unmapped.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.ip.to_canonical()
    }

    /// Domain of the sender: the text after the last `@`, else all of it; `helo` for a bounce.
    #[must_use]
    pub fn domain(&self) -> &str {
        match self.mail_from.rsplit_once('@') {
            Some((_, domain)) => domain,
            None if self.mail_from.is_empty() => self.helo,
            None => self.mail_from,
        }
    }

    /// The sender's local part, `postmaster` where there is none (4.3).
    #[must_use]
    pub fn local(&self) -> &str {
        self.mail_from
            .rsplit_once('@')
            .map(|(local, _)| local)
            .filter(|local| !local.is_empty())
            .unwrap_or("postmaster")
    }

    /// The address as the macro `i` has it: dotted, IPv6 by nibbles.
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

    /// The name whose PTR records are the client's names.
    #[must_use]
    pub fn reverse(&self) -> Name {
        reverse_name(self.address())
    }
}
