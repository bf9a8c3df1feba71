//! `touchstone verify`: receipts, offline.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use receipt::key::parse_jwks;
use receipt::verify::{Keys, Verifier, VerifyError, VerifyErrorKind};
use verdict::{Clock as _, SystemClock};

use crate::cli::VerifyArgs;
use crate::keys::NotaryKeys;
use crate::settings::Settings;

/// The most bytes of one receipt.
const MAX_RECEIPT: u64 = 16 << 20;

/// Verifies every receipt; exit 0 only where all hold and there is at least one.
pub fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let verifier = Verifier::new(keys(args)?).at(SystemClock::start().now());
    let mut tally = VerificationRun { verifier, quiet: args.quiet, valid: 0, invalid: 0 };
    for path in &args.files {
        tally.file(path).with_context(|| format!("{}", path.display()))?;
    }
    println!("{} valid, {} not valid", tally.valid, tally.invalid);
    let all_hold = tally.invalid == 0 && tally.valid > 0;
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The keys that are named, else those of the data folder. With receipt keys and no log key named, no inclusion can be
/// checked, so none holds: the rest is still looked at.
fn keys(args: &VerifyArgs) -> anyhow::Result<Keys> {
    let named_log = args.log_key.as_ref().map(|vkey| vkey.parse().context("--log-key")).transpose()?;
    if let Some(path) = &args.keys {
        let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
        if named_log.is_none() {
            eprintln!("--log-key is missing: without it no receipt's inclusion in the log can be checked");
        }
        let receipt_keys = parse_jwks(&bytes).with_context(|| format!("{}", path.display()))?;
        return Ok(Keys::new(receipt_keys, named_log.into_iter().collect())?);
    }
    let settings = Settings::load(&args.settings)?;
    if !settings.keys_dir.join("receipt.pem").exists() {
        bail!("there are no keys in {}: give --keys and --log-key", settings.keys_dir.display());
    }
    let keys = NotaryKeys::open(&settings.keys_dir, &super::serve::known_base_url(&settings), false)?;
    let log = named_log.unwrap_or_else(|| keys.log.verifier());
    Ok(Keys::new(keys.published, vec![log])?)
}

struct VerificationRun {
    verifier: Verifier,
    quiet: bool,
    valid: u64,
    invalid: u64,
}

impl VerificationRun {
    /// A file of one JSON document, or of JSON Lines: the first line tells which.
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
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) && !is_whole(text) {
                let mut document = line;
                reader.by_ref().take(MAX_RECEIPT).read_to_end(&mut document)?;
                self.one(&name, document.trim_ascii());
                return Ok(());
            }
            self.one(&format!("{name}:{number}"), text);
        }
        Ok(())
    }

    fn one(&mut self, place: &str, receipt: &[u8]) {
        match self.verifier.verify(receipt) {
            Ok(report) if report.valid() => {
                self.valid += 1;
                if !self.quiet {
                    println!("{place}: valid {}", report.receipt_hash);
                }
            }
            Ok(report) => {
                self.invalid += 1;
                println!("{place}: NOT VALID {}", report.receipt_hash);
                for (name, check) in report.checks().filter(|(_, check)| !check.ok) {
                    println!("  {name}: {}", check.detail);
                }
            }
            Err(error) => {
                self.invalid += 1;
                println!("{place}: NOT A RECEIPT: {}", told(&error));
            }
        }
    }
}

/// Describes the error of a text that is no receipt. The I-JSON error itself does not name the member.
fn told(error: &VerifyError) -> String {
    match error.kind {
        VerifyErrorKind::Json(_) if error.field != "body" => format!("in `{}`, {error}", error.field),
        _ => error.to_string(),
    }
}

/// Returns true if a line is a JSON document by itself, so that the file is JSON Lines.
fn is_whole(line: &[u8]) -> bool {
    receipt::json::parse_lenient(line).is_ok()
}

fn next_line(reader: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = reader.take(MAX_RECEIPT).read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}
