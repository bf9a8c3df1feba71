//! Addresses within documents, records and texts.

use serde_json::Value;
use url::Url;
use wallet_address::{Form, form, normalise};

/// Maximum number of addresses, and of names, of one place.
pub const MAX_PAYEES: usize = 64;
/// The most values of a document that are looked at, and characters of a name.
const MAX_VALUES: usize = 100_000;
const MAX_NAME_CHARS: usize = 128;
/// The longest text that can be an address.
const MAX_ADDRESS_BYTES: usize = 256;
/// Members that name a payee, in lower case, without `_` and `-`.
const PAYEE: &[&str] = &["payto", "paytoaddress", "payee", "payeeaddress"];
/// Members of a payee that is an object, beside networks of CAIP-2, that have its address.
const NETWORKS: &[&str] = &["address", "base", "ethereum", "evm", "polygon", "solana", "svm"];
/// Members at the top of a document, or of its provider, that name the seller.
const NAME: &[&str] = &["name", "legalname", "organization", "operator", "provider", "servicename"];

/// Returns the addresses to which a JSON document wants payments, in canonical spelling, each once: the values of
/// `payTo` (also spelled `pay_to` or `payto`), wherever they are, as a text, a list of texts, or texts by network. A
/// value that is no address with a right checksum is ignored. A document that cannot be parsed has none.
#[must_use]
pub fn payees_in_document(document: &[u8]) -> Vec<String> {
    let Ok(document) = serde_json::from_slice::<Value>(document) else { return Vec::new() };
    let mut found = Payees::default();
    let mut left = vec![(&document, false)];
    let mut seen = 0;
    while let Some((value, is_payee)) = left.pop() {
        seen += 1;
        if seen > MAX_VALUES {
            break;
        }
        match value {
            Value::String(text) if is_payee => found.add(text),
            Value::Array(values) => left.extend(values.iter().rev().map(|value| (value, is_payee))),
            Value::Object(members) => left.extend(members.iter().rev().map(|(key, value)| {
                let own = plain(key);
                let is_of_network = key.contains(':') || NETWORKS.contains(&&*own);
                (value, PAYEE.contains(&&*own) || (is_payee && is_of_network))
            })),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found.0
}

/// Returns the names that a JSON document gives its seller, as it gives them: members such as `name`, `provider` and
/// `legalName` at its top or within its `provider`.
#[must_use]
pub fn names_in_document(document: &[u8]) -> Vec<String> {
    let Ok(Value::Object(top)) = serde_json::from_slice::<Value>(document) else { return Vec::new() };
    let mut names = Vec::new();
    for (key, value) in top.iter().filter(|(key, _)| NAME.contains(&&*plain(key))) {
        let inner = value.as_object().into_iter().flatten();
        let inner = inner.filter(|(inner, _)| NAME.contains(&&*plain(inner)) && plain(key) != "name");
        for text in [value].into_iter().chain(inner.map(|(_, value)| value)).filter_map(Value::as_str) {
            let name: String = text.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
            if !name.trim().is_empty() && !names.contains(&name) && names.len() < MAX_PAYEES {
                names.push(name);
            }
        }
    }
    names
}

/// Returns the addresses in a TXT record at `_x402.domain`, in canonical spelling: the values of `payto` (also spelled
/// `pay_to`) among its pairs `key=value`, separated by `;`. A record that does not begin with `v=x402` has none.
#[must_use]
pub fn payees_in_txt(record: &[u8]) -> Vec<String> {
    let mut found = Payees::default();
    for (key, value) in pairs(record) {
        if PAYEE.contains(&&*key) {
            value.split(',').for_each(|address| found.add(address));
        }
    }
    found.0
}

/// Returns the address of the discovery document that a TXT record at `_x402.domain` names (`wk`, or `url` in the
/// earlier draft); `None` if it names no `https` URL.
#[must_use]
pub fn manifest_in_txt(record: &[u8]) -> Option<Url> {
    let pairs = pairs(record);
    let named = pairs.iter().find(|(key, _)| key == "wk" || key == "url")?;
    Url::parse(&named.1).ok().filter(|url| url.scheme() == "https" && url.has_host())
}

/// Returns the addresses within a text such as `security.txt`, in canonical spelling: words of a form with a checksum.
#[must_use]
pub fn payees_in_text(text: &str) -> Vec<String> {
    let mut found = Payees::default();
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, ',' | ';' | '"' | '<' | '>' | '(' | ')')
    };
    for word in text.split(ends).filter(|word| word.len() >= 26) {
        let has_checksum = |form| match form {
            Form::Evm | Form::Bech32 | Form::CashAddr | Form::Base58Check | Form::RippleBase58Check => true,
            Form::Base58 | Form::Other => false,
        };
        if word.len() <= MAX_ADDRESS_BYTES && form(word).is_ok_and(has_checksum) {
            found.add(word);
        }
    }
    found.0
}

/// Returns true if both texts are spellings of one address.
#[must_use]
pub fn is_same_payee(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    form(one).is_ok() && form(other).is_ok() && normalise(one) == normalise(other)
}

/// Addresses, each once.
#[derive(Default)]
struct Payees(Vec<String>);

impl Payees {
    fn add(&mut self, text: &str) {
        let text = text.trim();
        if text.len() > MAX_ADDRESS_BYTES || self.0.len() >= MAX_PAYEES || form(text).is_err() {
            return;
        }
        let address = normalise(text).into_owned();
        if !self.0.contains(&address) {
            self.0.push(address);
        }
    }
}

