//! The price table: every route of the interface with its free tier, rate, target, price and limits.
//!
//! `/catalog`, the `.well-known` documents, OpenAPI, the 402 terms and the router itself are made from this
//! one table. Configuration may change its numbers, never its shape.

use verdict::Usd;

/// The number of calls that an agent may make in a UTC day without paying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Free {
    /// No calls: every call is paid for.
    None,
    /// This number of calls.
    PerDay(u32),
    /// This number of calls, plus the reputation bonus.
    PerDayAndBonus(u32),
    /// Any number of calls: the route has no price.
    Unlimited,
}

/// The quantity that one price pays for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// One call.
    Call,
    /// One entity of a batch.
    Entity,
    /// Thirty days of watching.
    ThirtyDays,
}

impl Unit {
    /// The name of the unit in published documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Entity => "entity",
            Self::ThirtyDays => "30 days",
        }
    }
}

/// The line of one route in the price table.
#[derive(Clone, Debug)]
pub struct RouteTerms {
    /// The class of the route's receipts, such as `claim-verdict`. It is also the name of the route.
    pub class: &'static str,
    /// True if GET takes the same question as POST.
    pub get: bool,
    /// The name of the module that answers the route, as `/health` and a 503 have it.
    pub module: &'static str,
    /// The description of the route, in one sentence for callers.
    pub summary: &'static str,
    /// All verdicts of the route, from good to bad.
    pub verdicts: &'static [&'static str],
    /// The free calls of an agent in a UTC day.
    pub free: Free,
    /// The most calls of one agent in any 60 seconds.
    pub rate_per_minute: u32,
    /// The published 95th percentile of the response time, in milliseconds.
    pub p95_target_ms: u32,
    /// The price of one unit; `None` where the route has no price.
    pub price: Option<Usd>,
    /// The unit that the price pays for.
    pub unit: Unit,
    /// The most bytes of a request's body.
    pub body_limit: usize,
    /// True if the route takes calls without an `agent`.
    pub anonymous: bool,
    /// True if the price is held as a bond.
    pub bond: bool,
}

impl RouteTerms {
    /// The path of the route, such as `/claim-verdict`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/{}", self.class)
    }

    /// The HTTP methods of the route.
    #[must_use]
    pub fn methods(&self) -> &'static [&'static str] {
        if self.get { &["GET", "POST"] } else { &["POST"] }
    }

    /// Returns true if the price is held as a bond, which is not revenue.
    #[must_use]
    pub fn is_bond(&self) -> bool {
        self.bond
    }

    /// Returns true if every call must be paid for.
    #[must_use]
    pub fn is_paid_only(&self) -> bool {
        self.free == Free::None
    }
}

/// The length of the sliding window of all rates, in seconds.
pub const WINDOW_SECONDS: u32 = 60;
/// The default of the most bytes of a request's body.
pub const BODY_LIMIT: usize = 256 << 10;
/// The most bytes of a request's body with a text to be scanned: 262,144 bytes of text may take four times as many in JSON.
pub const SCAN_BODY_LIMIT: usize = 1 << 20;
/// The most bytes of a dispute's body: it may bring a scanned text.
pub const DISPUTE_BODY_LIMIT: usize = SCAN_BODY_LIMIT + (64 << 10);
/// The most bytes of a request's body with a track record.
pub const GRADING_BODY_LIMIT: usize = 4 << 20;

const SCAN: &[&str] = &["NO_FINDING", "UNKNOWN", "WARN", "BLOCK"];
const MARKET: &[&str] = &["LOW", "NORMAL", "ELEVATED", "EXTREME", "INSUFFICIENT_DATA"];
const FOUND: &[&str] = &["FOUND", "NONE_FOUND"];

/// Makes a line: class, module, summary, verdicts, free, rate, target, price in cents.
#[expect(clippy::too_many_arguments, reason = "one row of the table below, read as a row")]
const fn line(
    class: &'static str,
    module: &'static str,
    summary: &'static str,
    verdicts: &'static [&'static str],
    free: Free,
    rate_per_minute: u32,
    p95_target_ms: u32,
    cents: u64,
) -> RouteTerms {
    let price = if cents == 0 { None } else { Some(Usd::from_cents(cents)) };
    RouteTerms {
        class,
        get: false,
        module,
        summary,
        verdicts,
        free,
        rate_per_minute,
        p95_target_ms,
        price,
        unit: Unit::Call,
        body_limit: BODY_LIMIT,
        anonymous: false,
        bond: false,
    }
}

