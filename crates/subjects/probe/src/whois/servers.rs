//! The WHOIS servers of top-level domains without RDAP.

use domain_name::DomainName;

use super::date::DateOrder;

/// IANA's server, which names the server of a top-level domain.
pub const IANA: &str = "whois.iana.org";

/// Servers by the names that they serve, as IANA's root zone database names them. A top-level domain that is not here is
/// asked for at [`IANA`].
const SERVERS: &[(&str, &str)] = &[
    ("ac", "whois.nic.ac"),
    ("am", "whois.amnic.net"),
    ("at", "whois.nic.at"),
    ("be", "whois.dns.be"),
    ("bg", "whois.register.bg"),
    ("by", "whois.cctld.by"),
    ("ch", "whois.nic.ch"),
    ("cl", "whois.nic.cl"),
    ("cn", "whois.cnnic.cn"),
    ("co", "whois.registry.co"),
    ("co.za", "coza-whois.registry.net.za"),
    ("de", "whois.denic.de"),
    ("dk", "whois.punktum.dk"),
    ("ee", "whois.tld.ee"),
    ("es", "whois.nic.es"),
    ("eu", "whois.eu"),
    ("gg", "whois.gg"),
    ("hk", "whois.hkirc.hk"),
    ("hr", "whois.dns.hr"),
    ("hu", "whois.nic.hu"),
    ("ie", "whois.weare.ie"),
    ("il", "whois.isoc.org.il"),
    ("im", "whois.nic.im"),
    ("io", "whois.nic.io"),
    ("ir", "whois.nic.ir"),
    ("it", "whois.nic.it"),
    ("je", "whois.je"),
    ("jp", "whois.jprs.jp"),
    ("kr", "whois.kr"),
    ("kz", "whois.nic.kz"),
    ("la", "whois.nic.la"),
    ("li", "whois.nic.li"),
    ("lt", "whois.domreg.lt"),
    ("lu", "whois.dns.lu"),
    ("lv", "whois.nic.lv"),
    ("md", "whois.nic.md"),
    ("me", "whois.nic.me"),
    ("mk", "whois.marnet.mk"),
    ("mx", "whois.mx"),
    ("my", "whois.mynic.my"),
    ("net.za", "net-whois.registry.net.za"),
    ("nu", "whois.iis.nu"),
    ("nz", "whois.irs.net.nz"),
    ("org.za", "org-whois.registry.net.za"),
    ("pe", "kero.yachay.pe"),
    ("pt", "whois.dns.pt"),
    ("ro", "whois.rotld.ro"),
    ("rs", "whois.rnids.rs"),
    ("ru", "whois.tcinet.ru"),
    ("sa", "whois.nic.net.sa"),
    ("se", "whois.iis.se"),
    ("sh", "whois.nic.sh"),
    ("sk", "whois.sk-nic.sk"),
    ("su", "whois.tcinet.ru"),
    ("tk", "whois.dot.tk"),
    ("tr", "whois.trabis.gov.tr"),
    ("us", "whois.nic.us"),
    ("web.za", "web-whois.registry.net.za"),
    ("xn--p1ai", "whois.tcinet.ru"),
];

/// Registries that write a date of two small numbers in one order, as their answers show.
const ORDERS: &[(&str, DateOrder)] = &[
    ("hk", DateOrder::DayFirst),
    ("il", DateOrder::DayFirst),
    ("mk", DateOrder::DayFirst),
    ("pt", DateOrder::DayFirst),
    ("rs", DateOrder::DayFirst),
    ("tk", DateOrder::MonthFirst),
];

/// The server for a domain; `None` where IANA must be asked.
pub(super) fn server(domain: &DomainName) -> Option<&'static str> {
    longest(domain, SERVERS)
}

/// The order of day and month that the registry of a domain is known to use.
pub(super) fn date_order(domain: &DomainName) -> Option<DateOrder> {
    longest(domain, ORDERS)
}

/// The last label of a domain.
pub(super) fn top_level(domain: &DomainName) -> &str {
    domain.as_str().rsplit('.').next().unwrap_or_default()
}

/// The entry of the longest name that is above the domain.
fn longest<T: Copy>(domain: &DomainName, table: &[(&str, T)]) -> Option<T> {
    let mut name = domain.as_str();
    while let Some((_, parent)) = name.split_once('.') {
        if let Some((_, value)) = table.iter().find(|(own, _)| *own == parent) {
            return Some(*value);
        }
        name = parent;
    }
    None
}

/// The query of a domain, in the form that its server understands.
pub(super) fn query(server: &str, domain: &DomainName) -> String {
    match server {
        // The German registry gives a bare status else, the Japanese one an answer in ISO-2022-JP.
        "whois.denic.de" => format!("-T dn,ace {domain}\r\n"),
        "whois.jprs.jp" => format!("{domain}/e\r\n"),
        _ => format!("{domain}\r\n"),
    }
}

/// The server that an answer of IANA refers to; `None` if it names none.
pub(super) fn referral(answer: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(answer);
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let named = |(key, value): (&str, &str)| {
        let is_server = ["refer", "whois"].iter().any(|own| key.trim().eq_ignore_ascii_case(own));
        if is_server { DomainName::parse(value.trim()).ok() } else { None }
    };
    lines.take(256).find_map(named).map(|name| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> DomainName {
        DomainName::parse(text).unwrap()
    }

    #[test]
    fn the_longest_name_above_a_domain_names_its_server() {
        assert_eq!(server(&name("example.io")), Some("whois.nic.io"));
        assert_eq!(server(&name("example.co.za")), Some("coza-whois.registry.net.za"));
        assert_eq!(server(&name("example.co")), Some("whois.registry.co"));
        assert_eq!(server(&name("example.zz")), None);
        assert_eq!(date_order(&name("example.com.hk")), Some(DateOrder::DayFirst));
        assert_eq!(date_order(&name("example.io")), None);
        assert_eq!(top_level(&name("a.co.zz")), "zz");
    }

    #[test]
    fn every_server_is_a_host_name_and_every_name_is_there_once() {
        for (index, (own, server)) in SERVERS.iter().enumerate() {
            assert_eq!(DomainName::parse(server).unwrap().as_str(), *server);
            assert!(SERVERS[..index].iter().all(|(other, _)| other < own), "{own}");
        }
    }

    #[test]
    fn a_referral_is_a_host_name_or_none() {
        let answer =
            "% IANA WHOIS server\n\nrefer:        whois.nic.zz\n\ndomain:       ZZ\nwhois: other.zz\n";
        assert_eq!(referral(answer.as_bytes()).as_deref(), Some("whois.nic.zz"));
        assert_eq!(referral(b"whois:   WHOIS.nic.ZZ").as_deref(), Some("whois.nic.zz"));
        for none in [&b""[..], b"refer:", b"refer: 10.0.0.1", b"refer: a b", b"status: ACTIVE", &[0xFF, 0]] {
            assert_eq!(referral(none), None, "{none:?}");
        }
    }
}
