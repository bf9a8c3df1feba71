//! The probe of a name's DNSSEC.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use dns::servers::{ServerPool, system_servers};
use domain_name::DomainName;
use futures_util::FutureExt as _;
use futures_util::future::{self, BoxFuture};
use hickory_resolver::proto::rr::{Name, RecordType};
use tokio::time::{Instant, timeout_at};

use super::validation::Validator;
use super::walk::ValidationWalk;
use super::{
    Anchors, Delegation, DnssecObservation, LookFailure, LookTimes, ResolverAnswers, SecurityStatus,
    Validation, delegation,
};
use crate::elapsed::millis;

/// Configuration of the probe: the servers to ask, and the trust anchors.
#[derive(Clone, Debug, Default)]
pub struct DnssecConfig {
    /// The name servers; `None` stands for those of the operating system.
    pub servers: Option<Vec<SocketAddr>>,
    /// A validating resolver over a trusted path, so that its AD flag counts. `None` stands for the first name server,
    /// whose flag proves nothing good by itself.
    pub validating_resolver: Option<SocketAddr>,
    /// The trust anchors; IANA's by default.
    pub anchors: Anchors,
}

/// The DNSSEC probe. One probe serves many concurrent looks.
pub struct DnssecProbe {
    servers: Arc<ServerPool>,
    validating_resolver: Option<SocketAddr>,
    anchors: Anchors,
}

/// Result of our own validation.
type Own = (Option<String>, Validation, Delegation);

impl DnssecProbe {
    /// Timeout of a look.
    pub const LIMIT: Duration = Duration::from_millis(1500);
    /// Maximum number of questions of a look's validation. A signed name ten zones deep takes about forty.
    pub const MAX_QUESTIONS: usize = 64;
    /// Maximum number of concurrent questions of a look's validation; [`Self::WORD`] more go to the resolver. Each look
    /// has its own limit, so that none waits for another whose servers do not answer.
    pub const AT_ONCE: usize = 6;
    /// Number of questions of a look to the resolver, all concurrent.
    pub const WORD: usize = 5;

    /// Builds the probe from its configuration.
    #[must_use]
    pub fn new(config: DnssecConfig) -> Self {
        let DnssecConfig { servers, validating_resolver, anchors } = config;
        let servers = servers.unwrap_or_else(system_servers);
        // The validating resolver is asked last. Its answers are validated here like any other's.
        let servers = ServerPool::new(servers.into_iter().chain(validating_resolver));
        Self { servers, validating_resolver, anchors }
    }

    /// Observes a name, which is a zone's apex or within a zone. All parts run concurrently, each for at most
    /// [`Self::LIMIT`].
    pub fn look<'a>(&'a self, name: &'a DomainName) -> BoxFuture<'a, DnssecObservation> {
        async move {
            // A name made of labels is absolute.
            let Ok(wire) = Name::from_labels(name.labels().map(str::as_bytes)) else {
                return self.unusable(name);
            };
            let started = Instant::now();
            let deadline = started + Self::LIMIT;
            let own = async {
                // A young library reads untrusted signatures here. A panic in it must end this part alone.
                let seen = AssertUnwindSafe(self.validate(&wire, deadline)).catch_unwind().await;
                (seen.unwrap_or_else(|_| gave_up()), millis(started.elapsed()))
            };
            let resolver = async {
                let word = self.hear(&wire, deadline).await;
                (word, millis(started.elapsed()))
            };
            let (((zone, validation, delegation), validation_ms), (resolver, resolver_ms)) =
                future::join(own, resolver).await;
            let took = LookTimes { validation_ms, resolver_ms };
            DnssecObservation { name: name.to_string(), zone, validation, resolver, delegation, took }
        }
        .boxed()
    }

    /// Observation of a name that the wire cannot carry.
    fn unusable(&self, name: &DomainName) -> DnssecObservation {
        let trouble = LookFailure::Unusable;
        let validation =
            Validation { zone: SecurityStatus::Failed(trouble), address: SecurityStatus::Failed(trouble) };
        let resolver = ResolverAnswers::failed(self.validating_resolver.is_some(), trouble);
        let delegation = Delegation::failed(trouble);
        DnssecObservation {
            name: name.to_string(),
            zone: None,
            validation,
            resolver,
            delegation,
            took: LookTimes::default(),
        }
    }

    async fn validate(&self, name: &Name, deadline: Instant) -> Own {
        let walk = ValidationWalk::new(Arc::clone(&self.servers));
        let validator = Validator::new(&walk, &self.anchors);
        let validator = &validator;
        let prove = |kind| async move {
            let proof = timeout_at(deadline, validator.prove(name, kind)).await;
            proof.unwrap_or(SecurityStatus::Failed(LookFailure::TimedOut))
        };
        let zone = async { timeout_at(deadline, delegation::zone_of(&walk, name)).await };
        let parent = async {
            let zone = zone.await.unwrap_or(Err(LookFailure::TimedOut));
            let parent = async {
                match &zone {
                    Ok(zone) => Delegation::look(&walk, validator, zone).await,
                    Err(trouble) => Delegation::failed(*trouble),
                }
            };
            let parent = timeout_at(deadline, parent).await;
            (zone.ok(), parent.unwrap_or_else(|_| Delegation::failed(LookFailure::TimedOut)))
        };
        let (soa, address, (zone, parent)) =
            future::join3(prove(RecordType::SOA), prove(RecordType::A), parent).await;
        // All failures are known only now, so that the result does not depend on the order of the answers.
        let trouble = walk.trouble();
        let settled = |proof: SecurityStatus| proof.below(parent.parent).or_failed(trouble);
        let validation = Validation { zone: settled(soa), address: settled(address) };
        (zone.map(|zone| text(&zone)), validation, parent)
    }

    async fn hear(&self, name: &Name, deadline: Instant) -> ResolverAnswers {
        let configured = self.validating_resolver.is_some();
        let Some(server) = self.validating_resolver.or_else(|| self.servers.preferred()) else {
            return ResolverAnswers::failed(configured, LookFailure::Unreachable);
        };
        let word = ResolverAnswers::look(&self.servers, server, configured, name);
        timeout_at(deadline, word)
            .await
            .unwrap_or_else(|_| ResolverAnswers::failed(configured, LookFailure::TimedOut))
    }
}

impl std::fmt::Debug for DnssecProbe {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Probe").finish_non_exhaustive()
    }
}

fn gave_up() -> Own {
    let failed = SecurityStatus::Failed(LookFailure::GaveUp);
    (None, Validation { zone: failed, address: failed }, Delegation::failed(LookFailure::GaveUp))
}

/// A zone's name as it is put down: lower case, without the root's dot.
fn text(zone: &Name) -> String {
    let text = zone.to_lowercase().to_ascii();
    text.strip_suffix('.').filter(|text| !text.is_empty()).unwrap_or(&text).to_owned()
}