/// Makes the table with its published defaults.
#[must_use]
#[rustfmt::skip]
pub fn table() -> Vec<RouteTerms> {
    use Free::{None as Never, PerDay, PerDayAndBonus, Unlimited};
    vec![
        line("claim-verdict", "claim", "Verify a claim against a named resolver: a JSON address or an Ed25519 signature.",
            &["CONFIRMED", "REFUTED", "UNRESOLVED"], PerDayAndBonus(3), 10, 2000, 5),
        line("commit", "payment", "Sign and log any content or content hash, without judging it.",
            &["COMMITTED"], Never, 60, 500, 10),
        RouteTerms { bond: true, body_limit: DISPUTE_BODY_LIMIT, ..line("dispute", "payment",
            "Dispute a receipt under a bond; an independent re-run of the preserved evidence decides.",
            &["UPHELD", "OVERTURNED", "INCONCLUSIVE"], Never, 6, 10_000, 100) },
        RouteTerms { body_limit: GRADING_BODY_LIMIT, ..line("grade-strategy", "grading",
            "Grade a settled trade track record: an edge, luck, or neither.",
            &["REAL_EDGE", "REGIME_LUCK", "NEGATIVE_EV", "INSUFFICIENT_DATA"], PerDay(2), 5, 500, 10) },
        line("screen-entity", "sanctions", "Screen a name against the OFAC SDN list.",
            &["NO_MATCH", "POSSIBLE_MATCH", "MATCH"], PerDay(5), 10, 2000, 2),
        RouteTerms { unit: Unit::Entity, ..line("screen-batch", "sanctions", "Screen many names in one call.",
            &["NO_MATCH", "POSSIBLE_MATCH", "MATCH"], Never, 10, 5000, 1) },
        line("agent-clearance", "sanctions", "Clear a counterparty before a transaction: a name screen fused with on-chain wallet signals and the trust of a domain.",
            &["CLEAR", "REVIEW", "BLOCK"], PerDay(2), 10, 2000, 25),
        RouteTerms { get: true, anonymous: true, ..line("trust-score", "trust",
            "Score a domain by its own DNS, TLS, header and registration records.",
            &["TRUSTED", "CAUTION", "RISKY", "INCOMPLETE"], Unlimited, 10, 2000, 0) },
        line("screen-wallet", "sanctions", "Screen a wallet address against the OFAC SDN list.",
            &["NO_MATCH", "MATCH"], PerDay(5), 10, 2000, 2),
        RouteTerms { unit: Unit::ThirtyDays, ..line("watch", "sanctions", "Watch a name, a wallet or a domain for thirty days.",
            &["WATCHING"], PerDay(1), 10, 2000, 10) },
        line("scan-url", "safety", "Scan an address for signs of harm.", SCAN, PerDay(5), 10, 2000, 1),
        RouteTerms { body_limit: SCAN_BODY_LIMIT, ..line("scan-text", "safety",
            "Scan a text for injected instructions, leaked secrets and harm.", SCAN, PerDay(5), 10, 500, 1) },
        RouteTerms { body_limit: GRADING_BODY_LIMIT, ..line("copy-trade-score", "grading",
            "Say whether a track record can be copied at a follower's costs.",
            &["COPY", "CAUTION", "AVOID", "INSUFFICIENT_DATA"], PerDay(2), 5, 500, 10) },
        line("distress-score", "market", "Score a company's financial distress from its own accounts.",
            &["SAFE", "GREY", "DISTRESS", "INSUFFICIENT_DATA"], PerDay(2), 10, 500, 5),
        line("composite", "market", "Give one reading of market stress from published series.", MARKET, PerDay(2), 10, 500, 5),
        RouteTerms { get: true, ..line("federal-register", "market", "Search the US Federal Register.", FOUND, PerDay(5), 10, 2000, 1) },
        RouteTerms { get: true, ..line("awards", "market", "Search US federal awards.", FOUND, PerDay(5), 10, 2000, 1) },
    ]
}

/// A route that signs nothing and is not a discovery document: its path, summary, rate and target.
#[derive(Clone, Copy, Debug)]
pub struct Unsigned {
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// The HTTP methods of the route.
    pub methods: &'static [&'static str],
    /// The description of the route, in one sentence for callers.
    pub summary: &'static str,
    /// The most calls of one client address in any 60 seconds; `None` where there is no limit.
    pub rate_per_minute: Option<u32>,
    /// The published 95th percentile of the response time, in milliseconds.
    pub p95_target_ms: u32,
    /// The module whose public view answers it; `None` where the service itself answers.
    pub module: Option<&'static str>,
}

