//! The client of a call: its address, read through configured proxies.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use capacity::ComputeClient;
use client_network::ClientNetwork;
use ipnet::IpNet;
use listen::Peer;

use crate::app::App;

/// A client's address, with the networks by which limits count it.
#[derive(Clone, Debug)]
pub struct Client {
    address: IpAddr,
    network: ClientNetwork,
}

impl Client {
    fn new(address: IpAddr) -> Self {
        Self { address, network: ClientNetwork::of(address) }
    }

    /// Returns the address of the client.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Returns the client's networks, by which limits count it.
    #[must_use]
    pub fn network(&self) -> ClientNetwork {
        self.network
    }

    /// The client as the scheduler knows it, as long as it has not paid.
    pub(crate) fn party(&self) -> ComputeClient {
        ComputeClient { network: self.network, is_paid: false, has_priority: false }
    }
}

impl FromRequestParts<Arc<App>> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let peer =
            parts.extensions.get::<Peer>().map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.0.ip());
        Ok(Self::new(behind_proxies(peer, &parts.headers, &app.proxies)))
    }
}

/// Walks `X-Forwarded-For` from the right for as long as the address is a configured proxy's: what stands
/// further left was written by somebody that nobody vouches for.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|net| net.contains(&address.to_canonical()));
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    let mut client = peer;
    for hop in hops.iter().rev() {
        if !is_proxy(client) {
            break;
        }
        let Some(address) = forwarded_address(hop) else { break };
        client = address;
    }
    client
}

/// The address in an entry of `X-Forwarded-For`. No standard has the header: besides plain addresses, proxies write ports
/// behind them (`192.0.2.7:1234`, `[2001:db8::1]:443`) and IPv6 in brackets.
fn forwarded_address(entry: &str) -> Option<IpAddr> {
    let in_brackets = || entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || entry.parse::<SocketAddr>().ok().map(|address| address.ip());
    entry.parse().ok().or_else(with_port).or_else(in_brackets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str], proxies: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let proxies: Vec<IpNet> = proxies.iter().map(|net| net.parse().unwrap()).collect();
        behind_proxies(peer.parse().unwrap(), &headers, &proxies).to_string()
    }

    #[test]
    fn forwarded_addresses_count_only_from_configured_proxies() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"], &[]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &["198.51.100.1"], &["10.0.0.0/8"]), "198.51.100.1");
        assert_eq!(
            client("10.0.0.1", &["1.1.1.1, 198.51.100.1", "10.0.0.2"], &["10.0.0.0/8"]),
            "198.51.100.1"
        );
        assert_eq!(client("10.0.0.1", &["198.51.100.1, junk"], &["10.0.0.0/8"]), "10.0.0.1");
    }

    #[test]
    fn an_entry_may_have_a_port_or_brackets() {
        for (entry, address) in [
            ("203.0.113.7:1234", "203.0.113.7"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
        ] {
            assert_eq!(client("10.0.0.1", &[entry], &["10.0.0.0/8"]), address);
            let through_two = format!("198.51.100.1, {entry}, 10.0.0.2:80");
            assert_eq!(client("10.0.0.1", &[&through_two], &["10.0.0.0/8"]), address);
        }
    }

    #[test]
    fn an_entry_that_is_no_address_leaves_the_proxy_as_the_client() {
        for entry in [
            "",
            "unknown",
            "_hidden",
            "\"203.0.113.7\"",
            "203.0.113.7:",
            "203.0.113.7:http",
            "203.0.113.7:99999",
            "203.0.113.7:1:2",
            "[203.0.113.7]",
            "[203.0.113.7]:80",
            "[2001:db8::1",
            "2001:db8::1]",
            "[2001:db8::1]:",
            "[[2001:db8::1]]",
            "[fe80::1%eth0]",
            "for=203.0.113.7",
        ] {
            assert_eq!(client("10.0.0.1", &["198.51.100.1", entry], &["10.0.0.0/8"]), "10.0.0.1", "{entry}");
        }
    }
}
