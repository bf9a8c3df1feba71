//! Names that resemble a brand's, and names that do not.

use std::collections::HashSet;

use domain_name::{DomainName, PublicSuffixes, Rules, Subject};
use proptest::prelude::*;
use strsim::osa_distance;

use super::*;

fn found(name: &str) -> Option<LookAlike> {
    look_alike(&Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap())
}

fn resemblance(name: &str) -> Option<(String, Resemblance)> {
    found(name).map(|found| (found.brand, found.resemblance))
}

#[track_caller]
fn are(resembles: Resemblance, names: &[(&str, &str)]) {
    for (name, brand) in names {
        assert_eq!(resemblance(name), Some(((*brand).to_owned(), resembles)), "{name}");
    }
}

#[track_caller]
fn are_none(names: &[&str]) {
    for name in names {
        assert_eq!(found(name), None, "{name}");
    }
}

#[test]
fn a_name_that_looks_the_same_is_found() {
    are(
        Resemblance::Skeleton,
        &[
            ("аррӏе.com", "apple"),
            ("paypa1.com", "paypal"),
            ("rnicrosoft.com", "microsoft"),
            ("rnetamask.io", "metamask"),
            ("g00gle.com", "google"),
            ("faceb00k.com", "facebook"),
            ("wellsfarg0.com", "wellsfargo"),
            ("еbay.com", "ebay"),
        ],
    );
}

#[test]
fn a_name_one_letter_away_is_found_where_it_is_likely_to_be_taken_for_the_brand() {
    are(
        Resemblance::Distance,
        &[
            ("gogle.com", "google"),
            ("googel.com", "google"),
            ("paypall.net", "paypal"),
            ("pay-pal.com", "paypal"),
            ("paypaI.com", "paypal"),
            ("bankofamerlca.com", "bankofamerica"),
            ("microsft.net", "microsoft"),
            ("ledger-live.app", "ledgerlive"),
            // A doubled letter, beside a brand that is no frequent target.
            ("nordeea.com", "nordea"),
        ],
    );
    are_none(&[
        // Other words.
        "mail.com",
        "cloud.org",
        "wikimedia.org",
        "www.email.com",
        // Another first letter, another letter that nobody confuses, or too short.
        "jcloud.com",
        "avant.com",
        "bay.com",
        "ebby.com",
        "example.com",
        "goooogle.com",
        "xn--bcher-kva.de",
    ]);
}

#[test]
fn a_brand_s_very_name_is_found_where_the_brand_is_not_known_to_be() {
    are(
        Resemblance::SameLabel,
        &[
            ("paypal.top", "paypal"),
            ("login.paypal.top", "paypal"),
            ("coinbase.app", "coinbase"),
            ("metamask.xyz", "metamask"),
            ("google.info", "google"),
            ("paypal.co", "paypal"),
            ("usps.de", "usps"),
            // Words that others bear, in top-level domains with much abuse or of lure.
            ("stripe.top", "stripe"),
            ("chase.online", "chase"),
            ("dhl.top", "dhl"),
            ("apple.support", "apple"),
        ],
    );
    are_none(&[
        "google.de",
        "google.co.uk",
        "amazon.de",
        "amazon.com.br",
        "paypal.me",
        "dhl.de",
        "whatsapp.net",
        "wikipedia.org",
        "github.io",
        "google.github.io",
        "github.dev",
        "google.xn--p1ai",
        "paypal.google",
        "kraken.tech",
        "apple.farm",
        "chase.de",
    ]);
}

#[test]
fn a_brand_among_other_words_is_found() {
    are(
        Resemblance::Combination,
        &[
            ("paypal-login.com", "paypal"),
            ("secure-paypal.com", "paypal"),
            ("paypal-secure-login.io", "paypal"),
            ("securepaypal.com", "paypal"),
            ("paypa1-login.com", "paypal"),
            ("paypall-login.com", "paypal"),
            ("wells-fargo-secure.com", "wellsfargo"),
            ("login-microsoftonline.com", "microsoftonline"),
            ("amazon-support.net", "amazon"),
            ("coinbase-wallet.io", "coinbase"),
            ("metamask-extension.io", "metamask"),
            ("opensea-claim.xyz", "opensea"),
            ("ledger-login.app", "ledger"),
            ("openai-billing.com", "openai"),
            ("ups-parcel.com", "ups"),
            ("irs-refund.com", "irs"),
            ("irsrefunds.com", "irs"),
            ("ezpass-toll.com", "ezpass"),
            ("x402-facilitator.com", "x402"),
            ("meta-verify.com", "meta"),
            ("claude-login.com", "claude"),
            ("coinbase365.com", "coinbase"),
            ("whatsapp-qrst.top", "whatsapp"),
            // Below a platform's name with a word of lure.
            ("paypal-login.web.app", "paypal"),
        ],
    );
    let found = super::tests::found("paypal-secure-login.io").unwrap();
    assert_eq!(
        (found.category, found.words),
        (Some(Category::Payment), vec!["secure".into(), "login".into()])
    );
}

#[test]
fn a_word_that_contains_a_brand_is_another_word() {
    are_none(&[
        "applebees.com",
        "appleton.org",
        "chasethemoon.com",
        "upstairs.com",
        "deltadental.com",
        "ledger-enquirer.com",
        "targeting.com",
        "tracking.com",
        "shipping.com",
        "visitor.com",
        "purchase-online.com",
        "chase-the-moon.com",
        "apple-farm.com",
        "github-tutorials.com",
        "paypal-clone.github.io",
        "ing-bank.de",
        "orange-live.com",
        "targetlogin.com",
    ]);
}

