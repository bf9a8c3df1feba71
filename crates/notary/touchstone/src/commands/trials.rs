//! `touchstone trials`: who wishes for a trial, and what answered them.

use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use ledger::{GrantId, OperatorStore, TrialRequest};
use serde_json::{Value, json};
use verdict::{Clock as _, SystemClock};

use super::store;
use crate::cli::{TrialsAction, TrialsArgs};
use crate::settings::Settings;

/// Lists wishes.
pub fn run(args: &TrialsArgs) -> anyhow::Result<ExitCode> {
    let store = store(&Settings::load(&args.settings)?)?;
    let TrialsAction::List { most, json } = args.action;
    let answers = answers(&*store)?;
    let mut output = io::stdout().lock();
    let as_json = json || !output.is_terminal();
    for trial in store.trials(most)? {
        let grants = answers.get(&trial.request_id).map_or(&[][..], Vec::as_slice);
        if as_json {
            writeln!(output, "{}", line(&trial, grants))?;
        } else {
            writeln!(output, "{}", sentence(&trial, grants))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The grants that answer a request, by its id.
fn answers(store: &dyn OperatorStore) -> anyhow::Result<HashMap<String, Vec<GrantId>>> {
    let mut answers: HashMap<_, Vec<_>> = HashMap::new();
    for (grant, _) in store.grants(SystemClock::start().now())? {
        if let Some(request_id) = grant.terms.request_id {
            answers.entry(request_id).or_default().push(grant.id);
        }
    }
    Ok(answers)
}

fn line(trial: &TrialRequest, grants: &[GrantId]) -> Value {
    json!({
        "request_id": trial.request_id,
        "agent": trial.agent,
        "endpoint": trial.endpoint,
        "contact": trial.contact,
        "reason": trial.reason,
        "at": trial.at.to_string(),
        "grants": grants.iter().map(|grant| grant.0).collect::<Vec<_>>(),
    })
}

/// Strangers' words are written quoted and escaped: they may hold what steers a terminal.
fn sentence(trial: &TrialRequest, grants: &[GrantId]) -> String {
    let mut text = format!("{} {} {:?}", trial.at, trial.request_id, trial.agent);
    for (name, word) in
        [("endpoint", &trial.endpoint), ("contact", &trial.contact), ("reason", &trial.reason)]
    {
        if let Some(word) = word {
            text.push_str(&format!(" {name} {word:?}"));
        }
    }
    for grant in grants {
        text.push_str(&format!(" [grant {}]", grant.0));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_words_cannot_steer_the_terminal() {
        let trial = TrialRequest {
            request_id: "ab".repeat(16),
            agent: "scout".to_owned(),
            endpoint: None,
            contact: Some("a\u{1b}[2J\u{9b}2J\u{202e}\nb".to_owned()),
            reason: None,
            at: verdict::Timestamp::EPOCH,
        };
        let text = sentence(&trial, &[GrantId(7)]);
        assert!(text.chars().all(|c| c == ' ' || c.is_ascii_graphic()), "{text:?}");
        assert!(text.ends_with(" [grant 7]"));
    }
}
