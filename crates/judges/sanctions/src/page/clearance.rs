//! A clearance's receipt in words: the decision and its reasons, then what each part of it rests on.

use askama::Template;
use receipt::json::Json;
use trust::trust_score::reason_sentence;

use crate::agent_clearance::ClearanceReason;

use super::{SHOWN, items, list, party, text};

#[derive(Template)]
#[template(path = "clearance.html")]
struct ClearanceSection<'a> {
    counterparty: &'a str,
    asked_wallet: Option<&'a str>,
    chain: Option<&'a str>,
    sentence: &'static str,
    reasons: Vec<String>,
    name: String,
    names: Vec<String>,
    wallet: Option<String>,
    wallets: Vec<String>,
    signals: &'static str,
    facts: Vec<(&'static str, String)>,
    domain: Option<DomainPart<'a>>,
    lists: Vec<String>,
}

/// The domain in words.
struct DomainPart<'a> {
    name: &'a str,
    sentence: String,
    reasons: Vec<String>,
}

/// The section, from a receipt of a clearance; `None` where it is none.
pub(crate) fn clearance_section(receipt: &Json) -> Option<String> {
    let counterparty = text(receipt, "counterparty_name")?;
    let sentence = match text(receipt, "verdict")? {
        "CLEAR" => "All that was asked for was looked at, and nothing was found.",
        "REVIEW" => "Somebody should look closer, for these reasons.",
        "BLOCK" if !items(receipt, "reasons")?.iter().filter_map(Json::as_str).any(is_of_lists) => {
            "There is a grave reason not to rely on its domain."
        }
        "BLOCK" => {
            "A listed party has this name or wallet. A person must check whether it is the same party."
        }
        _ => return None,
    };
    let (name, signals) = (receipt.get("name_screen")?, receipt.get("wallet_signals")?);
    let wallet = receipt.get("wallet_screen");
    let section = ClearanceSection {
        counterparty,
        asked_wallet: text(receipt, "wallet"),
        chain: text(receipt, "chain"),
        sentence,
        reasons: items(receipt, "reasons")?.iter().filter_map(Json::as_str).map(reason).collect(),
        name: name_sentence(name)?,
        names: candidates(name),
        wallet: wallet.and_then(wallet_sentence),
        wallets: wallet.map(listed_wallets).unwrap_or_default(),
        signals: status(text(signals, "status")?),
        facts: facts(signals),
        domain: receipt.get("domain").and_then(domain_part),
        lists: items(receipt, "lists")?.iter().filter_map(list).collect(),
    };
    section.render().ok()
}

/// True for a reason that blocks because of a list.
fn is_of_lists(code: &str) -> bool {
    matches!(code, "wallet_listed" | "name_match")
}

fn domain_part(domain: &Json) -> Option<DomainPart<'_>> {
    let name = text(domain, "domain")?;
    if text(domain, "status")? == "not_needed" {
        let sentence = "Not looked at: the lists decide without it.".to_owned();
        return Some(DomainPart { name, sentence, reasons: Vec::new() });
    }
    let verdict = text(domain, "verdict")?;
    let says = match verdict {
        "TRUSTED" => "no warning was found, and it has been what it is for a while",
        "CAUTION" => "there is a reason to check it further",
        "INCOMPLETE" => "too little of it could be seen",
        "RISKY" => "there is a grave reason not to rely on it",
        _ => return None,
    };
    let of_payee = |part: &str| domain.get("payee").and_then(|payee| text(payee, part));
    let wallet = match of_payee("wallet") {
        Some("yes") => " The domain itself names the wallet.",
        Some("no") => " The domain names other payees than the wallet.",
        _ => "",
    };
    let named = match of_payee("counterparty_name") {
        Some("yes") => " The authority of its certificate verified that name.",
        Some("no") => " The name is another's than the domain's.",
        _ => "",
    };
    let score = domain.get("hygiene_score").and_then(number)?;
    let reason =
        |found: &Json| Some(format!("{}: {}", text(found, "verdict")?, reason_sentence(text(found, "id")?)));
    Some(DomainPart {
        name,
        sentence: format!("{verdict}: {says}. Hygiene: {score} of 100.{wallet}{named}"),
        reasons: items(domain, "reasons")?.iter().filter_map(reason).collect(),
    })
}

/// A ground in words, behind its code.
fn reason(code: &str) -> String {
    let known = serde_json::from_value::<ClearanceReason>(code.into());
    known.map_or_else(|_| code.to_owned(), |reason| format!("{code}: {}", reason.words()))
}