#[test]
fn a_brand_left_of_another_s_name_is_found() {
    are(
        Resemblance::BrandLeft,
        &[
            ("paypal.com.evil-pay.io", "paypal"),
            ("usps.com-track.top", "usps"),
            ("www.paypal.com.evil.github.io", "paypal"),
            ("secure-paypal.com.evil-pay.io", "paypal"),
            ("login.paypal.evil-pay.io", "paypal"),
            ("microsoft-login.example.org", "microsoft"),
            ("apple.login-verify.top", "apple"),
        ],
    );
    are_none(&[
        "github.example.org",
        "apple.stackexchange.com",
        "www.paypal.com.edgekey.net",
        "docs.google.com",
        "amazon.science",
        "office.example.org",
    ]);
}

#[test]
fn a_brand_s_own_names_resemble_none() {
    let suffixes = PublicSuffixes::bundled();
    for brand in brands() {
        for own in &brand.own {
            let name = DomainName::parse(own).unwrap();
            assert_eq!(
                suffixes.registrable(&name).unwrap_or_else(|| name.clone()),
                name,
                "{own} is registrable"
            );
            are_none(&[own.as_str(), &*format!("www.{own}"), &*format!("login.account.{own}")]);
        }
    }
    are_none(&[
        "paypal.com",
        "x.com",
        "target.com",
        "squareup.com",
        "microsoftonline.com",
        "openai.com",
        "metamask.io",
    ]);
}

#[test]
fn there_are_at_least_500_brands_each_once_with_a_category_and_an_own_name() {
    assert!(brands().len() >= 500, "{}", brands().len());
    let labels: HashSet<&str> = brands().iter().map(|brand| brand.label).collect();
    assert_eq!(labels.len(), brands().len());
    for brand in brands() {
        assert!(!brand.own.is_empty(), "{}", brand.label);
        assert!(
            brand.label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
            "{}",
            brand.label
        );
        assert!(!other_words().contains(brand.label), "{}", brand.label);
    }
    for category in Category::ALL {
        assert!(brands().iter().any(|brand| brand.category == category), "{category:?}");
        assert_eq!(serde_json::to_value(category).unwrap(), category.name());
    }
}

#[test]
fn the_lines_of_the_list_are_read_whole() {
    let (_, text) = FILES.iter().find(|(file, _)| *file == "brands.txt").unwrap();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '['])) {
        lines += 1;
        let flags = line.split(' ').nth(1).unwrap();
        assert!(!flags.is_empty() && flags.chars().all(|flag| "-wbgte".contains(flag)), "{line}");
    }
    assert_eq!(lines, brands().len());
    for (section, words) in lure_words() {
        let is_known = ["strong", "strict", "weak"].contains(&section)
            || Category::ALL.iter().any(|it| it.name() == section);
        assert!(is_known && !words.is_empty(), "{section}");
    }
}

#[test]
fn another_word_is_one_letter_away_from_a_brand() {
    let is_near = |word: &&&str| brands().iter().any(|brand| osa_distance(brand.label, word) == 1);
    assert_eq!(
        other_words().iter().find(|word| !is_near(word)),
        None,
        "or it would not have to be on the list"
    );
}

#[test]
fn evidence_of_earlier_rules_reads_and_reads_back_the_same() {
    let text = r#"{"brand":"a-name-of-then","resemblance":"same_label"}"#;
    let found: LookAlike = serde_json::from_str(text).unwrap();
    assert_eq!((found.category, found.words.len()), (None, 0));
    assert_eq!(serde_json::to_string(&found).unwrap(), text);
}

proptest! {
    /// The table of shortened labels finds what a comparison with every brand finds.
    #[test]
    fn a_label_one_letter_away_is_near_by_every_comparison(label in "[a-z0-9-]{3,16}") {
        let near = |brand: &&Brand| osa_distance(brand.label, &label) == 1;
        if let Some((brand, Resemblance::Distance)) = resembled_brand(&label) {
            prop_assert!(near(&super::brand(brand).unwrap()));
        }
    }

    #[test]
    fn a_frequent_target_is_found_behind_any_letter_put_in(at in 1usize..6, letter in "[a-z]") {
        let label = format!("{}{letter}{}", &"paypal"[..at], &"paypal"[at..]);
        let is_found = resembled_brand(&label).is_some();
        prop_assert!(is_found || brand(&label).is_some() || other_words().contains(label.as_str()), "{label}");
    }

    #[test]
    fn any_name_gets_an_answer(name in "([a-zа-я0-9-]{1,20}\\.){1,4}(com|top|co\\.uk|github\\.io|zz)") {
        let subject = Subject::parse(&name, &PublicSuffixes::bundled(), &Rules::default());
        if let Some((subject, found)) = subject.ok().and_then(|subject| Some((subject.clone(), look_alike(&subject)?))) {
            prop_assert!(brand(&found.brand).is_some());
            prop_assert!(!is_owned(&subject.registrable));
        }
    }
}

#[test]
fn a_name_that_resembles_two_brands_is_found_by_either() {
    let name = "apple-id.support";
    let subject = Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
    let found = look_alike(&subject).expect("a look-alike");
    assert!(found.brand.starts_with("apple"), "{found:?}");
}
