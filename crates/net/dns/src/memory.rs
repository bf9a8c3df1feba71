//! A zone in memory, for tests and suites.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::{Answer, Dns, Failure, Kind, Name, Record};

/// The most CNAME records that are followed in one look-up.
pub const MAX_ALIASES: usize = 8;

/// Names with their records, which answer look-ups as an authoritative server would.
///
/// ```
/// use dns::{Dns, Kind, Name, Record, Zone};
///
/// let name = Name::parse("example.com")?;
/// let zone = Zone::default().with(&name, Record::Txt(b"v=spf1 -all".to_vec()));
/// # let looking = async {
/// assert_eq!(zone.look_up(&name, Kind::Txt).await.texts().records(), Ok(vec![b"v=spf1 -all".to_vec()]));
/// assert!(zone.look_up(&name, Kind::Mx).await.is_void());
/// # };
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(looking);
/// # Ok::<(), dns::NameError>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Zone {
    nodes: BTreeMap<Name, ZoneNode>,
}

#[derive(Clone, Default, Debug)]
struct ZoneNode {
    records: Vec<Record>,
    alias: Option<Name>,
    failure: Option<Failure>,
}

impl Zone {
    /// Adds a record at a name, and returns the zone.
    #[must_use]
    pub fn with(mut self, name: &Name, record: Record) -> Self {
        self.add(name, record);
        self
    }

    /// Adds a record at a name.
    pub fn add(&mut self, name: &Name, record: Record) {
        self.node(name).records.push(record);
    }

    /// Makes `name` an alias (CNAME) of `target`.
    pub fn alias(&mut self, name: &Name, target: Name) {
        self.node(name).alias = Some(target);
    }

    /// Makes the look-ups at `name` fail with `failure`, except for record types of which the name has a record.
    pub fn fail(&mut self, name: &Name, failure: Failure) {
        self.node(name).failure = Some(failure);
    }

    fn node(&mut self, name: &Name) -> &mut ZoneNode {
        self.nodes.entry(name.clone()).or_default()
    }

    fn answer(&self, name: &Name, kind: Kind) -> Answer<Record> {
        let mut name = name;
        for _ in 0..=MAX_ALIASES {
            let Some(node) = self.nodes.get(name) else {
                let above_another = self.nodes.keys().any(|other| other.is_within(name));
                return if above_another { Answer::NoData } else { Answer::NxDomain };
            };
            if let Some(target) = &node.alias {
                if kind == Kind::Cname {
                    return Answer::Found { records: vec![Record::Cname(target.clone())], ttl: 3600 };
                }
                name = target;
                continue;
            }
            let records: Vec<Record> =
                node.records.iter().filter(|record| record.kind() == kind).cloned().collect();
            return match node.failure {
                _ if !records.is_empty() => Answer::Found { records, ttl: 3600 },
                Some(failure) => Answer::Failed(failure),
                None => Answer::NoData,
            };
        }
        Answer::Failed(Failure::Unusable)
    }
}

#[async_trait]
impl Dns for Zone {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        self.answer(name, kind)
    }
}
