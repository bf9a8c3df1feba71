//! `touchstone verify`: receipts and archives, offline.

mod times;
mod witnesses;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object, parse};
use receipt::key::{LogKey, parse_jwks, parse_log_keys};
use receipt::verify::{
    CheckResult, Keys, Report, VerificationOutcome, Verifier, VerifyError, VerifyErrorKind,
};
use serde_json::json;
use time_stamp::Authority;
use tlog::proof::MAX_PROOF_BYTES;
use tlog::{Policy, VerifierKey};
use verdict::{Clock as _, SystemClock};

use super::call::http::{Server, TOTAL};
use super::keys::ShownKeys;
use super::verify_archive;
use crate::cli::VerifyArgs;
use crate::error_text;
use crate::keys::NotaryKeys;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::timestamps;

/// The most bytes of one receipt, and of a file that is one JSON document.
const MAX_RECEIPT: u64 = 16 << 20;
/// The exit code where nothing was found wrong, and a check could not be made.
const CANNOT_SAY: u8 = 2;

/// Verifies every receipt. Exit 0 where all hold and there is at least one, 1 where one does not hold or is no receipt, and 2
/// where it cannot be said: a key or a proof is missing, or a file cannot be read.
pub fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    verified(args).or_else(|error| {
        eprintln!("touchstone: {}", error_text::once(&error));
        Ok(ExitCode::from(CANNOT_SAY))
    })
}

fn verified(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let are_archives = args.files.iter().all(|path| verify_archive::is_one(path));
    let is_about_one_receipt = args.policy.is_some() || args.proof.is_some() || args.times.is_some();
    if is_about_one_receipt && args.files.iter().any(|path| verify_archive::is_one(path)) {
        bail!("--policy, --proof and --times are about receipts, and not about an archive");
    }
    let keys = match keys(args) {
        // An archive has keys of its own, which say nothing about whose it is.
        Err(_) if are_archives && args.keys.is_none() && args.url.is_none() => None,
        keys => Some(keys?),
    };
    let verifier = Verifier::new(keys.clone().unwrap_or_default()).at(SystemClock::start().now());
    let log_keys = verifier.keys().log_keys();
    let policy = args.policy.as_deref().map(|path| witnesses::policy(path, log_keys)).transpose()?;
    let proof = args.proof.as_deref().map(proof).transpose()?;
    let authority =
        args.stamped_under.as_deref().map(|roots| timestamps::authority(roots, None)).transpose()?;
    let authority = authority.map(|(authority, _)| authority);
    let times = match (&args.times, &args.url, &authority) {
        (Some(path), _, _) => Some(TimesFrom::File(times::Times::read(path, authority.clone())?)),
        (None, Some(url), Some(authority)) => {
            Some(TimesFrom::Notary(Server::new(url, TOTAL)?, authority.clone()))
        }
        (None, None, Some(_)) if !are_archives => bail!("--stamped-under needs --times or --url"),
        _ => None,
    };
    let (quiet, as_json) = (args.quiet, args.json);
    let progress = Progress::beside_results("receipts verified", None, quiet);
    let (valid, invalid, unsaid) = (0, 0, 0);
    let mut tally =
        VerificationRun { verifier, policy, proof, times, quiet, as_json, progress, valid, invalid, unsaid };
    for path in &args.files {
        let verified = if verify_archive::is_one(path) {
            verify_archive::one(path, keys.clone(), authority.as_ref(), quiet, as_json)
                .map(|outcome| tally.count(outcome))
        } else {
            tally.file(path)
        };
        if let Err(error) = verified {
            eprintln!("touchstone: {}: {}", path.display(), error_text::once(&error));
            tally.unsaid += 1;
        }
    }
    let VerificationRun { valid, invalid, unsaid, .. } = tally;
    if !as_json {
        let unsaid = if unsaid > 0 { format!(", {unsaid} cannot be said") } else { String::new() };
        println!("{valid} valid, {invalid} not valid{unsaid}");
    }
    Ok(match (invalid, unsaid, valid) {
        (1.., _, _) => ExitCode::FAILURE,
        (0, 1.., _) | (0, 0, 0) => ExitCode::from(CANNOT_SAY),
        (0, 0, _) => ExitCode::SUCCESS,
    })
}

