//! The judge of `/watch`: checks a question and opens its watch.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use fetch::target::{Target, UrlError};
use fetch::{Fetcher, Policy};
use ledger::Ledger;
use module::RouteTable;
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object};
use receipt::time::Timestamp;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use url::Host;
use verdict::{
    AnyField, AnyJudge, Case, Cost, Effect, EffectKind, EvidenceBlob, EvidenceMissing, FieldError, Fields,
    JudgeContext, Objection, OpenWatch, Reason, Ruling, Unavailable, refuse_misnamed,
};

use super::finding::{self, Beginning, DOMAIN, TABLE, WEBHOOK, find};
use super::screens::{Screen, Screens};
use super::{CapabilityId, WebhookKey, page};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The dependencies of the judge in a running service.
pub struct WatchService {
    /// The ledger that holds the watches.
    pub ledger: Arc<dyn Ledger>,
    /// The fetcher that sends webhooks; it decides which addresses they may have.
    pub fetcher: Fetcher,
    /// The key of webhooks, whose public half receipts state.
    pub webhook_key: WebhookKey,
}

/// The judge of `POST /watch`.
#[derive(Clone)]
pub struct WatchJudge {
    screens: Screens,
    service: Option<Arc<WatchService>>,
}

impl WatchJudge {
    /// Makes a judge that has watched questions screened by the route table's judges.
    #[must_use]
    pub fn new(route_table: &RouteTable, service: WatchService) -> Self {
        Self { service: Some(Arc::new(service)), ..Self::without_service(route_table) }
    }

    /// Makes a judge that can only replay: without a ledger, it opens no watch.
    #[must_use]
    pub fn without_service(route_table: &RouteTable) -> Self {
        Self { screens: Screens::of(route_table), service: None }
    }
}

impl AnyJudge for WatchJudge {
    fn open(&self, request: &Object) -> Result<Box<dyn Case>, FieldError> {
        let screen = self.screens.asked(request)?;
        let policy = self.service.as_ref().map(|service| service.fetcher.policy());
        let fields = Fields::root(request);
        Ok(Box::new(WatchCase {
            screened: screen.judge.open(request)?,
            screen: screen.clone(),
            webhook: read_webhook(&fields, policy)?,
            service: self.service.clone(),
        }))
    }

    fn guarded_fields(&self) -> Vec<&'static dyn AnyField> {
        let screens = self.screens.all().iter();
        let is_of_domains = screens.clone().any(|screen| screen.field == DOMAIN.name);
        let domain = is_of_domains.then_some(&DOMAIN as &'static dyn AnyField);
        screens.flat_map(|screen| screen.judge.guarded_fields()).chain(domain).chain(TABLE.fields()).collect()
    }

    /// Refuses misnamed members, but none that the judge of a domain takes: its route takes `counterparty_name`, which on
    /// the route of a name is meant for `entity`.
    fn receive(&self, request: &Object) -> Result<Box<dyn Case>, FieldError> {
        let look = self.screens.asked(request).ok().filter(|screen| screen.is_look());
        let taken = look.map(|screen| screen.judge.question_schema()).unwrap_or_default();
        let mut guarded = request.clone();
        for name in taken["properties"].as_object().into_iter().flat_map(|members| members.keys()) {
            guarded.remove(name);
        }
        refuse_misnamed(&guarded, &self.guarded_fields())?;
        self.open(request)
    }

    fn effect_kind(&self) -> EffectKind {
        EffectKind::OpenWatch
    }

    fn question_schema(&self) -> Value {
        finding::question_schema(&self.screens)
    }

    fn finding_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        finding::finding_schema(&self.screens, generator)
    }

    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        self.screens.all().iter().find_map(|screen| screen.judge.kept(sha256))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        let screened = receipt.get("screen")?;
        let screen = self.screens.of_class(screened.get("class")?.as_str()?)?;
        page::section(receipt, screen.field, screen.judge.section(screened))
    }

    fn drawing(&self, _: &Json) -> Option<String> {
        None
    }
}

/// A question that is ready to be judged.
struct WatchCase {
    screened: Box<dyn Case>,
    screen: Screen,
    webhook: Option<String>,
    service: Option<Arc<WatchService>>,
}

impl WatchCase {
    fn service(&self) -> Result<&WatchService, Unavailable> {
        self.service.as_deref().ok_or_else(|| self.unavailable(3600, "watches are kept by a running service"))
    }

    fn unavailable(&self, retry_after_s: u32, detail: &str) -> Unavailable {
        Unavailable { module: self.screen.module, retry_after_s, detail: detail.to_owned() }
    }

    async fn admitted(&self, at: Timestamp) -> Result<(), Objection> {
        self.service()?;
        self.screened.admit(at).await
    }

