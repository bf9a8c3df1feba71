//! Who calls: the client's address, through configured proxies.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::app::App;

/// The other end of the connection; the server puts it into each request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// A client's address, as it is and as limits count it.
#[derive(Clone, Debug)]
pub struct Client {
    address: IpAddr,
    key: String,
}

impl Client {
    fn new(address: IpAddr) -> Self {
        Self { address, key: network_of(address).to_string() }
    }

    /// Where the call comes from.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The text that limits are counted by.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// IPv4 whole, IPv6 as its /64: whoever has one address of a /64 has them all.
#[must_use]
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from(u128::from(v6) >> 64 << 64).into(),
        v4 => v4,
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
        let Ok(address) = hop.parse() else { break };
        client = address;
    }
    client
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
    fn an_ipv6_client_is_its_64_and_a_mapped_one_its_ipv4() {
        let key = |text: &str| Client::new(text.parse().unwrap()).key().to_owned();
        assert_eq!(key("2001:db8:1:2:3:4:5:6"), key("2001:db8:1:2::1"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_eq!(key("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