/// The keys that are named, or those of the notary at an address, else those of the data folder. With receipt keys and no log
/// key named, no inclusion can be checked: the rest is still looked at.
fn keys(args: &VerifyArgs) -> anyhow::Result<Keys> {
    if let Some(url) = &args.url {
        return Server::new(url, TOTAL)?.keys();
    }
    let named_log = args.log_key.as_ref().map(|vkey| vkey.parse().context("--log-key")).transpose()?;
    if let Some(path) = &args.keys {
        let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
        let receipt_keys = parse_jwks(&bytes).with_context(|| format!("{}", path.display()))?;
        let log_keys = parse_log_keys(&bytes).with_context(|| format!("{}", path.display()))?;
        if named_log.is_none() && log_keys.is_empty() {
            eprintln!(
                "--log-key is missing, and {} has none: without it no receipt's inclusion in the log can be checked",
                path.display()
            );
        }
        return Ok(Keys::new(receipt_keys, Vec::new())?.with_log_keys(chosen(named_log, log_keys)));
    }
    let settings = Settings::load(&args.settings)?;
    if !settings.keys_dir.join("receipt.pem").exists() {
        bail!("there are no keys in {}: give --keys and --log-key, or --url", settings.keys_dir.display());
    }
    let keys = NotaryKeys::open(
        &settings.keys_dir,
        &super::serve::known_base_url(&settings),
        false,
        &settings.log_signer,
    )?;
    let ShownKeys { published, log } = super::keys::published(&settings, &keys);
    Ok(Keys::new(published, Vec::new())?.with_log_keys(chosen(named_log, log)))
}

/// The log keys that count: the named one alone, with the range that is known of it, else all that are known.
fn chosen(named: Option<VerifierKey>, known: Vec<LogKey>) -> Vec<LogKey> {
    let Some(named) = named else { return known };
    let of_set = known.into_iter().find(|key| key.key == named);
    vec![of_set.unwrap_or_else(|| LogKey::from(named))]
}

/// Reads a `.tlog-proof`.
fn proof(path: &Path) -> anyhow::Result<String> {
    let file = File::open(path).with_context(|| format!("read {}", path.display()))?;
    let mut text = String::new();
    let most = u64::try_from(MAX_PROOF_BYTES).unwrap_or(u64::MAX);
    file.take(most).read_to_string(&mut text).with_context(|| format!("read {}", path.display()))?;
    Ok(text)
}

/// Where the statements about a receipt's time come from.
enum TimesFrom {
    /// A file, which is of one receipt.
    File(times::Times),
    /// The notary, and the authority that is believed.
    Notary(Server, Authority),
}

impl TimesFrom {
    /// The statements about a receipt.
    fn of(&self, hash: &ReceiptHash) -> anyhow::Result<Cow<'_, times::Times>> {
        Ok(match self {
            Self::File(times) => Cow::Borrowed(times),
            Self::Notary(server, authority) => {
                Cow::Owned(times::Times::fetch(server, hash, authority.clone())?)
            }
        })
    }
}

struct VerificationRun {
    verifier: Verifier,
    /// The policy that the checkpoints are held against, if any.
    policy: Option<Policy>,
    /// The proof that takes the place of a receipt's own, if any.
    proof: Option<String>,
    /// Where the statements about a receipt's time are, where they are checked.
    times: Option<TimesFrom>,
    quiet: bool,
    as_json: bool,
    progress: Progress,
    valid: u64,
    invalid: u64,
    unsaid: u64,
}

