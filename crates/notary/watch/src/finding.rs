//! The finding of a watch's receipt, and the data of it that the ledger needs.

use http::{HeaderMap, HeaderName, HeaderValue};
use receipt::json::{Json, Object, parse};
use receipt::time::Timestamp;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use verdict::{EvidenceBlob, EvidenceMissing, Field, ScreeningResult, Table, Text};

use super::facts::Look;
use super::screens::{Screen, Screens};
use super::{CapabilityId, DAY_MS, DAYS, WEBHOOK_CHARS};

/// The name and version of the rules in this module; those of the screen are named after it.
const METHOD: &str = "watch/1";

const SCOPE: &str = "A promise to screen again at every new publication of the lists named here until the time given, \
    and to sign a receipt when the verdict changes; what the first screen says and does not say is in its own scope.";

const SCOPE_OF_LOOKS: &str = "A promise to look at the domain again once a day until the time given, and to sign a receipt \
    when the verdict, its name servers, mail exchangers, registrar, networks or issuer of certificates change, its DMARC \
    policy is weakened or a reason of risk is new; what the first look says and does not say is in its own scope.";

/// The role of the evidence that no screen has. The id of the watch is in it, so it is in no archive: see
/// `audit_archive::layout::SECRET_ROLE`.
pub const SECRET_ROLE: &str = "watch";

/// The data of a new watch that a replay cannot derive again.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Beginning {
    /// The id of the watch.
    pub(super) id: String,
    /// The public key of webhooks at that time.
    pub(super) webhook_key: String,
}

impl Beginning {
    pub(super) fn to_blob(&self) -> EvidenceBlob {
        EvidenceBlob::new(SECRET_ROLE, serde_json::to_vec(self).expect("texts under names have a JSON form"))
    }

    pub(super) fn read(evidence: &[EvidenceBlob]) -> Result<Self, EvidenceMissing> {
        let blob = evidence.iter().find(|blob| blob.role() == SECRET_ROLE).and_then(EvidenceBlob::bytes);
        let read = blob.and_then(|bytes| serde_json::from_slice(bytes).ok());
        read.ok_or_else(|| EvidenceMissing("the id of the watch".to_owned()))
    }
}

/// The header that returns the id of the opened watch.
const WATCH_ID: HeaderName = HeaderName::from_static("watch-id");

/// The id of a watch, which an answer gives to its caller alone, beside the receipt.
pub struct Secret(HeaderValue);

impl Secret {
    /// Writes the id into the header `Watch-Id`.
    pub fn write(self, headers: &mut HeaderMap) {
        headers.insert(WATCH_ID, self.0);
    }
}

/// Reads the secret of a watch from the evidence of the receipt that opens it.
#[must_use]
pub fn secret(evidence: &[EvidenceBlob]) -> Option<Secret> {
    let Beginning { id, .. } = Beginning::read(evidence).ok()?;
    let mut value = HeaderValue::try_from(id).ok()?;
    value.set_sensitive(true);
    Some(Secret(value))
}

/// Reads the secret from the stored evidence of a receipt (roles and bytes), and writes it into the headers.
pub fn tell_id<'a>(headers: &mut HeaderMap, kept: impl Iterator<Item = (&'a str, &'a [u8])>) {
    let kept: Vec<EvidenceBlob> = kept
        .filter(|(role, _)| *role == SECRET_ROLE)
        .map(|(role, bytes)| EvidenceBlob::new(role.to_owned(), bytes.to_vec()))
        .collect();
    if let Some(secret) = secret(&kept) {
        secret.write(headers);
    }
}

/// The end of a watch that begins at this time.
pub(super) fn until(at: Timestamp) -> Timestamp {
    at.saturating_add_millis(DAYS * DAY_MS)
}

/// Makes the finding of a watch that begins with the ruling of a judge.
pub(super) fn find(
    beginning: Beginning,
    screen: &Screen,
    webhook: Option<&str>,
    mut screened: Object,
    at: Timestamp,
) -> Object {
    let Beginning { id, webhook_key } = beginning;
    let mut watch = Object::new();
    // The id itself is told in a header of the answer alone: whoever has the receipt's hash may read the receipt.
    if let Some(id) = CapabilityId::parse(&id) {
        watch.insert("sha256", hex::encode(id.key().0));
    }
    watch.insert("until", until(at).to_string());
    if let Some(webhook) = webhook {
        watch.insert("webhook", webhook);
        watch.insert("webhook_key", webhook_key);
    }
    let evidence = screened.get("evidence").cloned().unwrap_or(Json::Null);
    let method = screened.get("method").and_then(Json::as_str).unwrap_or_default();
    let method = format!("{METHOD} {method}");
    let first = screened.get("explanation").and_then(Json::as_str).unwrap_or_default();
    let explanation = format!("It is watched until {}. At the start: {first}", until(at));
    screened.insert("class", screen.class);
    let mut finding = Object::new();
    finding.insert("verdict", "WATCHING");
    finding.insert("watch", watch);
    finding.insert("screen", screened);
    finding.insert("evidence", evidence);
    finding.insert("explanation", explanation);
    finding.insert("scope", if screen.is_look() { SCOPE_OF_LOOKS } else { SCOPE });
    finding.insert("method", method);
    finding
}

