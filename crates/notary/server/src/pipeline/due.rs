//! Decides whether a call is free, granted or must be paid for, and sells it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::response::Response;
use capacity::compute::{self, ComputeClient};
use client_network::{ClientNetwork, WIDE_FACTOR};
use ipnet::IpNet;
use ledger::{QuotaKey, QuotaRequest, QuotaReservation};
use module::terms::Free;
use module::{Route, plans};
use payment::Code;
use receipt::time::Timestamp;
use verdict::{AgentName, FieldError, Reason};
use watch::Room;

use super::asked::{MAX_UNREAD, Read};
use super::client::Client;
use super::free_tier::{self, Asker};
use super::rates;
use crate::app::{App, FreeBudgets};
use crate::payment_gate::{self, PaidCall, PaymentAttempt, PaymentFailure, Priced};
use crate::payment_required::PaymentRequired;
use crate::refusal::{Quota, Refusal};

/// Maximum estimated processor time of judging a call that nobody pays for.
pub const MAX_FREE_TIME: Duration = Duration::from_millis(250);
/// Bytes that a receipt adds to its request in the store, by estimate, until they are known.
const RECEIPT_BYTES: u64 = 4096;

pub(super) const NO_FREE_TIER: &str = "this route has no free tier";
const USED_UP: &str = "the free calls of this day are used up";
const NETWORK_USED_UP: &str = "the free calls of this day are used up that a network has over all names";
const BYTES_USED_UP: &str = "as many bytes as are kept of a network's free calls in a day are kept";
const TOO_LONG: &str = "judging this takes longer than a free call may";
pub(super) const WATCHES_USED_UP: &str =
    "no more watches are opened for free under this name and from this network at the moment";

/// A call, with its caller and its question.
pub(super) struct Due<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) route: &'a Route,
    pub(super) client: &'a Client,
    pub(super) parts: &'a Parts,
    pub(super) asker: &'a Asker,
    /// SHA-256 of the raw body.
    pub(super) body_hash: [u8; 32],
}

/// The result of that decision.
pub(super) enum Entitled {
    /// The call is free, with a quota reservation if its calls are counted.
    Free { place: Option<QuotaReservation>, has_priority: bool },
    /// The call must be paid for, for this reason.
    MustPay(&'static str),
}

impl<'a> Due<'a> {
    /// The proof that was sent, where there is a payment gate.
    pub(super) fn paying(&self) -> Result<Option<PaymentAttempt<'a>>, Refusal> {
        match &self.app.gate {
            Some(gate) => {
                let challenger = gate.challenger(&self.app.notary);
                let now = self.app.notary.clock.now();
                PaymentAttempt::read(self.parts, self.body_hash, &gate.terms, &challenger, now)
            }
            None => payment_gate::check_proof(&self.parts.headers).map(|()| None),
        }
    }

    /// Looks up the answer that an earlier proof has bought; `None` for a new proof.
    pub(super) async fn known(
        &self,
        paying: &PaymentAttempt<'_>,
        units: u32,
    ) -> Option<Result<Response, PaymentFailure>> {
        self.app.gate.as_ref()?.known(self.app, paying, units).await.transpose()
    }

    /// Returns true if this is the paid retry of a call that was answered 402, and so was counted already.
    fn was_quoted(&self, paying: &PaymentAttempt<'_>) -> bool {
        let now = self.app.notary.clock.monotonic();
        self.app.gate.as_ref().is_some_and(|gate| gate.was_quoted(&paying.request, now))
    }

    /// Counts the call towards its rate: by the payer where its proof is payable as far as can be seen in it, else by
    /// the agent. A fault of the question is told first.
    pub(super) async fn counted(
        &self,
        read: Read,
        paying: Result<Option<PaymentAttempt<'a>>, Refusal>,
    ) -> Result<(Read, Option<PaymentAttempt<'a>>, Option<Quota>), Refusal> {
        let terms = &self.route.terms;
        // Callers of a free route that give no name are told apart by their addresses.
        let agent = read.agent.as_ref().ok();
        let mut hit = rates::hit(terms, self.client, agent.filter(|_| read.names_agent));
        let is_named = agent.is_some();
        let (paying, fault) = match paying {
            Ok(paying) => (paying, read.fault().map(Refusal::from)),
            Err(refusal) => (None, Some(refusal)),
        };
        let asked = match fault {
            // If no agent can be read, no agent's rate is counted.
            Some(refusal) if !is_named => return Err(refusal),
            Some(refusal) => Err(refusal),
            None => Ok(read),
        };
        if let (Ok(read), Some(brought), true) = (&asked, &paying, self.app.limits) {
            if self.was_quoted(brought) {
                return Ok((asked?, paying, None));
            }
            if let Some(payer) = self.payer(brought, read.units).await? {
                hit = rates::hit_of_payer(terms, self.client, payer);
            }
        }
        let (read, quota) = rates::admit_asking(self.app, hit, terms.class, asked).await?;
        Ok((read, paying, quota))
    }

