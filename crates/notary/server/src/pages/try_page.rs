//! `/try`: a console that asks any verdict route, and all of them described for who has no JavaScript.

use askama::Template;
use module::Route;
use payment::{Network, Terms};

use super::fields::{self, FieldLine};
use super::tone::Tone;
use crate::app::{App, Profile};
use crate::discovery::{Offered, offer, request_schema};
use crate::pages;
use crate::refusal::Refusal;

#[derive(Template)]
#[template(path = "try.html")]
struct TryPage<'a> {
    notice: Option<&'a str>,
    base_url: &'a str,
    lines: Vec<RouteLine>,
    /// The terms under which the page signs payments; `None` where nothing can be paid.
    payee: Option<PayeeLine<'a>>,
    /// The public key of the development profile's money; `None` elsewhere.
    faucet_key: Option<&'static str>,
}

struct RouteLine {
    class: &'static str,
    path: String,
    summary: &'static str,
    offer: String,
    verdicts: Vec<(&'static str, Tone)>,
    /// The example question as JSON, and as it stands within single quotes of a shell.
    example: Option<(String, String)>,
    fields: Vec<FieldLine>,
}

/// The network and the token of all payments, which a 402 must name too before the page signs anything.
struct PayeeLine<'a> {
    network: &'a Network,
    pay_to: String,
    token: String,
}

/// Renders the page, which stays the same while the service runs.
pub(super) fn render(app: &App) -> Result<String, Refusal> {
    let offered = Offered::from(app);
    let routes = app.route_table.offered();
    let terms = app.gate.as_ref().map(|gate| &gate.terms);
    let page = TryPage {
        notice: pages::notice(app),
        base_url: app.base_url(),
        lines: routes.map(|route| line(&offered, route)).collect(),
        payee: terms.map(payee),
        faucet_key: terms.and_then(|terms| faucet_key(app.profile, terms)),
    };
    page.render().map_err(|_| Refusal::Bug)
}

fn line(offered: &Offered<'_>, route: &Route) -> RouteLine {
    let terms = &route.terms;
    let example = offer::example(route).map(|example| example.to_string());
    RouteLine {
        class: terms.class,
        path: terms.path(),
        summary: terms.summary,
        offer: offered.words(terms),
        verdicts: terms.verdicts.iter().map(|verdict| (*verdict, Tone::of(verdict))).collect(),
        example: example
            .map(|example| (offer::in_quotes(&example), example))
            .map(|(shell, json)| (json, shell)),
        fields: request_schema(route).as_ref().map(fields::of).unwrap_or_default(),
    }
}

fn payee(terms: &Terms) -> PayeeLine<'_> {
    PayeeLine {
        network: terms.network(),
        pay_to: terms.pay_to().to_string(),
        token: terms.network().token.to_string(),
    }
}

/// The key is on the page only where it pays with money that is worth nothing anywhere.
fn faucet_key(profile: Profile, terms: &Terms) -> Option<&'static str> {
    (profile == Profile::Dev && *terms.network() == Network::local()).then_some(payment::local::FAUCET_KEY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use payment::local_payee;

    #[test]
    fn the_faucet_key_is_shown_for_worthless_money_of_the_development_profile_alone() {
        let terms = |network| Terms::new(network, local_payee());
        assert!(faucet_key(Profile::Dev, &terms(Network::local())).is_some());
        assert_eq!(faucet_key(Profile::Dev, &terms(Network::base())), None);
        assert_eq!(faucet_key(Profile::Serve, &terms(Network::local())), None);
    }

    #[tokio::test]
    async fn each_route_is_described_with_its_example_its_price_and_its_fields() {
        let service = Service::new();
        let page = service.get("/try").await;
        let html = page.text();
        for expected in [
            "<code>/claim-verdict</code>",
            "3 free a day and a reputation bonus, then 0.05 USDC per call",
            "curl -s https://notary.example/claim-verdict",
            "<code>resolver.public_key_encoding</code>",
            "<code>agent</code>",
            "data-verdict=\"REFUTED\"",
        ] {
            assert!(html.contains(expected), "{expected}");
        }
    }
}
