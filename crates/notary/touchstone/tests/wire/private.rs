//! In production no spelling of a private address leads to a connection: the answer is signed and UNRESOLVED.

use serde_json::Value;

use crate::support::claims::at;
use crate::support::peer::Trap;
use crate::support::receipt::text;
use crate::support::service::{Launch, production};

/// Hosts that are, or lead to, this machine or its private neighbours.
const HOSTS: &[&str] = &[
    // Loopback, in all the ways in which IPv4 has been written.
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "2130706433.",
    "017700000001",
    "0177.0.0.1",
    "0x7f000001",
    "0x7f.1",
    "0x7F.0x0.0x0.0x1",
    "127.0.0.0x1",
    "0177.0x0.0.1",
    "127.255.255.254",
    "%31%32%37.0.0.1",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127%E3%80%820.0.1",
    // This host, and nothing.
    "0",
    "0.0.0.0",
    "0x0",
    "00",
    "0.0.0.1",
    // Names of this machine.
    "localhost",
    "localhost.",
    "LOCALHOST",
    "LocalHost.",
    "foo.localhost",
    "ｌｏｃａｌｈｏｓｔ",
    "loc%61lhost",
    // IPv6, and IPv4 within it.
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:0:0:0:0:80ff:fffe]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[fec0::1]",
    "[::ffff:10.0.0.1]",
    // Private, shared, link-local, documentation, benchmarking, multicast, reserved.
    "10.0.0.1",
    "10.255.255.255",
    "0xa000001",
    "167772161",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "0300.0250.1.1",
    "3232235777",
    "100.64.0.1",
    "169.254.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "192.88.99.1",
    // Metadata services of clouds.
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "169.254.170.2",
    "metadata.google.internal",
    "metadata.google.internal.",
    "instance-data",
    "100.100.100.200",
    // Names that no public DNS has.
    "intranet",
    "router.local",
    "printer.lan",
    "db.internal",
    "server.home.arpa",
    "host.docker.internal",
    "x.test",
    "x.invalid",
    "x.onion",
    "kubernetes.default.svc.cluster.local",
];

fn refused(url: &str) -> Value {
    let receipt = production().claim(&at(url, "status", "ok"));
    assert_eq!(text(&receipt, "verdict"), "UNRESOLVED", "{url}: {receipt}");
    assert_eq!(receipt["resolver_confidence"], 0);
    let reason = text(&receipt, "reason");
    assert!(["address_denied", "policy_refused"].contains(&reason), "{url}: {reason}");
    assert_eq!(text(&receipt["evidence"], "url"), url);
    assert_eq!(receipt["evidence"].get("peer_address"), None, "{receipt}");
    receipt
}

#[test]
fn an_address_of_the_networks_own_nat64_prefix_is_judged_by_the_address_that_it_embeds() {
    let prefixes = "2a0f:64::/32, 2a0e:64:0:1::/96";
    let service = Launch::serve().without_limits().set("NAT64_PREFIXES", prefixes).start();
    for embedding in [
        "2a0f:64:a00:1::",       // 10.0.0.1
        "2a0f:64:a9fe:a9fe::",   // 169.254.169.254
        "2a0e:64:0:1::7f00:1",   // 127.0.0.1
        "2a0e:64:0:1::c0a8:101", // 192.168.1.1
    ] {
        let receipt = service.claim(&at(&format!("http://[{embedding}]/"), "status", "ok"));
        assert_eq!(text(&receipt, "verdict"), "UNRESOLVED");
        assert_eq!(text(&receipt, "reason"), "address_denied", "{embedding}: {receipt}");
    }
    for (prefix, says) in [
        ("2a0f:64::/33", "must have a length of 32, 40, 48, 56, 64 or 96"),
        ("10.0.0.0/8", "is no IPv6 network"),
        ("2a0f:64:0:0:100::/96", "must have zeros in bits 64 to 71"),
    ] {
        let said = Launch::serve().configured(&format!("nat64_prefixes = \"{prefix}\"")).refused();
        assert!(said.contains(&format!("nat64_prefixes: `{prefix}` {says}")), "{said}");
    }
}

/// Traps on the ports that production may reach; they cannot be had without the right to low ports.
fn traps() -> Vec<Trap> {
    ["127.0.0.1:80", "127.0.0.1:443", "[::1]:80", "[::1]:443"].into_iter().filter_map(Trap::on).collect()
}

#[test]
fn every_spelling_of_a_private_address_is_unresolved_without_a_connection() {
    let _service = production();
    let traps = traps();
    for host in HOSTS {
        refused(&format!("http://{host}/"));
        refused(&format!("https://{host}/status.json?x=1#y"));
    }
    traps.iter().for_each(Trap::assert_untouched);
}

#[test]
fn a_port_credentials_and_odd_slashes_do_not_get_past_the_policy() {
    let _service = production();
    let trap = Trap::on("127.0.0.1:0").unwrap();
    let port = trap.port();
    let low = traps();
    for host in ["127.0.0.1", "localhost", "0", "2130706433", "[::ffff:127.0.0.1]", "0x7f.1", "localhost."] {
        for url in [
            format!("http://{host}:{port}/"),
            format!("http://{host}:0{port}/"),
            format!("http://user@{host}:{port}/"),
            format!("http://user:pw@{host}/"),
            format!("http://example.com@{host}/"),
            format!("http://example.com:80@{host}/"),
            format!("http:\\\\{host}/"),
            format!("http:/{host}/"),
            format!("http:{host}/"),
            format!("http:////{host}/"),
            format!("hTTp://{host}/"),
            format!(" http://{host}/ "),
            format!("ht\ttp://{host}/\n"),
            format!("http://{host}:80/"),
            format!("http://{host}\\@example.com/"),
            format!("http://{host}#@example.com/"),
            format!("http://{host}?@example.com/"),
        ] {
            refused(&url);
        }
    }
    trap.assert_untouched();
    low.iter().for_each(Trap::assert_untouched);
}

#[test]
fn ports_other_than_80_and_443_are_refused_at_public_addresses_too() {
    let _service = production();
    for port in [0, 1, 22, 25, 53, 81, 3306, 5432, 6379, 8080, 8402, 65535] {
        assert_eq!(text(&refused(&format!("http://192.0.43.8:{port}/")), "reason"), "policy_refused");
    }
}
