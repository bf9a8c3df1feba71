//! The keys folder: `receipt.pem` signs receipts, `log.pem` signs the log, `rerun.pem` signs what reruns find,
//! `webhook.pem` signs webhooks, `retired.jwks` are former keys of receipts and reruns, and `base_url` says whose keys they are.

use std::path::Path;

use anyhow::{Context as _, bail};
use receipt::key::{KeyId, KeyState, PublishedKey, SigningKey, log_origin_from_base_url, parse_jwks};
use receipt::verify::Keys;

/// The private keys of a notary at a base address.
pub struct NotaryKeys {
    /// Signs receipts.
    pub receipt: SigningKey,
    /// Its name.
    pub kid: KeyId,
    /// Signs the log's checkpoints.
    pub log: tlog::SigningKey,
    /// The public half of the key of reruns. This process has no use for the other.
    pub rerun: PublishedKey,
    /// Signs webhooks. Where keys are only read, one that is not there is not missed.
    pub webhook: Option<SigningKey>,
    /// The keys of receipts and of reruns, former ones too; first the one that signs receipts.
    pub published: Vec<PublishedKey>,
}

impl NotaryKeys {
    /// Reads the keys; with `create`, makes those that are not there yet.
    pub fn open(folder: &Path, base_url: &str, create: bool) -> anyhow::Result<Self> {
        if create {
            make_folder(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let open = |name: &str| {
            let path = folder.join(name);
            if create { SigningKey::load_or_create(&path) } else { SigningKey::load(&path) }
        };
        if create {
            let path = folder.join(BASE_URL);
            std::fs::write(&path, base_url).with_context(|| format!("write {}", path.display()))?;
        }
        let receipt = open("receipt.pem")?;
        let kid = receipt.id(base_url)?;
        let origin = log_origin_from_base_url(base_url)?;
        let log = tlog::SigningKey::from_seed(&origin, &open("log.pem")?.seed())?;
        let rerun = open(RERUN)?.public_key();
        if rerun == receipt.public_key() {
            bail!("{RERUN} and receipt.pem in {} hold one key: a rerun needs its own", folder.display());
        }
        let webhook = if create { Some(open(WEBHOOK)?) } else { None };
        if webhook.as_ref().is_some_and(|key| [receipt.public_key(), rerun].contains(&key.public_key())) {
            bail!("{WEBHOOK} in {} holds the key of another file: webhooks need their own", folder.display());
        }
        let rerun = PublishedKey::rerun(KeyId::new(base_url, &rerun)?, rerun);
        let mut published = vec![PublishedKey::active(kid.clone(), receipt.public_key())];
        let former = retired(&folder.join("retired.jwks"))?;
        published.extend(former.into_iter().filter(|key| key.kid != rerun.kid));
        published.push(rerun.clone());
        Ok(Self { receipt, kid, log, rerun, webhook, published })
    }

    /// The names of the keys that sign no more.
    pub fn retired_kids(&self) -> Vec<String> {
        let retired = self.published.iter().filter(|key| key.state == KeyState::Retired);
        retired.map(|key| key.kid.as_str().to_owned()).collect()
    }

    /// What verifies their receipts.
    pub fn verifying(&self) -> anyhow::Result<Keys> {
        Ok(Keys::new(self.published.clone(), vec![self.log.verifier()])?)
    }
}

const RERUN: &str = "rerun.pem";
const WEBHOOK: &str = "webhook.pem";

/// The key that a rerun signs with, and its name. The other keys are not touched.
pub fn rerun_key(folder: &Path, base_url: &str) -> anyhow::Result<(SigningKey, KeyId)> {
    let key = SigningKey::load(&folder.join(RERUN))?;
    let kid = key.id(base_url)?;
    Ok((key, kid))
}

/// The file that says for which base address the keys were last used: their names follow from it.
const BASE_URL: &str = "base_url";

/// The base address that the keys in a folder were last used for.
pub fn last_base_url(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join(BASE_URL)).ok().map(|url| url.trim().to_owned())
}

fn retired(path: &Path) -> anyhow::Result<Vec<PublishedKey>> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let keys = parse_jwks(&bytes).with_context(|| format!("{}", path.display()))?;
            let former = |key: PublishedKey| match key.state {
                KeyState::Rerun => key,
                KeyState::Active | KeyState::Retired => PublishedKey::retired(key.kid, key.key),
            };
            Ok(keys.into_iter().map(former).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

/// Makes a folder that only its owner may enter, where there is none.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
