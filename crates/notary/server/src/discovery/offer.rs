//! A route's price, free tier and rate, in the forms that the documents write them in.

use module::terms::{Free, RouteTerms, WINDOW_SECONDS};
use module::{Route, RouteTable};
use serde_json::{Value, json};

use crate::app::{App, Profile};
use crate::payment_gate::Priced;
use crate::payment_required::PaymentRequired;
use crate::reputation;

/// The free calls of each agent in a UTC day, as JSON.
pub(super) fn free_tier(free: Free) -> Value {
    let (per_day, bonus) = match free {
        Free::None => (Some(0), None),
        Free::PerDay(calls) => (Some(calls), None),
        Free::PerDayAndBonus(calls) => (Some(calls), Some(reputation::RULE)),
        Free::Unlimited => (None, None),
    };
    json!({"per_day": per_day, "bonus": bonus, "unlimited": free == Free::Unlimited})
}

/// The free calls in words.
pub(crate) fn free_words(free: Free) -> String {
    match free {
        Free::None => "no free calls".to_owned(),
        Free::PerDay(calls) => format!("{calls} free a day"),
        Free::PerDayAndBonus(calls) => format!("{calls} free a day and a reputation bonus"),
        Free::Unlimited => "free".to_owned(),
    }
}

/// The first call that a newcomer makes: a route that answers, its free calls in words, and a question for it.
pub(crate) struct FirstCall {
    pub class: &'static str,
    pub path: String,
    pub offer: String,
    /// JSON to stand within single quotes of a shell, where all but the quote itself stands as it is.
    pub question: String,
    /// The same JSON, for people.
    pub shown: String,
}

impl FirstCall {
    /// Takes the first route that has a judge and an example.
    pub(crate) fn of(routes: &RouteTable) -> Option<Self> {
        routes.offered().find_map(|route| {
            let example = example(route)?;
            let question = in_quotes(&example.to_string());
            Some(Self {
                class: route.terms.class,
                path: route.terms.path(),
                offer: free_words(route.terms.free),
                question,
                shown: serde_json::to_string_pretty(&example).unwrap_or_default(),
            })
        })
    }
}

/// A text as it stands within single quotes of a shell.
pub(crate) fn in_quotes(text: &str) -> String {
    text.replace('\'', r"'\''")
}

/// The rate limit as JSON: the number of calls, and if they are counted for an `agent` or an `address`.
pub(super) fn rate_limit(requests: u32, per: &str) -> Value {
    json!({"requests": requests, "window_seconds": WINDOW_SECONDS, "per": per})
}

/// The data from which everything published about a service's routes is built.
pub struct Offered<'a> {
    /// The profile of the service.
    pub profile: Profile,
    /// The public base URL, without a trailing slash.
    pub base_url: &'a str,
    /// The verdict routes.
    pub route_table: &'a RouteTable,
    /// The terms of payment; `None` if nothing can be settled.
    pub payee: Option<&'a payment::Terms>,
}

impl<'a> From<&'a App> for Offered<'a> {
    fn from(app: &'a App) -> Self {
        Self {
            profile: app.profile,
            base_url: app.base_url(),
            route_table: &app.route_table,
            payee: app.gate.as_ref().map(|gate| &gate.terms),
        }
    }
}

impl Offered<'_> {
    /// The development profile's warning; empty in production.
    pub(super) fn notice(&self) -> &'static str {
        if self.profile == Profile::Dev { crate::DEV_NOTICE } else { "" }
    }

    /// The price of a call; `null` where the route has none, is not offered, or nothing can be paid for.
    pub(super) fn price(&self, route: &Route) -> Value {
        let terms = &route.terms;
        let (Some(amount), Some(payee), Some(_)) = (terms.price, self.payee, &route.judge) else {
            return Value::Null;
        };
        json!({
            "amount": amount.to_string(),
            "asset": payee.network().symbol,
            "network": payee.network().name,
            "per": terms.unit.word(),
        })
    }

    /// The price of a call in words.
    pub(crate) fn price_words(&self, terms: &RouteTerms) -> String {
        match (terms.price, self.payee) {
            (Some(amount), Some(payee)) => {
                format!("{amount} {} per {}", payee.network().symbol, terms.unit.word())
            }
            (Some(_), None) => "not for sale here".to_owned(),
            (None, _) => "none".to_owned(),
        }
    }

    /// The free calls and the price of a route in words.
    pub(crate) fn words(&self, terms: &RouteTerms) -> String {
        let free = free_words(terms.free);
        match terms.price {
            None => free,
            Some(_) if self.payee.is_none() => format!("{free}; further calls are not for sale here"),
            Some(_) if terms.is_paid_only() => format!("{free}, {}", self.price_words(terms)),
            Some(_) => format!("{free}, then {}", self.price_words(terms)),
        }
    }

    /// The route's 402 without its signed offer; `None` where it has no price or nothing can be settled.
    pub(crate) fn payment_required(&self, route: &Route) -> Option<PaymentRequired> {
        let priced = Priced::of(self.base_url, route, 1)?;
        let quote = priced.quote(self.payee?, payment::Code::PaymentRequired);
        Some(PaymentRequired::new(
            &quote,
            "the free calls of this day are used up",
            &priced.extensions(),
            false,
        ))
    }

    /// The x402 v2 `accepts` of the route's 402; empty where it has no price or nothing can be settled.
    pub(super) fn accepts(&self, route: &Route) -> Value {
        let (Some(payee), Some(price)) = (self.payee, route.terms.price) else { return json!([]) };
        json!([payee.accept_v2(price)])
    }
}

/// A question that a reader can copy, as JSON.
pub(crate) fn example(route: &Route) -> Option<Value> {
    serde_json::from_str(route.example?).ok()
}