    /// The account that has signed a proof which would pay for this many units now.
    async fn payer(
        &self,
        paying: &PaymentAttempt<'_>,
        units: u32,
    ) -> Result<Option<payment::Address>, Refusal> {
        let (Some(gate), Some(price)) = (&self.app.gate, self.route.terms.price) else { return Ok(None) };
        let at = self.app.notary.now()?;
        Ok(gate.payer(self.app, paying, (self.route.terms.class, price), units, at).await?)
    }

    /// Decides the call's right to be free.
    pub(super) async fn entitle(
        &self,
        agent: &AgentName,
        read: &Read,
        is_paying: bool,
        room: Room,
        at: Timestamp,
    ) -> Result<Entitled, Refusal> {
        let terms = &self.route.terms;
        if !self.app.limits && !terms.is_paid_only() {
            return Ok(Entitled::Free { place: None, has_priority: false });
        }
        let has_priority = match self.granted(Some(agent), read.units).await? {
            // Of a route without a price it lends its priority alone: what is kept of the call is counted still.
            Some(Entitled::Free { place: None, has_priority }) => has_priority,
            Some(granted) => return Ok(granted),
            None => false,
        };
        let (calls, bonus) = match terms.free {
            Free::None => return Ok(Entitled::MustPay(NO_FREE_TIER)),
            Free::Unlimited => (None, 0),
            Free::PerDay(calls) => (Some(calls), 0),
            Free::PerDayAndBonus(calls) => (Some(calls), self.asker.bonus(self.app, agent, at).await?),
        };
        let time =
            read.case.as_ref().ok().and_then(Option::as_ref).and_then(|case| compute::time_of(case.cost()));
        if calls.is_some() && time.is_some_and(|time| time > MAX_FREE_TIME) {
            return Ok(Entitled::MustPay(TOO_LONG));
        }
        if read.unread.bytes > MAX_UNREAD {
            if !is_paying {
                return Err(read.too_much());
            }
            return Ok(Entitled::MustPay(NO_FREE_TIER));
        }
        if room != Room::All {
            return Ok(Entitled::MustPay(WATCHES_USED_UP));
        }
        let budgets = self.budgets(agent, calls, bonus, read.request.len() as u64, at);
        let (wanted, whys): (Vec<QuotaRequest>, Vec<&'static str>) = budgets.into_iter().unzip();
        if wanted.is_empty() {
            return Ok(Entitled::Free { place: None, has_priority });
        }
        match self.app.notary.ledger.reserve(wanted).await? {
            Ok(place) => Ok(Entitled::Free { place: Some(place), has_priority }),
            Err(at_budget) if calls.is_some() => Ok(Entitled::MustPay(whys[at_budget])),
            Err(at_budget) => {
                crate::observe::refused(terms.class, reason(whys[at_budget]));
                let retry_after_s = u32::try_from(free_tier::reset_s(at)).unwrap_or(u32::MAX);
                Err(Refusal::unavailable("storage", retry_after_s, whys[at_budget]))
            }
        }
    }

    /// The budgets that a free call takes from, each with what is said where it is used up.
    fn budgets(
        &self,
        agent: &AgentName,
        calls: Option<u32>,
        bonus: u32,
        bytes: u64,
        at: Timestamp,
    ) -> Vec<(QuotaRequest, &'static str)> {
        let (class, day) = (self.route.terms.class, at.unix_days());
        let ClientNetwork { narrow, wide } = self.client.network();
        let FreeBudgets { tiers, bytes: of_day } = self.app.free_budgets;
        let mut budgets = Vec::with_capacity(5);
        if let Some(calls) = calls {
            let of_calls = free_tier::budgets(agent, self.client.network(), class, (calls, bonus), tiers, at);
            budgets.extend(of_calls.into_iter().map(|request| {
                let why = if matches!(request.of, QuotaKey::Free(_)) { USED_UP } else { NETWORK_USED_UP };
                (request, why)
            }));
        }
        if let Some(of_day) = of_day {
            let of = |network: IpNet, times: u32| {
                let allowance = of_day.saturating_mul(u64::from(times));
                let of = QuotaKey::Bytes { network, day };
                (QuotaRequest { of, units: bytes.saturating_add(RECEIPT_BYTES), allowance }, BYTES_USED_UP)
            };
            budgets.extend([of(narrow, 1), of(wide, WIDE_FACTOR)]);
        }
        budgets
    }

    /// Calls that an operator has granted to the agent, as many as the question has units, all of one grant. No grant
    /// stands in for a bond: it is what a dispute stakes. Of a route without a price nothing is used up, and the grant
    /// lends its priority.
    pub(super) async fn granted(
        &self,
        agent: Option<&AgentName>,
        units: u32,
    ) -> Result<Option<Entitled>, Refusal> {
        let terms = &self.route.terms;
        let Some(agent) = agent.filter(|_| !terms.is_bond()) else { return Ok(None) };
        let (ledger, at) = (&self.app.notary.ledger, self.app.notary.now()?);
        for grant in ledger.grants_of(agent.as_str(), at).await? {
            if !grant.serves(terms.class, self.client.address(), at) {
                continue;
            }
            if !plans::covers(terms) {
                let has_priority = grant.terms.priority;
                return Ok(has_priority.then_some(Entitled::Free { place: None, has_priority }));
            }
            if let Some(place) = ledger.reserve_granted(&grant, units, at).await? {
                let has_priority = grant.terms.priority;
                return Ok(Some(Entitled::Free { place: Some(place), has_priority }));
            }
        }
        Ok(None)
    }

    /// Returns true if a grant lends its priority to a call that is paid for: its calls are used up, or it pays for none of
    /// the route.
    async fn has_priority(&self, agent: &AgentName, at: Timestamp) -> Result<bool, Refusal> {
        let (class, from) = (self.route.terms.class, self.client.address());
        let grants = self.app.notary.ledger.grants_of(agent.as_str(), at).await?;
        Ok(grants.iter().any(|grant| grant.terms.priority && grant.serves(class, from, at)))
    }

    /// Sells an answer, or refuses with its terms.
    pub(super) async fn handle(
        &self,
        paying: Option<PaymentAttempt<'_>>,
        read: Read,
        why: &str,
        at: Timestamp,
    ) -> Result<Response, Refusal> {
        let Some(paying) = paying else { return Err(self.quote(read.units, why)) };
        let (Some(gate), Some(price)) = (&self.app.gate, self.route.terms.price) else {
            return Err(no_settlement());
        };
        self.app
            .storage
            .admit(self.app.notary.clock.monotonic(), true)
            .inspect_err(|_| crate::observe::refused(self.route.terms.class, "storage"))?;
        watch::admit_payer(&*self.app.notary.ledger, self.route.effect_kind(), paying.payer(), at).await?;
        let terms = &self.route.terms;
        let (Ok(agent), Ok(Some(case))) = (read.agent, read.case) else { return Err(no_settlement()) };
        let units = read.units;
        let has_priority = self.has_priority(&agent, at).await?;
        let party = ComputeClient { is_paid: true, has_priority, ..self.client.party() };
        let effect = self.route.effect_kind();
        let call =
            PaidCall { terms, price, paying: &paying, agent, case, effect, request: read.request, at, party };
        let sold = payment_gate::handle(self.app, gate, call).await;
        self.conclude(&paying, units, sold)
    }

    /// Makes the answer that a proof has bought, or the refusal, with the terms where it does not pay.
    pub(super) fn conclude(
        &self,
        paying: &PaymentAttempt<'_>,
        units: u32,
        sold: Result<Response, PaymentFailure>,
    ) -> Result<Response, Refusal> {
        let refused = match sold {
            Ok(answer) => return Ok(answer),
            Err(PaymentFailure::Refused(refusal)) => return Err(refusal),
            Err(PaymentFailure::Unpaid(refused)) => refused,
        };
        metrics::counter!("touchstone_payments_refused_total", "code" => refused.code.as_str()).increment(1);
        let gate = self.app.gate.as_ref().ok_or_else(no_settlement)?;
        let required = self.required(units, refused.code, &refused.detail)?;
        Err(Refusal::PaymentRequired(Box::new(
            required.refusing(&refused, paying.refused_response(&gate.terms, &refused)),
        )))
    }

    /// 503 for a call that must be paid for where nothing can be settled. It says why it must be, and until when.
    fn cannot_pay(&self, why: &str) -> Refusal {
        let Refusal::Unavailable(mut unavailable) = no_settlement() else { return no_settlement() };
        unavailable.detail = format!("{why}, and no payment is taken: {}", unavailable.detail);
        if [USED_UP, NETWORK_USED_UP].contains(&why) {
            let left_s = free_tier::reset_s(self.app.notary.clock.now());
            unavailable.retry_after_s = u32::try_from(left_s).unwrap_or(u32::MAX);
            unavailable.detail = format!("{}; the free calls begin anew at 00:00 UTC", unavailable.detail);
        }
        Refusal::Unavailable(unavailable)
    }

    /// 402 with the terms of so many units; 503 where nothing can be settled. It is remembered: the paid retry of the
    /// request is not counted again. A refused proof is not such a quote, or each would excuse the next.
    pub(super) fn quote(&self, units: u32, why: &str) -> Refusal {
        crate::observe::refused(self.route.terms.class, reason(why));
        let request = payment_gate::identity(self.parts, self.body_hash);
        match self.required(units, Code::PaymentRequired, why) {
            Ok(required) => {
                if let Some(gate) = &self.app.gate {
                    gate.remember(&request, self.app.notary.clock.monotonic());
                }
                Refusal::PaymentRequired(Box::new(required))
            }
            Err(refusal) => refusal,
        }
    }

    fn required(&self, units: u32, error: Code, why: &str) -> Result<PaymentRequired, Refusal> {
        let priced = Priced::of(self.app.base_url(), self.route, units);
        let (Some(gate), Some(priced)) = (&self.app.gate, priced) else { return Err(self.cannot_pay(why)) };
        let quote = priced.quote(&gate.terms, error);
        let mut extensions = priced.extensions();
        extensions.insert(
            1,
            payment_gate::offer(&self.app.notary.keys.signer(), &quote, self.app.notary.clock.now()),
        );
        let request = payment_gate::identity(self.parts, self.body_hash);
        let challenge =
            gate.challenger(&self.app.notary).challenge(&quote, &request, self.app.notary.clock.now());
        let wants_v1 = payment_gate::wants_v1(&self.parts.headers);
        Ok(PaymentRequired::new(&quote, why, &extensions, wants_v1).challenging(&challenge))
    }
}

impl Read {
    /// The first thing that is wrong with the request.
    fn fault(&self) -> Option<FieldError> {
        let of_case = self.case.as_ref().err();
        self.agent.as_ref().err().or(of_case).cloned()
    }

    /// The 400 for members that the question does not read.
    fn too_much(&self) -> Refusal {
        let Some((path, bytes)) = &self.unread.largest else {
            return Refusal::field("body", Reason::TooLong, "has too much that is not read");
        };
        let all = self.unread.bytes;
        let detail = format!(
            "is not read ({bytes} bytes of {all} in such members), and a free call may bring at most {MAX_UNREAD} bytes \
             beside what is read: leave it out, or pay"
        );
        FieldError { path: path.clone(), reason: Reason::TooLong, detail }.into()
    }
}

/// Returns the word in the metrics for the reason why a call must be paid for.
fn reason(why: &str) -> &'static str {
    match why {
        NO_FREE_TIER => "no_free_tier",
        USED_UP => "used_up",
        NETWORK_USED_UP => "network_used_up",
        BYTES_USED_UP => "bytes_used_up",
        TOO_LONG => "too_long",
        WATCHES_USED_UP => "watches_used_up",
        _ => "other",
    }
}

fn no_settlement() -> Refusal {
    Refusal::unavailable("payment", 3600, "no settlement back end is configured")
}
