//! x402: `x402/captured`, payloads that real clients have sent, and `x402/spec`, examples of the specification.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use payment::check::{MIN_SECONDS_LEFT, ProofSigner, new_proof};
use payment::eip712::{Domain, recover};
use payment::payer::Demand;
use payment::{
    Address, B256, Code, Header, Network, PaymentEvidence, PaymentIdentifier, Proof, Quote, RequestIdentity,
    Terms, Transfer, U256, Version, extensions, response,
};
use receipt::json::{Json, parse};
use receipt::key::SigningKey;
use receipt::sign::Signer;
use serde_json::Value;
use verdict::Usd;

use super::outcome::Outcome;

/// Runs both suites on a folder laid out as the data folder is.
pub(crate) fn run(dir: &Path) -> Vec<Outcome> {
    let captured = run_captured(&dir.join("x402/captured"));
    let spec = run_spec(&dir.join("x402/spec"));
    [captured, spec].into_iter().filter(|outcome| outcome.total > 0).collect()
}

/// Three cases for each file `{header, value, decoded, method, body}`: the value decodes to what the file says; it
/// pays exactly its price just before its window ends; and it pays nothing on another network.
fn run_captured(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "x402/captured".to_owned(), ..Outcome::default() };
    for (file, text) in files(folder, ".json") {
        let Ok(captured) = parse(text.as_bytes()) else {
            count(&mut outcome, &file, Err("is not JSON".to_owned()));
            continue;
        };
        let decoded = captured.get("decoded").unwrap_or(&Json::Null);
        let same = json_of_base64(text_of(&captured, "value"))
            .is_some_and(|json| json == Value::from(decoded.clone()));
        count(&mut outcome, &format!("{file}: decoded"), same.then_some(()).ok_or("differs".to_owned()));
        count(&mut outcome, &format!("{file}: pays"), check_captured(&captured, decoded));
        count(&mut outcome, &format!("{file}: on another network"), check_elsewhere(&captured, decoded));
    }
    outcome
}

fn check_captured(captured: &Json, decoded: &Json) -> Result<(), String> {
    let network = network_of(decoded).ok_or("the network is not known")?;
    let evidence = read(captured, &network)?;
    let PaymentEvidence::Authorization(signed) = &evidence else {
        return Err("is no authorization".to_owned());
    };
    let authorization = &signed.authorization;
    let end = u64::try_from(authorization.valid_before).map_err(|_| "validBefore is past all times")?;
    let now = end.saturating_sub(MIN_SECONDS_LEFT + 1);
    let price = u64::try_from(authorization.value).map_err(|_| "the amount is past all prices")?;
    let terms = Terms::new(network, authorization.to);
    let body = text_of(captured, "body").as_bytes();
    let request = RequestIdentity::new(text_of(captured, "method"), "/v1/notarize", "", body);
    let pays = |price, now| new_proof(&evidence, &terms, &[Usd::from_atomic(price)], now, &request);
    for (wrong, code) in [
        (pays(price.saturating_add(1), now), Code::InvalidAmount),
        (pays(price.saturating_sub(1), now), Code::InvalidAmount),
        (pays(price, now + 1), Code::Expired),
    ] {
        if wrong.as_ref().err().map(|refused| refused.code) != Some(code) {
            return Err(format!("{wrong:?} where it is to be refused as {}", code.as_str()));
        }
    }
    match pays(price, now).map_err(|refused| refused.to_string())? {
        ProofSigner::ByAccount => Ok(()),
        ProofSigner::Undecided(_) => Err("the signature is not the payer's".to_owned()),
    }
}

/// The signature is the payer's on its own network only.
fn check_elsewhere(captured: &Json, decoded: &Json) -> Result<(), String> {
    let own = network_of(decoded).ok_or("the network is not known")?;
    let evidence = read(captured, &own)?;
    for other in [Network::base(), Network::base_sepolia(), Network::local()] {
        if other.token != own.token && is_the_payers(&evidence, &other) {
            return Err(format!("the signature holds for {}", other.token_name));
        }
    }
    Ok(())
}

fn read(captured: &Json, network: &Network) -> Result<PaymentEvidence, String> {
    let header = header_named(text_of(captured, "header")).ok_or("the header is not known")?;
    let proof =
        Proof::decode(header, text_of(captured, "value").as_bytes()).map_err(|error| error.to_string())?;
    proof.evidence(network).map_err(|refused| refused.to_string())
}

fn is_the_payers(evidence: &PaymentEvidence, network: &Network) -> bool {
    let PaymentEvidence::Authorization(signed) = evidence else { return false };
    let digest = Domain::new(network).authorization_digest(&signed.authorization);
    recover(&digest, &signed.signature) == Ok(signed.authorization.from)
}

