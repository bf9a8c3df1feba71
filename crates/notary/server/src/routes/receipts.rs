//! GET /receipts/{hash}: the receipt; with `.jws` the compact JWS, with `.tlog-proof` its newest proof, with `.svg` its
//! picture, where its judge draws one; with `.times` who says when it was said; with `.cose`, `.vc` and `.erc8004` what `receipt_forms` makes of it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use ledger::{Inclusion, StoredReceipt};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use receipt::sign::{Signer, compact_jws, receipt_json};
use receipt_forms::{FormError, Statement, cose, credential, validation};
use verdict::Reason;

use crate::app::App;
use crate::erasure;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes::{self, PathParameter, cosigned};
use crate::times;

const PATH: &str = "/receipts/{hash}";

/// The required form of a receipt's hash, for errors.
pub(crate) const HASH_FORM: &str = "must be 64 lowercase hexadecimal digits";

enum ReceiptFormat {
    Json,
    Jws,
    Proof,
    Drawing,
    Times,
    Other(OtherForm),
}

/// A form of a receipt for readers that do not know ours.
#[derive(Clone, Copy)]
enum OtherForm {
    Cose,
    Credential,
    Validation,
}

impl OtherForm {
    fn media_type(self) -> &'static str {
        match self {
            Self::Cose => cose::MEDIA_TYPE,
            Self::Credential => credential::MEDIA_TYPE,
            Self::Validation => validation::MEDIA_TYPE,
        }
    }
}

/// The suffix of the form that the log's key signs too.
const COSE: &str = ".cose";

/// The suffixes of a receipt's address under which it is signed data in another form, each with its media type.
pub(crate) const SIGNED_FORMS: [(&str, &str); 4] = [
    (".jws", "application/jose"),
    (COSE, "application/cose"),
    (".vc", credential::MEDIA_TYPE),
    (".erc8004", validation::MEDIA_TYPE),
];

/// The key that signs a receipt's other forms: the one that signs receipts.
fn receipt_key(app: &App) -> Arc<Signer> {
    app.notary.keys.signer()
}

/// The key that signs the log's statements in them.
///
/// # Errors
/// 501 where the log's key is elsewhere: it signs one checkpoint for many receipts there, and a signature for each `.cose`
/// that somebody asks for would be in the way of those.
fn log_key(app: &App) -> Result<Arc<Signer>, Refusal> {
    let signer = app.notary.keys.log_signer().or_else(|| app.log_signer.clone());
    signer.ok_or_else(|| Refusal::NotOffered { module: "log_signer", detail: NO_COSE.to_owned() })
}

const NO_COSE: &str = "the log's key of this notary is in a device or with a key service and signs checkpoints alone, so there is \
    no .cose; take .jws with .tlog-proof, or .vc";

/// Serves the receipt in the form of the path's extension.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let ((hash, form), quota) = routes::visit_asking(&app, &client, PATH, asked(name)).await?;
    let proved = find(&app, hash).await?;
    let mut response = match form {
        ReceiptFormat::Json => routes::typed("application/json", proved.to_json(), quota),
        ReceiptFormat::Jws => routes::typed("application/jose", proved.jws()?, quota),
        ReceiptFormat::Proof => {
            let proof = match &app.cosigning {
                Some(cosigning) => cosigned::proof(cosigning, proved.leaf()).await?,
                None => proved.proof(),
            };
            routes::typed("text/plain; charset=utf-8", proof, quota)
        }
        ReceiptFormat::Drawing => {
            let (of_app, length) = (Arc::clone(&app), proved.payload_bytes());
            let draw = move || proved.drawing(&of_app);
            let drawing = app.compute.apart(client.party(), length, draw).await??;
            let mut response = routes::typed("image/svg+xml", drawing, quota);
            // Opened by itself it is a document, and holds what callers wrote.
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_SECURITY_POLICY, routes::NO_SCRIPT);
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }
        ReceiptFormat::Times => {
            let (signed_at, tree_size) = proved.said_of_time()?;
            let times = times::of(&app, proved.leaf(), tree_size).await?;
            routes::json(&times.members(&signed_at), quota)
        }
        ReceiptFormat::Other(form) => {
            let (of_app, length) = (Arc::clone(&app), proved.payload_bytes());
            let make = move || proved.other(form, &of_app);
            let made = app.compute.apart(client.party(), length, make).await??;
            routes::typed(form.media_type(), made, quota)
        }
    };
    routes::link_page(response.headers_mut(), &hash);
    link_forms(&app, response.headers_mut(), &hash);
    // Anybody who has the hash may read the receipt; a shared cache need not keep it for others.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    Ok(response)
}