fn name_sentence(screen: &Json) -> Option<String> {
    let score = screen.get("score").and_then(number)?;
    let says = match text(screen, "verdict")? {
        "MATCH" => "it is a listed name",
        "POSSIBLE_MATCH" => "a listed name may be it",
        _ => "no listed name is like it",
    };
    Some(format!("{}: {says}. The best candidate's score is {score}.", text(screen, "verdict")?))
}

/// The candidates, each behind its verdict and score.
fn candidates(screen: &Json) -> Vec<String> {
    let candidate = |found: &Json| {
        let (verdict, score) = (text(found, "verdict")?, number(found.get("score")?)?);
        Some(format!("{verdict}, score {score}: {}", party(found)?))
    };
    items(screen, "matches").unwrap_or_default().iter().filter_map(candidate).take(SHOWN).collect()
}

fn wallet_sentence(screen: &Json) -> Option<String> {
    let says = if text(screen, "verdict")? == "MATCH" { "a list has it" } else { "no list has it" };
    Some(format!(
        "{}: {says}. It was looked for as {}.",
        text(screen, "verdict")?,
        text(screen, "normalised")?
    ))
}

fn listed_wallets(screen: &Json) -> Vec<String> {
    let listed = |found: &Json| {
        let of = items(found, "listed_as")?.iter().filter_map(|listed| {
            Some(format!("{} ({})", text(listed, "address")?, text(listed, "currency")?))
        });
        Some(format!("{}, as {}", party(found)?, of.take(SHOWN).collect::<Vec<_>>().join(", ")))
    };
    items(screen, "matches").unwrap_or_default().iter().filter_map(listed).take(SHOWN).collect()
}

fn status(status: &str) -> &'static str {
    match status {
        "observed" => "Nodes of the chain were asked, and a quorum of them says this.",
        "not_requested" => "No wallet was given, and none was looked at.",
        "not_needed" => "Not looked at: the lists decide without it.",
        _ => "Not looked at: nothing is known of this chain but the lists.",
    }
}

/// Facts of the account, in reading order.
fn facts(signals: &Json) -> Vec<(&'static str, String)> {
    let said = |name: &str| {
        signals.get(name).and_then(|value| value.as_str().map(str::to_owned).or_else(|| number(value)))
    };
    let facts = [
        ("chain", said("chain")),
        ("block", said("block")),
        ("contract status", said("contract_status")),
        ("delegates to", said("delegate")),
        ("balance, in the chain's smallest unit", said("balance")),
        ("transactions sent", said("transaction_count")),
        ("nodes", nodes(signals)),
    ];
    facts.into_iter().filter_map(|(what, said)| Some((what, said?))).collect()
}

fn nodes(signals: &Json) -> Option<String> {
    let nodes = signals.get("nodes")?;
    let count = |name| nodes.get(name).and_then(number);
    Some(format!("{} of {} agree; it takes {}", count("agreed")?, count("asked")?, count("quorum")?))
}