/// The network that a payload names; a v2 payload describes those that we do not know.
fn network_of(payload: &Json) -> Option<Network> {
    let known = [Network::base(), Network::base_sepolia()];
    let Some(accepted) = payload.get("accepted") else {
        return known.into_iter().find(|network| network.name == text_of(payload, "network"));
    };
    let name = text_of(accepted, "network");
    let extra = accepted.get("extra")?;
    let described = Network {
        chain_id: name.strip_prefix("eip155:")?.parse().ok()?,
        token: text_of(accepted, "asset").parse().ok()?,
        token_name: text_of(extra, "name").to_owned(),
        token_version: text_of(extra, "version").to_owned(),
        ..Network::base()
    };
    Some(described)
}

/// A case for each file, by what its name and its members say that it is: a proof, terms, a settlement response, an
/// extension, or none of what this project reads, which must then not be taken for a proof.
fn run_spec(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "x402/spec".to_owned(), ..Outcome::default() };
    for (file, text) in files(folder, ".json") {
        let judged = parse(text.as_bytes()).map_err(|error| error.to_string());
        count(&mut outcome, &file, judged.and_then(|example| check_example(&example)));
    }
    for (file, text) in files(folder, ".txt") {
        let name = file.split("-header-").nth(1).and_then(|rest| rest.strip_suffix(".txt"));
        let header = name.and_then(|name| name.split_once('-')).map_or("", |(_, header)| header);
        count(&mut outcome, &file, check_header(header, text.trim()));
    }
    outcome
}

fn check_header(name: &str, value: &str) -> Result<(), String> {
    let json = json_of_base64(value).ok_or("is not base64 of JSON")?;
    let example = Json::from(&json);
    match (header_named(name), name) {
        (Some(header), _) => check_proof(header, value, &example),
        (None, "PAYMENT-REQUIRED") => check_terms(&example),
        (None, "PAYMENT-RESPONSE" | "X-PAYMENT-RESPONSE") => check_response(&example),
        _ => Err("the header is not known".to_owned()),
    }
}

fn check_example(example: &Json) -> Result<(), String> {
    let has = |name| example.get(name).is_some();
    let value = STANDARD.encode(example.to_string());
    if has("payload") && has("x402Version") {
        return check_proof(Header::XPayment, &value, example);
    }
    for header in Header::ALL {
        if Proof::decode(header, value.as_bytes()).is_ok() {
            return Err(format!("is taken for a proof in {}", header.name()));
        }
    }
    check_artifacts(example)?;
    if has("accepts") {
        check_terms(example)
    } else if has("success") {
        check_response(example)
    } else {
        check_identifier(example)
    }
}

/// An EIP-3009 payload decodes as its version, and its signature is the payer's on its own network; one that holds
/// `...` is a shape and has none. No other payload becomes evidence of a payment.
fn check_proof(header: Header, value: &str, example: &Json) -> Result<(), String> {
    let decoded = Proof::decode(header, value.as_bytes());
    let network = network_of(example);
    if example.get("payload").and_then(|payload| payload.get("authorization")).is_none() {
        let is_taken =
            |network: &Network| decoded.as_ref().is_ok_and(|proof| proof.evidence(network).is_ok());
        let taken = [network.unwrap_or_else(Network::base), Network::local()].iter().any(is_taken);
        return if taken { Err("is taken, and no authorization".to_owned()) } else { Ok(()) };
    }
    let proof = decoded.map_err(|error| error.to_string())?;
    let version = if example.get("accepted").is_some() { Version::V2 } else { Version::V1 };
    if proof.version() != Some(version) {
        return Err(format!("is read as version {:?}", proof.version()));
    }
    if example.to_string().contains("...") {
        return Ok(());
    }
    let network = network.ok_or("the network is not known")?;
    let evidence = proof.evidence(&network).map_err(|refused| refused.to_string())?;
    if is_the_payers(&evidence, &network) {
        Ok(())
    } else {
        Err("the signature is not the payer's".to_owned())
    }
}

/// Our own terms have every member that the example has, and a client reads its v2 form.
fn check_terms(example: &Json) -> Result<(), String> {
    let terms = Terms::new(Network::base(), Address::repeat_byte(1));
    let quote = quote(&terms);
    let is_v1 = example.get("x402Version").is_some_and(|version| version.to_string() == "1");
    if is_v1 {
        return check_shape(&quote.v1(), example);
    }
    let ours = json_of_base64(&quote.header(&[])).ok_or("our own header is not base64 of JSON")?;
    check_shape(&ours, example)?;
    let asked = example.get("accepts").and_then(Json::as_array).and_then(<[Json]>::first);
    if asked.is_none_or(|asked| asked.get("extra").is_none()) {
        return Ok(());
    }
    let demand =
        Demand::decode(STANDARD.encode(example.to_string()).as_bytes()).map_err(|error| error.to_string())?;
    let amount = asked.map_or("", |asked| text_of(asked, "amount"));
    if demand.amount.to_string() == amount { Ok(()) } else { Err(format!("asks for {}", demand.amount)) }
}

