//! The verdict on swindlers who set every lever right, and on honest owners.

use trust::score::{Purpose, TrustVerdict};

use super::{Facts, Feed, Profile};

/// Names that resemble brands, of the kinds that were met most.
const LOOK_ALIKES: [&str; 18] = [
    "paypa1.com",
    "rnetamask.io",
    "bankofamerlca.com",
    "wellsfarg0.com",
    "microsft.net",
    "paypal-login.com",
    "paypal-secure-login.io",
    "secure-paypal.com",
    "login-microsoftonline.com",
    "amazon-support.net",
    "coinbase-wallet.io",
    "metamask-extension.io",
    "opensea-claim.xyz",
    "apple-id.support",
    "paypal.com.evil-pay.io",
    "usps.com-track.top",
    "ups-parcel.com",
    "irs-refund.com",
];

/// Every lever that costs nothing, or an afternoon, is set right.
fn levers(change: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = Facts { ct_first_seen_days: Some(1), ..Facts::honest() };
    change(&mut facts);
    facts
}

fn verdict(domain: &str, purpose: Purpose, facts: &Facts) -> TrustVerdict {
    let profile = Profile { domain: domain.to_owned(), purpose, facts: facts.clone() };
    profile.judge().unwrap().verdict
}

#[test]
fn no_lever_makes_a_young_look_alike_anything_but_risky() {
    let young = levers(|facts| facts.registered_days = Some(1));
    let nobody_tells = levers(|facts| (facts.registered_days, facts.rdap) = (None, "none".to_owned()));
    let popular = levers(|facts| (facts.registered_days, facts.popular) = (Some(90), true));
    for name in LOOK_ALIKES {
        for facts in [&young, &nobody_tells, &popular] {
            for purpose in Purpose::ALL {
                // Without certificates in the logs nobody knows an age.
                let facts = Facts { ct_first_seen_days: None, ..facts.clone() };
                assert_eq!(
                    verdict(name, purpose, &facts),
                    TrustVerdict::Risky,
                    "{name} {purpose:?} {facts:?}"
                );
            }
        }
    }
}

#[test]
fn no_scam_is_trusted_whatever_it_sets_right() {
    let scams = [
        levers(|facts| facts.registered_days = Some(1)),
        levers(|facts| facts.registered_days = Some(31)),
        levers(|facts| (facts.registered_days, facts.popular) = (Some(179), true)),
        levers(|facts| (facts.registered_days, facts.rdap) = (None, "none".to_owned())),
        levers(|facts| facts.transfer_days = Some(7)),
        levers(|facts| (facts.transfer_days, facts.popular) = (Some(59), true)),
        levers(|facts| facts.reregistered_days = Some(40)),
        levers(|facts| (facts.reregistered_days, facts.popular) = (Some(5), true)),
        // A name that was dropped: old certificates, and a registration of some days.
        levers(|facts| (facts.registered_days, facts.ct_first_seen_days) = (Some(40), Some(4000))),
        levers(|facts| facts.redirects_to = Some("https://evil-checkout.com/".to_owned())),
        levers(|facts| (facts.feed, facts.popular) = (Feed::Hit, true)),
        levers(|facts| (facts.feed, facts.popular) = (Feed::None, true)),
        levers(|facts| (facts.feed, facts.popular) = (Feed::Stale, true)),
        levers(|facts| (facts.hold, facts.popular) = (true, true)),
        levers(|facts| (facts.revoked, facts.popular) = (true, true)),
        levers(|facts| (facts.own_looks_unchanged_days, facts.registered_days) = (Some(29), Some(400))),
    ];
    for facts in &scams {
        for purpose in Purpose::ALL {
            let found = verdict("bright-lamp-outlet.com", purpose, facts);
            assert_ne!(found, TrustVerdict::Trusted, "{purpose:?} {facts:?}");
        }
    }
}

#[test]
fn an_honest_owner_is_kept_from_nothing_beyond_caution() {
    let plain = Facts {
        dmarc: "absent".to_owned(),
        spf: "absent".to_owned(),
        dnssec: "unsigned".to_owned(),
        caa: "none".to_owned(),
        headers: Some(super::Headers::None),
        mx: false,
        ..Facts::honest()
    };
    for domain in ["alice-writes.com", "alice.github.io"] {
        assert_eq!(verdict(domain, Purpose::Web, &plain), TrustVerdict::Caution, "{domain}");
    }
    let kept = Facts { popular: true, ..Facts::honest() };
    for purpose in Purpose::ALL {
        assert_eq!(verdict("small-true-firm.com", purpose, &kept), TrustVerdict::Trusted, "{purpose:?}");
    }
}

#[test]
fn a_bad_host_on_the_way_is_risky_also_below_the_same_name() {
    let led_to = |url: &str| {
        levers(|facts| {
            (facts.redirects_to, facts.popular) = (Some(url.to_owned()), true);
        })
    };
    let found = |url: &str| verdict("bright-lamp-outlet.com", Purpose::Pay, &led_to(url));
    assert_eq!(found("https://paypal.com.bright-lamp-outlet.com/"), TrustVerdict::Risky);
    assert_eq!(found("https://paypa1.com/"), TrustVerdict::Risky);
    assert_eq!(found("https://quiet-orchard.com/"), TrustVerdict::Caution);
    assert_eq!(found("https://www.bright-lamp-outlet.com/"), TrustVerdict::Trusted);
}