pub(super) fn number(value: &Json) -> Option<String> {
    match value {
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::clearance_section;

    fn section_of(receipt: &str) -> Option<String> {
        clearance_section(&receipt::json::parse(receipt.as_bytes()).unwrap())
    }

    const LISTS: &str = r#""lists":[{"name":"OFAC SDN","published":"2026-08-20","snapshot":"aa"}]"#;

    #[test]
    fn a_clearance_is_shown_with_its_reasons_candidates_and_signals_and_what_a_caller_wrote_is_escaped() {
        let html = section_of(&format!(
            r#"{{"verdict":"REVIEW","reasons":["name_possible_match","wallet_fresh"],
                "counterparty_name":"<b>Ivan","wallet":"0xAB","chain":"base","name_screen":{{"verdict":"POSSIBLE_MATCH",
                "score":0.912345,"matches":[{{"name":"EXAMPLOV, Ivan","list":"OFAC SDN","uid":"101","verdict":
                "POSSIBLE_MATCH","score":0.912345,"matched_name":{{"name":"VANYA","quality":"weak"}}}}]}},
                "wallet_screen":{{"verdict":"NO_MATCH","normalised":"0xab","matches":[]}},
                "wallet_signals":{{"status":"observed","chain":"eip155:8453","block":7,"contract_status":"none",
                "balance":"12","transaction_count":0,"nodes":{{"asked":3,"quorum":2,"agreed":3}}}},{LISTS}}}"#
        ))
        .unwrap();
        assert!(!html.contains("<b>"), "{html}");
        for words in [
            "Ivan</bdi>, with the wallet <bdi>0xAB</bdi> on <bdi>base</bdi>",
            "Somebody should look closer",
            "<li>name_possible_match: the name may be a listed one</li>",
            "<li>wallet_fresh: the wallet has sent no transaction</li>",
            "POSSIBLE_MATCH: a listed name may be it. The best candidate&#39;s score is 0.912345.",
            "POSSIBLE_MATCH, score 0.912345: EXAMPLOV, Ivan, by the weak alias VANYA: OFAC SDN, entry 101",
            "NO_MATCH: no list has it. It was looked for as 0xab.",
            "<dt>chain</dt><dd>eip155:8453</dd>",
            "<dt>transactions sent</dt><dd>0</dd>",
            "<dd>3 of 3 agree; it takes 2</dd>",
            "OFAC SDN, published 2026-08-20, snapshot aa",
        ] {
            assert!(html.contains(words), "{words} in {html}");
        }
    }

    #[test]
    fn a_blocked_wallet_is_named_with_the_party_that_is_listed_with_it() {
        let html = section_of(&format!(
            r#"{{"verdict":"BLOCK","reasons":["wallet_listed"],"counterparty_name":"X","wallet":"0xab","name_screen":
                {{"verdict":"NO_MATCH","score":0.1,"matches":[]}},"wallet_screen":{{"verdict":"MATCH","normalised":
                "0xab","matches":[{{"name":"LISTED","list":"OFAC SDN","uid":"7","listed_as":[{{"address":"0xAB",
                "currency":"ETH"}}]}}]}},"wallet_signals":{{"status":"not_needed"}},{LISTS}}}"#
        ))
        .unwrap();
        for words in [
            "wallet_listed: a list has the wallet",
            "LISTED: OFAC SDN, entry 7, as 0xAB (ETH)",
            "the lists decide",
        ] {
            assert!(html.contains(words), "{words} in {html}");
        }
    }

    #[test]
    fn a_domain_is_shown_with_its_verdict_and_its_reasons_in_words() {
        let with = |verdict: &str, reasons: &str, domain: &str| {
            section_of(&format!(
                r#"{{"verdict":"{verdict}","reasons":[{reasons}],"counterparty_name":"X","name_screen":{{"verdict":"NO_MATCH",
                    "score":0,"matches":[]}},"wallet_signals":{{"status":"not_requested"}},"domain":{domain},{LISTS}}}"#
            ))
            .unwrap()
        };
        let html = with(
            "BLOCK",
            r#""domain_risky""#,
            r#"{"status":"observed","domain":"evil.example","verdict":"RISKY","hygiene_score":91,"payee":{"bound":"no","wallet":"no","counterparty_name":"yes"},
                "reasons":[{"id":"feed_hit","verdict":"RISKY"},{"id":"young_domain","verdict":"CAUTION"}]}"#,
        );
        for words in [
            "There is a grave reason not to rely on its domain.",
            "<li>domain_risky: there is a grave reason",
            "<bdi>evil.example</bdi>: RISKY: there is a grave reason not to rely on it. Hygiene: 91 of 100. The domain names",
            "<li>RISKY: It is on a feed of bad domains.</li>",
            "<li>CAUTION: It was registered a short time ago.</li>",
        ] {
            assert!(html.contains(words), "{words} in {html}");
        }
        let html = with("BLOCK", r#""name_match""#, r#"{"status":"not_needed","domain":"example.com"}"#);
        assert!(html.contains("A listed party has this name"), "{html}");
        assert!(html.contains("<bdi>example.com</bdi>: Not looked at: the lists decide"), "{html}");
    }

    #[test]
    fn without_a_wallet_none_is_spoken_of_and_another_receipt_has_no_section() {
        let html = section_of(&format!(
            r#"{{"verdict":"CLEAR","reasons":[],"counterparty_name":"X","name_screen":{{"verdict":"NO_MATCH","score":0,
                "matches":[]}},"wallet_signals":{{"status":"not_requested"}},{LISTS}}}"#
        ))
        .unwrap();
        assert!(html.contains("No wallet was given") && !html.contains("The wallet on the lists"), "{html}");
        assert_eq!(section_of(r#"{"verdict":"CLEAR","lists":[]}"#), None);
        assert_eq!(section_of(&format!(r#"{{"verdict":"MATCH","entity":"X","matches":[],{LISTS}}}"#)), None);
    }
}