impl Unsigned {
    /// The name of the route among tools and operations, of the words of its path: `/snapshots/{id}` is `snapshots-id`.
    #[must_use]
    pub fn name(&self) -> String {
        let words = self.path.split(['/', '{', '}']).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }
}

/// The unsigned routes. `/health` and the log have no limit: monitors and witnesses must always have access.
pub const UNSIGNED: &[Unsigned] = &[
    Unsigned {
        path: "/verify",
        methods: &["GET", "POST"],
        summary: "Recompute and confirm a receipt.",
        rate_per_minute: Some(600),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/receipts/{hash}",
        methods: &["GET"],
        summary: "A receipt by its hash; .jws, .tlog-proof, .cose, .vc and .erc8004 give its other forms, .times the bounds of its time, .svg its picture.",
        rate_per_minute: Some(600),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/r/{hash}",
        methods: &["GET"],
        summary: "A receipt as a page for people.",
        rate_per_minute: Some(600),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/log/checkpoint",
        methods: &["GET"],
        summary: "The newest checkpoint (C2SP tlog-checkpoint).",
        rate_per_minute: None,
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/log/tile/{level}/{index}",
        methods: &["GET"],
        summary: "Up to 256 hashes of one level of the tree (C2SP tlog-tiles).",
        rate_per_minute: None,
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/log/tile/entries/{index}",
        methods: &["GET"],
        summary: "Up to 256 log entries (C2SP tlog-tiles).",
        rate_per_minute: None,
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/keys",
        methods: &["GET"],
        summary: "The log's records of the notary's keys: which key may sign from which leaf on, with proofs.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/health",
        methods: &["GET"],
        summary: "Whether receipts can be issued, and which modules are down.",
        rate_per_minute: None,
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/stats",
        methods: &["GET"],
        summary: "Live totals.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/sla",
        methods: &["GET"],
        summary: "Availability and response time of each route by month, as measured.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/catalog",
        methods: &["GET"],
        summary: "Limits and prices of every route.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/export",
        methods: &["GET"],
        summary: "An agent's audit export, with a wallet's signature.",
        rate_per_minute: Some(6),
        p95_target_ms: 2000,
        module: None,
    },
    Unsigned {
        path: "/agents/{name}",
        methods: &["GET"],
        summary: "What is left of a name's free calls, from the network that asks.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/mcp",
        methods: &["POST"],
        summary: "The verdict routes as tools of the Model Context Protocol.",
        rate_per_minute: Some(600),
        p95_target_ms: 2000,
        module: None,
    },
    Unsigned {
        path: "/a2a",
        methods: &["POST"],
        summary: "The verdict routes as skills of the Agent2Agent protocol.",
        rate_per_minute: Some(600),
        p95_target_ms: 2000,
        module: None,
    },
    Unsigned {
        path: "/request-trial",
        methods: &["POST"],
        summary: "Ask for an extended trial.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/watch/{id}",
        methods: &["GET", "DELETE"],
        summary: "A watch by its id: how it stands, and its end.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: None,
    },
    Unsigned {
        path: "/trust-score/model",
        methods: &["GET"],
        summary: "The weights, caps and rules that domains are scored by.",
        rate_per_minute: Some(600),
        p95_target_ms: 100,
        module: Some("trust"),
    },
    Unsigned {
        path: "/sources",
        methods: &["GET"],
        summary: "The sources of records: last answer, age, and requests left.",
        rate_per_minute: Some(60),
        p95_target_ms: 100,
        module: Some("market"),
    },
    Unsigned {
        path: "/snapshots",
        methods: &["GET"],
        summary: "The snapshots of the sanctions lists, the newest publication first.",
        rate_per_minute: Some(60),
        p95_target_ms: 500,
        module: Some("sanctions"),
    },
    Unsigned {
        path: "/snapshots/{id}",
        methods: &["GET"],
        summary: "Where a snapshot came from, and how much it holds.",
        rate_per_minute: Some(60),
        p95_target_ms: 500,
        module: Some("sanctions"),
    },
    Unsigned {
        path: "/snapshots/diff",
        methods: &["GET"],
        summary: "What changed from one snapshot of a list to another, by uid.",
        rate_per_minute: Some(60),
        p95_target_ms: 500,
        module: Some("sanctions"),
    },
];