/// The pairs of a record of x402, with keys as [`plain`] spells them; empty for another record.
fn pairs(record: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(record);
    let pairs = text.split(';').filter_map(|pair| pair.split_once('='));
    let pairs: Vec<_> = pairs.map(|(key, value)| (plain(key), value.trim().to_owned())).take(64).collect();
    let is_x402 = pairs.first().is_some_and(|(key, value)| {
        key == "v" && value.get(..4).is_some_and(|v| v.eq_ignore_ascii_case("x402"))
    });
    if is_x402 { pairs } else { Vec::new() }
}

/// A key in lower case, without `_` and `-`.
fn plain(key: &str) -> String {
    key.trim().chars().filter(|c| !matches!(c, '_' | '-')).take(32).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EVM: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const OTHER: &str = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
    const SOLANA: &str = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";

    fn canonical(addresses: &[&str]) -> Vec<String> {
        addresses.iter().map(|address| normalise(address).into_owned()).collect()
    }

    #[test]
    fn every_shape_of_a_document_gives_its_payees() {
        for document in [
            format!(r#"{{"accepts":[{{"payTo":"{EVM}"}},{{"payTo":"{EVM}"}},{{"payTo":"{OTHER}"}}]}}"#),
            format!(r#"{{"resources":[{{"accepts":[{{"pay_to":"{EVM}"}}]}}],"payTo":"{OTHER}"}}"#),
            format!(r#"{{"payto":["{EVM}","{OTHER}"]}}"#),
            format!(r#"{{"payTo":{{"eip155:8453":"{EVM}","eip155:1":"{OTHER}"}}}}"#),
            format!(r#"[{{"payTo":"eip155:8453:{EVM}"}},{{"PayTo":"{}"}}]"#, OTHER.to_lowercase()),
        ] {
            let mut found = payees_in_document(document.as_bytes());
            found.sort();
            assert_eq!(found, canonical(&[EVM, OTHER]), "{document}");
        }
        assert_eq!(payees_in_document(format!(r#"{{"payTo":"{SOLANA}"}}"#).as_bytes()), [SOLANA]);
    }

    #[test]
    fn what_names_no_payee_gives_none() {
        let wrong = EVM.replace("ed", "eD");
        for document in [
            "".to_owned(),
            "<html>".to_owned(),
            "{}".to_owned(),
            format!(r#"{{"asset":"{EVM}","ownershipProofs":["{EVM}"]}}"#),
            format!(r#"{{"payTo":"{wrong}"}}"#),
            format!(r#"{{"payee":{{"asset":"{EVM}"}}}}"#),
            r#"{"payTo":"me"}"#.to_owned(),
            r#"{"payTo":7}"#.to_owned(),
            format!(r#"{{"payTo":"{EVM}""#),
        ] {
            assert!(payees_in_document(document.as_bytes()).is_empty(), "{document}");
        }
        let names =
            r#"{"name":"Shop","provider":{"legalName":"Shop Ltd","name":"Shop"},"services":[{"name":"x"}]}"#;
        assert_eq!(names_in_document(names.as_bytes()), ["Shop", "Shop Ltd"]);
    }

    #[test]
    fn a_record_names_a_document_and_payees() {
        let record =
            format!("v=x402-1; wk=https://a.example/.well-known/x402; k=resource-server; payTo={EVM}");
        assert_eq!(payees_in_txt(record.as_bytes()), canonical(&[EVM]));
        let manifest = manifest_in_txt(record.as_bytes()).unwrap();
        assert_eq!(manifest.as_str(), "https://a.example/.well-known/x402");
        let earlier = b"v=x4021;descriptor=api;url=https://a.example/x";
        assert_eq!(manifest_in_txt(earlier).unwrap().as_str(), "https://a.example/x");
        let two = format!("v=X402;pay_to={EVM},{OTHER}");
        assert_eq!(payees_in_txt(two.as_bytes()), canonical(&[EVM, OTHER]));
        for none in [format!("payto={EVM}"), format!("v=spf1; payto={EVM}"), "v=x402-1; payto=me".to_owned()]
        {
            assert!(payees_in_txt(none.as_bytes()).is_empty(), "{none}");
        }
        assert_eq!(manifest_in_txt(b"v=x402-1; wk=http://a.example/"), None);
    }

    #[test]
    fn a_text_names_only_addresses_with_a_checksum() {
        let text = format!(
            "Contact: mailto:a@example.com\n# donations: {EVM}, (bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)\n{SOLANA}"
        );
        assert_eq!(payees_in_text(&text), canonical(&[EVM, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"]));
        assert!(is_same_payee(EVM, &EVM.to_lowercase()) && !is_same_payee(EVM, OTHER));
        assert!(!is_same_payee("me", "me"), "no address");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,100}") {
            let _payees = (payees_in_document(&bytes), payees_in_txt(&bytes), names_in_document(&bytes));
            let _payees = (payees_in_text(&text), payees_in_txt(format!("v=x402;payto={text}").as_bytes()));
            let _payees = payees_in_document(format!(r#"{{"payTo":[{text}]}}"#).as_bytes());
            let _manifest = manifest_in_txt(format!("v=x402;wk={text}").as_bytes());
        }
    }
}
