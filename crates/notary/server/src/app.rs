//! The state that every handler shares.

use std::sync::Arc;

use capacity::{Compute, Inflow, Storage};
use cosigning::Cosigning;
use ipnet::IpNet;
use ledger::PriceTable;
use module::{Background, Module, RouteTable, Standing};
use notary::Notary;
use receipt::sign::Signer;
use time_stamping::Stamping;
use watch::WebhookKey;

use crate::exports::Exports;
use crate::latency::Latencies;
use crate::payment_gate::PaymentGate;
use crate::retention::RetentionSettings;
use crate::routes::ready::Readiness;
use crate::service_levels::ServiceLevels;

/// The profile of the service, which decides the promises that it makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Development: loopback only, local settlement; all answers say so.
    Dev,
    /// Production.
    Serve,
}

impl Profile {
    /// Returns the name of the profile in `/health`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Serve => "serve",
        }
    }
}

/// The state that every handler shares. Clones share all that changes, so that one with another route table can take the
/// place of this one.
#[derive(Clone)]
pub struct App {
    /// The profile of the service.
    pub profile: Profile,
    /// The notary, which signs receipts and writes them into the ledger.
    pub notary: Arc<Notary>,
    /// The verdict routes.
    pub route_table: RouteTable,
    /// The modules, which report the state of their sources.
    pub modules: Arc<[Module]>,
    /// The payment gate; `None` if nothing can be settled.
    pub gate: Option<Arc<PaymentGate>>,
    /// True if rate limits and daily counts apply. They are off in benchmarks on loopback.
    pub limits: bool,
    /// The proxies whose `X-Forwarded-For` is trusted.
    pub proxies: Vec<IpNet>,
    /// The cosigning of checkpoints by witnesses; `None` where the log has no policy.
    pub cosigning: Option<Arc<Cosigning>>,
    /// The time-stamping of checkpoints; `None` where no authority is configured.
    pub stamping: Option<Arc<Stamping>>,
    /// Signs with the log key what is not a checkpoint: the COSE Receipts of `.cose`. `None` where the key is elsewhere, and
    /// signs checkpoints alone. Where another log key has come into use since,
    /// [`KeyRing::log_signer`](notary::KeyRing::log_signer) has it.
    pub log_signer: Option<Arc<Signer>>,
    /// The background loops.
    pub background: Background,
    /// The response times.
    pub latencies: Arc<Latencies>,
    /// The calls that were answered and that failed, until they are stored.
    pub service_levels: Arc<ServiceLevels>,
    /// The scheduler of processor time and look-ups.
    pub compute: Arc<Compute>,
    /// The counter of request bodies in memory.
    pub inflow: Inflow,
    /// The monitor of free disk space and its reserve.
    pub storage: Arc<Storage>,
    /// The daily free budgets of a network, over all agent names.
    pub free_budgets: FreeBudgets,
    /// The start time of this process.
    pub started: receipt::time::Timestamp,
    /// The contact for security reports, a URI.
    pub security_contact: String,
    /// The key of webhooks, whose public half is published.
    pub webhook_key: WebhookKey,
    /// The bounds on connections: their number and their times.
    pub connections: listen::Bounds,
    /// The name of this process among those that share its store: the machine, and the address that it listens on.
    pub replica: String,
    /// How long the data behind a receipt is kept.
    pub retention: Arc<RetentionSettings>,
    /// The archives that agents fetch.
    pub exports: Arc<Exports>,
    /// Whether callers should be sent here.
    pub readiness: Arc<Readiness>,
}

/// The free budgets of each client network in a UTC day, over all agent names. `None` stands for no bound. A wide
/// network has [`WIDE_FACTOR`](client_network::WIDE_FACTOR) times as much.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FreeBudgets {
    /// The number of calls, as a multiple of a route's free calls.
    pub tiers: Option<u32>,
    /// The number of bytes that may be stored.
    pub bytes: Option<u64>,
}

impl App {
    /// Returns the public base URL, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.notary.iss
    }

    /// The log's verifier key, for others to know: the newest one in use.
    #[must_use]
    pub fn log_vkey(&self) -> String {
        self.notary.keys.current().log_key().to_string()
    }

    /// The price of each class that has one.
    #[must_use]
    pub fn prices(&self) -> PriceTable {
        let routes = self.route_table.routes();
        routes.filter_map(|route| Some((route.terms.class, route.terms.price?.atomic()))).collect()
    }

    /// The current state of each module's sources.
    pub fn standings(&self) -> impl Iterator<Item = (&'static str, Standing)> {
        let now = self.notary.clock.now();
        self.modules.iter().map(move |module| (module.name, module.standing(now)))
    }
}