impl VerificationRun {
    /// A file of one JSON document, or of a receipt a line: the first line tells which.
    fn file(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut reader: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path)?))
        };
        let name = path.display().to_string();
        let (mut number, mut is_first) = (0, true);
        while let Some(line) = next_line(&mut reader)? {
            number += 1;
            // Editors of some systems begin a file with a byte order mark.
            let line = if number == 1 { without_mark(line) } else { line };
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) && !is_whole(text) {
                let mut document = line;
                reader.by_ref().take(MAX_RECEIPT).read_to_end(&mut document)?;
                self.document(&name, document.trim_ascii());
                return Ok(());
            }
            self.document(&format!("{name}:{number}"), text);
        }
        Ok(())
    }

    /// A receipt, an array of receipts, an answer of `/verify`, or a receipt as a compact JWS.
    fn document(&mut self, place: &str, text: &[u8]) {
        if let Some(receipt) = of_jws(text) {
            return self.one(place, &receipt);
        }
        match parse(text) {
            Ok(Json::Array(receipts)) => {
                for (at, receipt) in receipts.iter().enumerate() {
                    self.one(&format!("{place}[{at}]"), &receipt.canonical());
                }
            }
            Ok(Json::Object(object)) if object.contains("checks") => match object.get("receipt") {
                Some(receipt) => self.one(place, &receipt.canonical()),
                None => self.one(place, text),
            },
            _ => self.one(place, text),
        }
    }

    fn count(&mut self, outcome: VerificationOutcome) {
        *match outcome {
            VerificationOutcome::Holds => &mut self.valid,
            VerificationOutcome::CannotSay => &mut self.unsaid,
            VerificationOutcome::Fails => &mut self.invalid,
        } += 1;
    }

    fn one(&mut self, place: &str, receipt: &[u8]) {
        let with_proof = self.proof.as_deref().and_then(|proof| replaced(receipt, proof));
        let receipt = with_proof.as_deref().unwrap_or(receipt);
        let verified = self.verifier.verify(receipt);
        self.progress.inc();
        let members = parse(receipt).ok();
        let outcome = verified.as_ref().map_or(VerificationOutcome::Fails, Report::outcome);
        let times = self.times.as_ref().zip(verified.as_ref().ok());
        let times = times.map(|(times, report)| times.of(&report.receipt_hash));
        // A policy is held against the proofs in the times, where they have any of witnesses and no other proof is given.
        let has_witnesses =
            times.as_ref().is_some_and(|times| times.as_ref().is_ok_and(|times| times.has_witnesses()));
        let is_held = verified.is_ok() && (!has_witnesses || self.proof.is_some());
        let policy = self.policy.as_ref().filter(|_| is_held);
        let cosigned = policy.map(|policy| witnesses::check(policy, members.as_ref()));
        let outcome = cosigned.as_ref().map_or(outcome, |check| witnesses::with(outcome, check));
        let timed = times.map(|times| match times {
            Ok(times) => {
                let tree = verified.as_ref().ok().and_then(|report| report.log_head);
                times.check(&self.verifier, self.policy.as_ref(), receipt, tree)
            }
            Err(error) => {
                let detail = format!("not checked: {}", error_text::once(&error));
                CheckResult { ok: false, detail, is_unmade: true }
            }
        });
        let outcome = timed.as_ref().map_or(outcome, |check| witnesses::with(outcome, check));
        self.count(outcome);
        let text = |name: &str| {
            members.as_ref().and_then(|members| members.get(name)?.as_str()).unwrap_or_default().to_owned()
        };
        if self.as_json {
            let (hash, checks, error) = match &verified {
                Ok(report) => {
                    let mut checks = json!(report);
                    if let Some(check) = &cosigned {
                        checks["witnesses"] = json!(check);
                    }
                    if let Some(check) = &timed {
                        checks["times"] = json!(check);
                    }
                    (Some(report.receipt_hash.to_string()), checks, None)
                }
                Err(error) => (None, json!(null), Some(told(error))),
            };
            let line = json!({
                "place": place, "outcome": outcome, "receipt_hash": hash, "verdict": text("verdict"),
                "class": text("class"), "iss": text("iss"), "signed_at": text("signed_at"), "checks": checks,
                "error": error,
            });
            println!("{line}");
            return;
        }
        let report = match verified {
            Ok(report) => report,
            Err(error) => return println!("{place}: NOT A RECEIPT: {}", told(&error)),
        };
        let word = match outcome {
            VerificationOutcome::Holds if self.quiet => return,
            VerificationOutcome::Holds => "valid",
            VerificationOutcome::CannotSay => "CANNOT SAY",
            VerificationOutcome::Fails => "NOT VALID",
        };
        let said = plain(&["verdict", "class", "iss", "signed_at"].map(text).join(", "));
        println!("{place}: {word} {said}, {}", report.receipt_hash);
        for (name, check) in report.checks().filter(|(_, check)| !check.ok) {
            println!("  {name}: {}", plain(&check.detail));
        }
        if let Some(check) = &cosigned {
            println!("  witnesses: {}", plain(&check.detail));
        }
        if let Some(check) = &timed {
            println!("  times: {}", plain(&check.detail));
        }
    }
}

/// A receipt with another proof; `None` where the text is no object.
fn replaced(receipt: &[u8], proof: &str) -> Option<Vec<u8>> {
    let Ok(Json::Object(mut receipt)) = parse(receipt) else { return None };
    receipt.insert("proof", proof);
    Some(Json::Object(receipt).canonical())
}

/// A text of a receipt that nobody has verified, without the characters by which it could write over other lines.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { '\u{fffd}' } else { sign }).collect()
}

/// The receipt of a compact JWS (RFC 7515), which has no proof; `None` for another text.
fn of_jws(text: &[u8]) -> Option<Vec<u8>> {
    let mut parts = std::str::from_utf8(text).ok()?.split('.');
    let (Some(_), Some(payload), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let Ok(Json::Object(mut receipt)) = parse(&payload) else { return None };
    // The header is rebuilt from `kid`, so a signature under another header does not hold.
    let hash = ReceiptHash::of_payload(&Object::canonical_without(&receipt, &[]));
    receipt.insert("receipt_hash", hash.to_string());
    receipt.insert("signature", signature);
    Some(Json::Object(receipt).canonical())
}

/// A text without the byte order mark at its beginning.
fn without_mark(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    text
}

/// Describes the error of a text that is no receipt. The I-JSON error itself does not name the member.
fn told(error: &VerifyError) -> String {
    match error.kind {
        VerifyErrorKind::Json(_) if error.field != "body" => format!("in `{}`, {error}", error.field),
        _ => error.to_string(),
    }
}

/// Returns true if a line is a document by itself, so that the file has one a line.
fn is_whole(line: &[u8]) -> bool {
    receipt::json::parse_lenient(line).is_ok() || of_jws(line).is_some()
}

fn next_line(reader: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = reader.take(MAX_RECEIPT).read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}