fn asked(name: Result<PathParameter, Refusal>) -> Result<(ReceiptHash, ReceiptFormat), Refusal> {
    let PathParameter(name) = name?;
    let (text, form) = match name.split_once('.') {
        None => (&*name, ReceiptFormat::Json),
        Some((text, "jws")) => (text, ReceiptFormat::Jws),
        Some((text, "tlog-proof")) => (text, ReceiptFormat::Proof),
        Some((text, "times")) => (text, ReceiptFormat::Times),
        Some((text, "svg")) => (text, ReceiptFormat::Drawing),
        Some((text, "cose")) => (text, ReceiptFormat::Other(OtherForm::Cose)),
        Some((text, "vc")) => (text, ReceiptFormat::Other(OtherForm::Credential)),
        Some((text, "erc8004")) => (text, ReceiptFormat::Other(OtherForm::Validation)),
        Some(_) => return Err(Refusal::not_found(FORMS)),
    };
    Ok((parse_hash(text)?, form))
}

const FORMS: &str = "a receipt has the forms .jws, .tlog-proof, .times, .cose, .vc, .erc8004 and .svg";

/// Names the other forms of a receipt in `Link` headers (RFC 8288), beside that of its page.
pub(crate) fn link_forms(app: &App, headers: &mut HeaderMap, hash: &ReceiptHash) {
    let is_offered = |suffix| suffix != COSE || app.log_signer.is_some();
    for (suffix, media_type) in SIGNED_FORMS.into_iter().filter(|(suffix, _)| is_offered(*suffix)) {
        let link = format!("</receipts/{hash}{suffix}>; rel=\"alternate\"; type=\"{media_type}\"");
        if let Ok(link) = HeaderValue::try_from(link) {
            headers.append(header::LINK, link);
        }
    }
}

/// The hash in a path.
///
/// # Errors
/// 400 naming `hash`.
pub(crate) fn parse_hash(text: &str) -> Result<ReceiptHash, Refusal> {
    text.parse().map_err(|_| Refusal::field("hash", Reason::Malformed, HASH_FORM))
}

/// 503 for a stored receipt that is none.
pub(crate) fn unreadable() -> Refusal {
    Refusal::unavailable("ledger", 60, "the stored receipt cannot be read")
}

/// A stored receipt with its newest proof.
pub(crate) struct Proved {
    hash: ReceiptHash,
    stored: StoredReceipt,
    inclusion: Inclusion,
}

/// The receipt of a hash.
///
/// # Errors
/// 404, and 410 where it was erased.
pub(crate) async fn find(app: &App, hash: ReceiptHash) -> Result<Proved, Refusal> {
    let found = app.notary.ledger.receipt_with_inclusion(&hash).await?;
    let Some((stored, inclusion)) = found else {
        let erased = erasure::document(app, &hash).await?.map(|erased| Refusal::Erased(Box::new(erased)));
        return Err(erased.unwrap_or(Refusal::not_found("no receipt has this hash")));
    };
    Ok(Proved { hash, stored, inclusion })
}