    /// Begins the watch with a first screening, for which the judge is told what it would be told on its own route.
    async fn begun(&self, mut context: JudgeContext) -> Result<Ruling, Unavailable> {
        let WatchService { ledger, webhook_key, .. } = self.service()?;
        let (at, effect) = (context.at, self.screen.judge.effect_kind());
        let memory = notary::memory(&**ledger, effect, self.screen.class, &*self.screened).await;
        context.memory = memory.map_err(|error| error.unread())?;
        let Ruling { finding, mut evidence, .. } = self.screened.judge(context).await?;
        let screening = finding::screening(&finding)
            .ok_or_else(|| self.unavailable(60, "the screening names no lists, and no time of a look"))?;
        let id = CapabilityId::new().ok_or_else(|| self.unavailable(5, "no randomness at the moment"))?;
        let beginning = Beginning { id: id.text(), webhook_key: webhook_key.public() };
        evidence.insert(0, beginning.to_blob());
        let effect = OpenWatch {
            sha256: hex::encode(id.key().0),
            until: finding::until(at),
            webhook: self.webhook.clone(),
            class: self.screen.class.to_owned(),
            screening,
        };
        let finding = find(beginning, &self.screen, self.webhook.as_deref(), finding, at);
        Ok(Ruling { finding, evidence, effect: Some(Effect::OpenWatch(effect)) })
    }
}

impl Case for WatchCase {
    fn about(&self) -> Option<ReceiptHash> {
        None
    }

    fn units(&self) -> u32 {
        1
    }

    fn cost(&self) -> Cost {
        self.screened.cost()
    }

    fn admit(&self, at: Timestamp) -> BoxFuture<'_, Result<(), Objection>> {
        Box::pin(self.admitted(at))
    }

    fn judge(&self, context: JudgeContext) -> BoxFuture<'_, Result<Ruling, Unavailable>> {
        Box::pin(self.begun(context))
    }

    /// The id is part of the evidence, so nothing is random here.
    fn replay(&self, evidence: &[EvidenceBlob], at: Timestamp) -> Result<Object, EvidenceMissing> {
        let beginning = Beginning::read(evidence)?;
        let screened = self.screened.replay(evidence, at)?;
        Ok(find(beginning, &self.screen, self.webhook.as_deref(), screened, at))
    }
}

/// Reads the webhook's address. Without a policy, as in replays, the address is not checked.
fn read_webhook(fields: &Fields<'_>, policy: Option<&Policy>) -> Result<Option<String>, FieldError> {
    let Some(text) = fields.optional_text(&WEBHOOK)? else { return Ok(None) };
    let refuse = |reason, detail: &str| fields.error(WEBHOOK.name, reason, detail);
    let Some(policy) = policy else { return Ok(Some(text.to_owned())) };
    let target = Target::parse(text, policy).map_err(|error| match error {
        UrlError::Refused(refusal) => refuse(Reason::NotApplicable, &format!("cannot be reached: {refusal}")),
        error => refuse(Reason::Malformed, &format!("must be an https URL: {error}")),
    })?;
    // Traffic that stays on this machine needs no encryption; only in development may such an address be reached at
    // all.
    if target.is_https() || (policy.allow_loopback && is_loopback(target.host())) {
        Ok(Some(text.to_owned()))
    } else {
        Err(refuse(Reason::Malformed, "must be an https URL"))
    }
}

fn is_loopback(host: &Host<String>) -> bool {
    match host {
        Host::Domain(domain) => domain == "localhost" || domain.ends_with(".localhost"),
        Host::Ipv4(address) => IpAddr::V4(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;

    use super::*;

    fn read(webhook: &str, policy: &Policy) -> Result<Option<String>, (String, &'static str)> {
        let mut object = Object::new();
        object.insert("webhook", webhook);
        read_webhook(&Fields::root(&object), Some(policy))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn a_webhook_is_https_and_no_address_that_policy_refuses() {
        let policy = Policy::production();
        let public = "https://hooks.example.com/watch?a=1";
        assert_eq!(read(public, &policy), Ok(Some(public.to_owned())));
        for (url, reason) in [
            ("http://hooks.example.com/", "malformed"),
            ("ftp://hooks.example.com/", "malformed"),
            ("hooks.example.com", "malformed"),
            ("https://", "malformed"),
            ("https://127.0.0.1/", "not_applicable"),
            ("https://[::1]/", "not_applicable"),
            ("https://0x7f.1/", "not_applicable"),
            ("https://169.254.169.254/latest/meta-data/", "not_applicable"),
            ("https://10.0.0.1/", "not_applicable"),
            ("https://[::ffff:10.0.0.1]/", "not_applicable"),
            ("https://localhost/", "not_applicable"),
            ("https://intranet/", "not_applicable"),
            ("https://user:password@hooks.example.com/", "not_applicable"),
            ("https://hooks.example.com:8443/", "not_applicable"),
        ] {
            assert_eq!(read(url, &policy), Err(("webhook".to_owned(), reason)), "{url}");
        }
    }

    #[test]
    fn in_development_http_is_for_loopback_alone() {
        let policy = Policy::dev();
        for url in ["http://localhost:7/x", "http://127.0.0.1:7/", "http://[::1]:7/", "https://localhost/"] {
            assert!(read(url, &policy).is_ok(), "{url}");
        }
        assert!(read("http://hooks.example.com/", &policy).is_err());
        assert!(read("https://10.0.0.1/", &policy).is_err());
    }

    #[test]
    fn a_watch_is_of_one_thing() {
        let screens = Screens::of(&RouteTable::new(module::terms::table()));
        assert!(screens.all().is_empty(), "nobody is registered who screens");
        let refused = |body: &str| {
            let request = parse(body.as_bytes()).unwrap();
            let error = screens.asked(request.as_object().unwrap()).map(|_| ()).unwrap_err();
            (error.path.dotted(), error.reason.code())
        };
        assert_eq!(refused("{}"), ("entity".to_owned(), "missing"));
    }
}
