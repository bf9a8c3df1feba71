//! Wiring: which judge sits where, and what the service is made of.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use claim::ClaimJudge;
use fetch::{Fetcher, Limits, Policy, Roots};
use ledger::{Identity, SqliteLedger};
use receipt::sign::Signer;
use receipt::verify::Verifier;
use server::notary::Notary;
use server::payment::Settlement;
use server::route::Docket;
use server::{App, DEV_NOTICE, Latencies, Profile};
use verdict::{Clock, SystemClock};

use crate::keys::NotaryKeys;
use crate::settings::Settings;

/// A first question for `claim-verdict`: test 1 of RFC 8032, section 7.1.
const CLAIM_EXAMPLE: &str = r#"{"agent":"my-agent","claim":"This key signed the empty message.","resolver":{"type":"ed25519_signature","message":"","signature":"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b","signature_encoding":"hex","public_key":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a","public_key_encoding":"hex"}}"#;

/// Every route of the price table, with the judges that there are.
pub fn docket(settings: &Settings, profile: Profile) -> anyhow::Result<Docket> {
    let fetcher = fetcher(settings, profile)?;
    Ok(Docket::new(settings.table()?).seat(
        "claim-verdict",
        Arc::new(ClaimJudge::new(fetcher)),
        CLAIM_EXAMPLE,
    ))
}

fn fetcher(settings: &Settings, profile: Profile) -> anyhow::Result<Fetcher> {
    let mut policy = match profile {
        Profile::Dev => Policy::dev(),
        Profile::Serve => Policy::production(),
    };
    policy.own_addresses.extend(&settings.own_addresses);
    let roots = match &settings.extra_roots {
        Some(path) => {
            let pem = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
            Roots::webpki().with_pem(&pem).with_context(|| format!("{}", path.display()))?
        }
        None => Roots::webpki(),
    };
    Ok(Fetcher::system_with_roots(policy, Limits::default(), roots)?)
}

/// Where payments go: in development the embedded ledger, never an operator's address.
pub fn settlement(settings: &Settings, profile: Profile) -> Option<Arc<Settlement>> {
    let settlement = match profile {
        Profile::Dev => Some(Settlement::local()),
        Profile::Serve => settings.pay_to.clone().map(Settlement::base),
    };
    settlement.map(Arc::new)
}

/// The service at a base address.
pub fn app(settings: &Settings, profile: Profile, base_url: String) -> anyhow::Result<App> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let keys = NotaryKeys::open(&settings.keys_dir, &base_url, true)?;
    let verifier = Verifier::new(keys.verifying()?);
    let log_vkey = keys.log.verifier().to_string();
    let identity = Identity {
        receipt_kid: keys.kid.as_str().to_owned(),
        retired_kids: keys.retired_kids(),
        log_vkey: log_vkey.clone(),
    };
    let ledger = SqliteLedger::open(Path::new(&settings.store), keys.log, &identity, Arc::clone(&clock))?;
    Ok(App {
        profile,
        docket: docket(settings, profile)?,
        settlement: settlement(settings, profile),
        limits: settings.limits,
        proxies: settings.proxies.clone(),
        keys: keys.published,
        log_vkey,
        verifier,
        latencies: Latencies::default(),
        started: clock.now(),
        security_contact: settings.security_contact.clone().unwrap_or_else(|| base_url.clone()),
        notary: Notary {
            iss: base_url,
            signer: Signer::new(keys.receipt, keys.kid),
            ledger: Arc::new(ledger),
            clock,
            scope_prefix: (profile == Profile::Dev).then_some(DEV_NOTICE),
        },
    })
}
