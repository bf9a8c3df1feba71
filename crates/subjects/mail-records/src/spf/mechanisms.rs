//! The matching of mechanisms (RFC 7208, 5).

use std::net::IpAddr;

use dns::{Kind, Name};

use super::check::{Evaluation, Problem, SpfResult};
use super::macros::DomainSpec;
use super::record::{DualCidr, Mechanism};

/// The most mail exchangers of a domain, and the most names of an address that are looked at (4.6.4).
pub(super) const MAX_NAMES: usize = 10;

impl Evaluation<'_> {
    /// True if a mechanism of `domain`'s record matches.
    pub(super) async fn matches(&mut self, mechanism: &Mechanism, domain: &Name) -> Result<bool, Problem> {
        if mechanism.looks_up() {
            self.count_look_up()?;
        }
        let sender = self.session.address();
        match mechanism {
            Mechanism::All => Ok(true),
            Mechanism::Ip4(network, length) => Ok(within(sender, (*network).into(), *length)),
            Mechanism::Ip6(network, length) => Ok(within(sender, (*network).into(), *length)),
            Mechanism::Include(target) => self.includes(target, domain).await,
            Mechanism::A(target, cidr) => match self.target(target.as_ref(), domain).await {
                Some(name) => self.is_address_of(&name, *cidr, true).await,
                None => Ok(false),
            },
            Mechanism::Mx(target, cidr) => match self.target(target.as_ref(), domain).await {
                Some(name) => self.is_exchanger_of(&name, *cidr).await,
                None => Ok(false),
            },
            Mechanism::Ptr(target) => match self.target(target.as_ref(), domain).await {
                Some(name) => self.is_named_within(&name).await,
                None => Ok(false),
            },
            Mechanism::Exists(target) => match self.expand(target, domain).await {
                Some(name) => self.exists(&name).await,
                None => Ok(false),
            },
        }
    }

    async fn target(&mut self, target: Option<&DomainSpec>, domain: &Name) -> Option<Name> {
        match target {
            Some(target) => self.expand(target, domain).await,
            None => Some(domain.clone()),
        }
    }

    async fn includes(&mut self, target: &DomainSpec, domain: &Name) -> Result<bool, Problem> {
        let no_record = || Problem::NoRecord { name: domain.clone() };
        let name = self.expand(target, domain).await.ok_or_else(no_record)?;
        // The recursion is bounded by the ten look-ups.
        match Box::pin(self.decide(&name)).await?.result {
            SpfResult::Pass => Ok(true),
            SpfResult::None => Err(no_record()),
            _ => Ok(false),
        }
    }

    async fn is_address_of(&mut self, name: &Name, cidr: DualCidr, count: bool) -> Result<bool, Problem> {
        let sender = self.session.address();
        let (kind, length) = of_family(sender, cidr);
        let answer = self.look_up(name, kind).await.addresses();
        if count && answer.is_void() {
            self.count_void()?;
        }
        let addresses =
            answer.records().map_err(|failure| Problem::LookUp { name: name.clone(), failure })?;
        Ok(addresses.into_iter().any(|address| within(sender, address, length)))
    }

    async fn is_exchanger_of(&mut self, name: &Name, cidr: DualCidr) -> Result<bool, Problem> {
        let answer = self.look_up(name, Kind::Mx).await.exchangers();
        if answer.is_void() {
            self.count_void()?;
        }
        let mut exchangers =
            answer.records().map_err(|failure| Problem::LookUp { name: name.clone(), failure })?;
        if exchangers.len() > MAX_NAMES {
            return Err(Problem::TooManyExchangers { name: name.clone() });
        }
        exchangers.sort_by_key(|mx| mx.preference);
        for host in exchangers.iter().filter_map(|mx| mx.exchange.host()) {
            if self.is_address_of(host, cidr, false).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn exists(&mut self, name: &Name) -> Result<bool, Problem> {
        let answer = self.look_up(name, Kind::A).await.addresses();
        if answer.is_void() {
            self.count_void()?;
        }
        let addresses = answer.records();
        let addresses = addresses.map_err(|failure| Problem::LookUp { name: name.clone(), failure })?;
        Ok(!addresses.is_empty())
    }

    /// True if a validated name of the client is within a domain. A look-up that fails is no match (5.5).
    async fn is_named_within(&mut self, domain: &Name) -> Result<bool, Problem> {
        if let Some(client) = self.client {
            return Ok(Name::parse(client).is_ok_and(|name| name.is_within(domain)));
        }
        let answer = self.look_up(&self.session.reverse(), Kind::Ptr).await.names();
        if answer.is_void() {
            self.count_void()?;
        }
        let names = answer.records().unwrap_or_default();
        for name in names.iter().take(MAX_NAMES).filter(|name| name.is_within(domain)) {
            if self.is_validated(name).await {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Value of `%{p}`: a validated name of the client, best the domain's own, then one below it, then any; `unknown`
    /// where there is none or a look-up fails (7.3). `unknown` too where nobody asks.
    pub(super) async fn validated_name_for(&mut self, needed: bool, domain: &Name) -> String {
        if let Some(client) = self.client {
            return client.to_owned();
        }
        let found = if needed { self.validated_name(domain).await } else { None };
        found.map_or_else(|| "unknown".to_owned(), |name| name.to_string())
    }

    async fn validated_name(&mut self, domain: &Name) -> Option<Name> {
        let answer = self.look_up(&self.session.reverse(), Kind::Ptr).await.names();
        let mut names = answer.records().ok()?;
        names.truncate(MAX_NAMES);
        names.sort_by_key(|name| (name != domain, !name.is_within(domain)));
        for name in names {
            if self.is_validated(&name).await {
                return Some(name);
            }
        }
        None
    }

    /// True if the client's address is one of the name's.
    async fn is_validated(&mut self, name: &Name) -> bool {
        let whole = DualCidr { v4: 32, v6: 128 };
        self.is_address_of(name, whole, false).await.unwrap_or(false)
    }
}

/// Record type and prefix length for a sender's address family.
fn of_family(sender: IpAddr, cidr: DualCidr) -> (Kind, u8) {
    if sender.is_ipv4() { (Kind::A, cidr.v4) } else { (Kind::Aaaa, cidr.v6) }
}

/// True if an address is in a network of its own family.
fn within(address: IpAddr, network: IpAddr, length: u8) -> bool {
    let length = u32::from(length);
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            (address.to_bits() ^ network.to_bits()).checked_shr(32 - length.min(32)).unwrap_or(0) == 0
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            (address.to_bits() ^ network.to_bits()).checked_shr(128 - length.min(128)).unwrap_or(0) == 0
        }
        _ => false,
    }
}