/// Removes from a watch's finding the parts that only its holder may read: the id of the watch, which is a credential
/// and is in older receipts, and the webhook's address, which may contain one. Neither decides anything.
#[must_use]
pub fn for_others(mut finding: Object) -> Object {
    if let Some(mut watch) = finding.get("watch").and_then(Json::as_object).cloned() {
        watch.remove("id");
        watch.remove("webhook");
        finding.insert("watch", watch);
    }
    finding
}

/// Returns the result of the screening in a judge's finding; `None` if the finding names neither its lists nor the time of
/// its look.
pub fn screening(finding: &Object) -> Option<ScreeningResult> {
    let evidence = finding.get("evidence")?;
    if evidence.get("snapshots").is_none() {
        return Some(Look::of(finding)?.to_screening());
    }
    let id = |id: &Json| id.as_str().map(str::to_owned);
    let snapshots: Option<Vec<String>> = evidence.get("snapshots")?.as_array()?.iter().map(id).collect();
    let at = evidence.get("screened_at")?.as_str()?.parse().ok()?;
    let verdict = finding.get("verdict")?.as_str()?.to_owned();
    Some(ScreeningResult { verdict, snapshots: snapshots?, at })
}

/// The `webhook` member, which no screening question has.
pub(super) const WEBHOOK: Field<Text> = Field::text("webhook", 1..=WEBHOOK_CHARS)
    .describe(
        "An https address that each receipt of a change is POSTed to, signed as Standard Webhooks has it \
         (v1a, Ed25519). It must be public.",
    )
    .pattern("^https?://")
    .synonyms("callback callback_url hook hook_url notify_url notification_url");

/// The member that asks for a look at a domain, known by its name beside those of the screening questions.
pub(super) const DOMAIN: Field<Text> =
    Field::text("domain", 1..=253).synonyms("domain_name hostname host website site");

/// The fields beside those of the screening questions.
pub(super) const TABLE: Table = Table::new("WatchQuestion", &[], &[&WEBHOOK])
    .describe(
        "A name, a wallet or a domain, as /screen-entity, /screen-wallet or /trust-score takes it, and who is to be told.",
    )
    .refusing_misnamed();

/// Makes the schema of a watch's question: the members of either kind, each exactly as its judge takes it.
pub(super) fn question_schema(screens: &Screens) -> Value {
    let all = screens.all();
    let branch = |screen: &Screen| {
        let mut asked = screen.judge.question_schema();
        let mut properties = asked["properties"].take();
        for other in all.iter().filter(|other| other.field != screen.field) {
            // An object and not `false`: generators of clients read it.
            properties[other.field] = json!({"not": {}});
        }
        json!({"title": asked["title"], "required": asked["required"], "properties": properties})
    };
    let branches: Vec<Value> = all.iter().map(branch).collect();
    let mut schema = TABLE.schema();
    if !branches.is_empty() {
        schema["oneOf"] = Value::Array(branches);
    }
    schema
}

/// Makes the schema of the finding, around the schema of the screening.
pub(super) fn finding_schema(screens: &Screens, generator: &mut SchemaGenerator) -> Schema {
    let found = |screen: &Screen, generator: &mut SchemaGenerator| {
        let class = json!({"properties": {"class": {"const": screen.class}}, "required": ["class"]});
        json!({"allOf": [screen.judge.finding_schema(generator).to_value(), class]})
    };
    let found: Vec<Value> = screens.all().iter().map(|screen| found(screen, generator)).collect();
    let hex = |digits: u8| json!({"type": "string", "pattern": format!("^[0-9a-f]{{{digits}}}$")});
    let mut watch: Map<String, Value> = Map::new();
    let mut put = |name: &str, mut schema: Value, description: &str| {
        schema["description"] = json!(description);
        watch.insert(name.to_owned(), schema);
    };
    put(
        "sha256",
        hex(64),
        "The SHA-256 of the 16 bytes of the watch's id, which the answer has in its `Watch-Id` header and nowhere else: who \
         holds it may look at the watch and end it. Receipts of changes name the watch by this.",
    );
    put("until", json!({"type": "string"}), "When it ends.");
    put("webhook", json!({"type": "string"}), "Where changes are told.");
    put(
        "webhook_key",
        json!({"type": "string"}),
        "The public key that webhooks are signed with: `whpk_` and base64.",
    );
    json_schema!({
        "title": "WatchFinding",
        "description": "A watch that begins.",
        "type": "object",
        "required": ["watch", "screen", "explanation"],
        "properties": {
            "watch": {"type": "object", "required": ["sha256", "until"], "properties": watch},
            "explanation": {"type": "string", "description": "What is watched, until when, and what the first screen found."},
            "screen": {"description": "The first screen or look, whole.", "anyOf": found},
        },
    })
}

/// Parses the request of a watch.
pub(super) fn request(bytes: &[u8]) -> Option<Object> {
    match parse(bytes) {
        Ok(Json::Object(object)) => Some(object),
        _ => None,
    }
}