impl Proved {
    /// The whole receipt.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let StoredReceipt { payload, signature, .. } = &self.stored;
        receipt_json(payload, &self.hash, signature, Some(&self.inclusion.to_text()))
    }

    /// The text of the proof under the newest durable checkpoint.
    pub(crate) fn proof(&self) -> String {
        self.inclusion.to_text()
    }

    /// The index of the receipt's leaf.
    pub(crate) fn leaf(&self) -> u64 {
        self.stored.leaf
    }

    /// The time at which the receipt says that it was signed, and the size of the tree that it names as its `log_head`.
    ///
    /// # Errors
    /// 503 where the stored receipt cannot be read.
    pub(crate) fn said_of_time(&self) -> Result<(String, u64), Refusal> {
        let members = parse(&self.stored.payload).map_err(|_| unreadable())?;
        let signed_at = members.get("signed_at").and_then(Json::as_str).map(str::to_owned);
        let size = members.get("log_head").and_then(|head| head.get("size")).and_then(Json::as_number);
        signed_at.zip(size.and_then(|size| size.as_u64())).ok_or_else(unreadable)
    }

    /// The number of bytes of the payload.
    fn payload_bytes(&self) -> usize {
        self.stored.payload.len()
    }

    /// The picture that the class's judge draws.
    ///
    /// # Errors
    /// 404 where it draws none.
    fn drawing(&self, app: &App) -> Result<String, Refusal> {
        let receipt = parse(&self.to_json()).map_err(|_| unreadable())?;
        let drawing = app.route_table.judge_of(&receipt).and_then(|judge| judge.drawing(&receipt));
        drawing.ok_or(Refusal::not_found("this receipt has no picture"))
    }

    /// The receipt in another form.
    ///
    /// # Errors
    /// 404 for `.erc8004` of a class that no route has: nobody knows its good verdict. 503 where the stored receipt cannot
    /// be read, or is not proven to be in the log.
    fn other(&self, form: OtherForm, app: &App) -> Result<Vec<u8>, Refusal> {
        let StoredReceipt { payload, signature, .. } = &self.stored;
        let statement = Statement::read(payload, signature).map_err(|error| self.unmade(&error))?;
        let key = &*receipt_key(app);
        let made = match form {
            OtherForm::Cose => {
                let (proof, keys) = (self.inclusion.to_proof(), app.notary.keys.current());
                let log_keys = keys.verifier.keys().log_keys();
                cose::transparent_statement(&statement, &proof, log_keys, key, &*log_key(app)?)
            }
            OtherForm::Credential => credential::credential(&statement, key),
            OtherForm::Validation => {
                let route = app.route_table.route(statement.class());
                let good = route.and_then(|route| route.terms.verdicts.first());
                let good =
                    good.ok_or(Refusal::not_found("receipts of this class answer no validation request"))?;
                validation::response(&statement, good)
            }
        };
        made.map_err(|error| self.unmade(&error))
    }

    fn unmade(&self, error: &FormError) -> Refusal {
        tracing::error!(leaf = self.stored.leaf, %error, "a form of a receipt cannot be made");
        unreadable()
    }

    /// The compact JWS, under the key that the payload names.
    ///
    /// # Errors
    /// 503 where it names none: a header without the key would verify under no key.
    fn jws(&self) -> Result<String, Refusal> {
        let StoredReceipt { payload, signature, .. } = &self.stored;
        let members = parse(payload).map_err(|_| unreadable())?;
        let kid = members.get("kid").and_then(Json::as_str).ok_or_else(unreadable)?;
        Ok(compact_jws(payload, signature, kid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{QUESTION, Service};

    async fn asked_once(service: &Service) -> String {
        let receipt = service.post("/claim-verdict", QUESTION).await.json();
        format!("/receipts/{}", receipt["receipt_hash"].as_str().unwrap())
    }

    #[tokio::test]
    async fn each_form_has_its_media_type_and_the_same_bytes_after_the_log_has_grown() {
        let service = Service::new();
        let receipt = asked_once(&service).await;
        let types = [
            (".cose", "application/cose; cose-type=\"cose-sign1\""),
            (".vc", "application/vc"),
            (".erc8004", "application/json"),
        ];
        let mut first = Vec::new();
        for (suffix, media_type) in types {
            let answer = service.get(&format!("{receipt}{suffix}")).await;
            assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, media_type));
            first.push(answer.body);
        }
        for _ in 0..2 {
            service.post("/claim-verdict", QUESTION).await;
        }
        for ((suffix, _), first) in types.iter().zip(first) {
            assert_eq!(service.get(&format!("{receipt}{suffix}")).await.body, first, "{suffix}");
        }
    }

    #[tokio::test]
    async fn a_receipt_and_its_page_name_the_other_forms() {
        let service = Service::new();
        let receipt = asked_once(&service).await;
        for path in [receipt.clone(), receipt.replace("receipts", "r")] {
            let answer = service.get(&path).await;
            let links: Vec<_> =
                answer.headers.get_all(header::LINK).iter().map(|link| link.to_str().unwrap()).collect();
            for (suffix, media_type) in SIGNED_FORMS {
                let link = format!("<{receipt}{suffix}>; rel=\"alternate\"; type=\"{media_type}\"");
                assert!(links.contains(&&*link), "{path}: {links:?}");
            }
        }
    }

    #[tokio::test]
    async fn forms_of_what_is_no_receipt_are_refused_as_the_receipt_is() {
        let service = Service::new();
        for suffix in ["cose", "vc", "erc8004"] {
            let unknown = service.get(&format!("/receipts/{}.{suffix}", "ab".repeat(32))).await;
            let malformed = service.get(&format!("/receipts/ab.{suffix}")).await;
            assert_eq!((unknown.status.as_u16(), malformed.status.as_u16()), (404, 400));
            let twice = service.get(&format!("{}.{suffix}.{suffix}", asked_once(&service).await)).await;
            assert_eq!(twice.status.as_u16(), 404);
        }
    }

    #[tokio::test]
    async fn the_validation_form_answers_100_to_the_first_verdict_of_the_class() {
        let service = Service::new();
        let form = service.get(&format!("{}.erc8004", asked_once(&service).await)).await.json();
        assert_eq!(
            (&form["arguments"]["response"], &form["arguments"]["tag"]),
            (&100.into(), &"claim-verdict".into())
        );
    }

    #[test]
    fn a_stored_payload_that_names_no_key_has_no_jws() {
        let jws = |payload: &str| {
            let stored = StoredReceipt { leaf: 0, payload: payload.into(), signature: [0; 64] };
            let inclusion = Inclusion { leaf: 0, path: Vec::new(), checkpoint: "".into() };
            Proved { hash: ReceiptHash([0; 32]), stored, inclusion }.jws()
        };
        assert!(jws(r#"{"kid":"did:web:notary.example#k"}"#).is_ok());
        for payload in ["", "[]", "{}", r#"{"kid":7}"#] {
            assert!(matches!(jws(payload), Err(Refusal::Unavailable(_))), "{payload}");
        }
    }
}