fn check_response(example: &Json) -> Result<(), String> {
    let network = Network::base();
    let (transaction, payer) = (B256::repeat_byte(1), Address::repeat_byte(2));
    let transfer = Transfer { transaction, log_index: None, payer, value: U256::ONE };
    let is_success = example.get("success").and_then(Json::as_bool) == Some(true);
    let ours = if is_success {
        response::settled(Version::V2, &network, &transfer, &[])
    } else {
        response::failed(Version::V2, &network, Some(payer), Code::InsufficientFunds, None)
    };
    check_shape(&ours, example)
}

/// Signed offers and receipts, wherever they are in the example, say no more than ours do.
fn check_artifacts(example: &Json) -> Result<(), String> {
    match example {
        Json::Object(members) if matches!(members.get("format"), Some(Json::String(_))) => {
            let compact = payload_of_jws(text_of(example, "signature"));
            let Some(payload) = compact.or_else(|| example.get("payload").cloned()) else {
                return Err("has no payload".to_owned());
            };
            check_shape(&our_artifact(payload.get("payer").is_some())?, &payload)
        }
        Json::Object(members) => members.iter().try_for_each(|(_, member)| check_artifacts(member)),
        Json::Array(elements) => elements.iter().try_for_each(check_artifacts),
        _ => Ok(()),
    }
}

/// The payload of our own offer or receipt.
fn our_artifact(is_receipt: bool) -> Result<Value, String> {
    let key = SigningKey::from_seed(&[7; 32]);
    let kid = key.id("https://notary.example").map_err(|error| error.to_string())?;
    let signer = Signer::new(key, kid);
    let terms = Terms::new(Network::base(), Address::repeat_byte(1));
    let signature = if is_receipt {
        let delivery = extensions::DeliveryStatement {
            network: terms.network(),
            resource: "https://notary.example/commit",
            payer: Address::repeat_byte(2),
            transaction: B256::repeat_byte(3),
            issued_at: 1,
        };
        delivery.receipt(&signer).value["info"]["receipt"]["signature"].clone()
    } else {
        extensions::offer(&signer, &quote(&terms), 1).value["info"]["offers"][0]["signature"].clone()
    };
    let payload = signature.as_str().and_then(payload_of_jws).ok_or("our own JWS has no payload")?;
    Ok(Value::from(payload))
}

fn check_identifier(example: &Json) -> Result<(), String> {
    let extension = example.get("extensions").and_then(|all| all.get("payment-identifier"));
    let id = extension.and_then(|extension| extension.get("info")).and_then(|info| info.get("id"));
    match id.map(|id| id.as_str().and_then(PaymentIdentifier::new)) {
        Some(None) => Err("the payment identifier is refused".to_owned()),
        _ => Ok(()),
    }
}

fn quote(terms: &Terms) -> Quote<'_> {
    Quote {
        terms,
        price: Usd::from_cents(1),
        error: Code::PaymentRequired,
        resource: "https://notary.example/commit",
        description: "commits to a value",
    }
}

/// Every member of the example is in ours too, with the same type. Extensions are their own matter, and clients take
/// no `null` as an output schema.
fn check_shape(ours: &Value, example: &Json) -> Result<(), String> {
    let ours = Json::from(ours);
    check_members(&ours, example, "")
}

fn check_members(ours: &Json, example: &Json, at: &str) -> Result<(), String> {
    if ours.type_name() != example.type_name() {
        return Err(format!("{at} is {}, ours {}", example.type_name(), ours.type_name()));
    }
    if let Json::Array(elements) = example {
        let first = ours.as_array().and_then(<[Json]>::first);
        return elements.iter().try_for_each(|element| match first {
            Some(first) => check_members(first, element, at),
            None => Err(format!("{at} is empty in ours")),
        });
    }
    let Json::Object(members) = example else { return Ok(()) };
    for (name, member) in members.iter().filter(|(name, _)| !matches!(*name, "extensions" | "outputSchema")) {
        let own = ours.get(name).ok_or_else(|| format!("{at}/{name} is not in ours"))?;
        check_members(own, member, &format!("{at}/{name}"))?;
    }
    Ok(())
}

fn payload_of_jws(jws: &str) -> Option<Json> {
    let payload = jws.split('.').nth(1)?;
    parse(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}

fn json_of_base64(text: &str) -> Option<Value> {
    serde_json::from_slice(&STANDARD.decode(text).ok()?).ok()
}

fn header_named(name: &str) -> Option<Header> {
    Header::ALL.into_iter().find(|header| header.name() == name)
}

fn text_of<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The names and texts of the files in a folder whose names end so, in order; none where it is not there.
fn files(folder: &Path, ending: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(ending));
    names.sort();
    let text = |name: String| fs::read_to_string(folder.join(&name)).ok().map(|text| (name, text));
    names.into_iter().filter_map(text).collect()
}

fn count(outcome: &mut Outcome, case: &str, judged: Result<(), String>) {
    outcome.total += 1;
    match judged {
        Ok(()) => outcome.passed += 1,
        Err(why) => outcome.failures.push(format!("{case}: {why}")),
    }
}
