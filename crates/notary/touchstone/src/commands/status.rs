//! `touchstone status`: the store, and all replicas that have it open.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;
use std::time::Duration;

use ledger::{MAX_CLOCK_OFFSET_MS, Replica, StoreStatus};
use serde_json::{Value, json};

use super::client::agent;
use super::healthcheck::reachable;
use super::store;
use crate::cli::StatusArgs;
use crate::settings::Settings;

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Prints the state of the store and of its replicas. Exit 1 where a replica is not healthy, or does not agree with the
/// store.
pub fn run(args: &StatusArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let address = settings.store_address()?;
    let status = store(&settings)?.status()?;
    let mut output = io::stdout().lock();
    let as_json = args.json || !output.is_terminal();
    // An embedded store says nothing of the one process that may have it open; that process itself does.
    let process = (!address.is_shared()).then(|| asked(&settings));
    if as_json {
        writeln!(output, "{:#}", shown(&status, &address.to_string(), process.as_ref()))?;
    } else {
        write!(output, "{}", table(&status, &address.to_string(), process.as_ref()))?;
    }
    let is_sound = match &process {
        Some(health) => health["status"] == "ok",
        None => {
            !status.replicas.is_empty() && status.replicas.iter().all(|one| problems(one, &status).is_empty())
        }
    };
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The answer to `/health` of the process that listens where these settings say; or why there is none.
fn asked(settings: &Settings) -> Value {
    let address = format!("http://{}/health", reachable(settings.listen));
    let body = || -> anyhow::Result<Value> {
        let mut answer = agent(TIMEOUT, TIMEOUT).get(&address).call()?;
        let text = answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_string()?;
        Ok(serde_json::from_str(&text)?)
    };
    body().unwrap_or_else(|error| json!({"status": "not running", "detail": format!("{address}: {error}")}))
}

/// The reasons for which a replica needs attention.
fn problems(replica: &Replica, status: &StoreStatus) -> Vec<String> {
    let mut problems = Vec::new();
    if !replica.is_alive(status.now) {
        problems.push(format!("not heard of for {} s", seen_s(replica, status)));
    }
    if replica.clock_offset_ms.unsigned_abs() > MAX_CLOCK_OFFSET_MS {
        problems.push(format!("its clock is off by {} ms: it signs nothing", replica.clock_offset_ms));
    }
    let prices = &replica.report.prices;
    if status.prices.as_ref().is_some_and(|stored| !prices.is_empty() && stored != prices) {
        problems.push("it asks for other prices than the store has: send it SIGHUP".to_owned());
    }
    if !["", "ok"].contains(&&*replica.report.health) {
        problems.push(replica.report.health.clone());
    }
    problems
}

fn seen_s(replica: &Replica, status: &StoreStatus) -> i64 {
    status.now.millis_since(replica.seen_at).max(0) / 1000
}

fn lag(replica: &Replica, status: &StoreStatus) -> u64 {
    status.head.saturating_sub(replica.head)
}

fn shown(status: &StoreStatus, address: &str, process: Option<&Value>) -> Value {
    let replica = |replica: &Replica| {
        json!({
            "name": replica.report.name,
            "version": replica.report.version,
            "started_at": replica.started_at.to_string(),
            "seen_at": replica.seen_at.to_string(),
            "alive": replica.is_alive(status.now),
            "head": replica.head,
            "lag": lag(replica, status),
            "clock_offset_ms": replica.clock_offset_ms,
            "lists": replica.report.lists,
            "health": replica.report.health,
            "prices": replica.report.prices,
            "next_key": replica.report.next_key,
            "problems": problems(replica, status),
        })
    };
    let mut shown = json!({
        "store": address,
        "schema": status.schema,
        "now": status.now.to_string(),
        "head": status.head,
        "latest": status.latest.to_string(),
        "prices": status.prices,
        "replicas": status.replicas.iter().map(replica).collect::<Vec<_>>(),
    });
    if let Some(process) = process {
        shown["process"] = process.clone();
    }
    shown
}

/// The same for people: a line about the store, a line for each replica, and a line for each problem.
fn table(status: &StoreStatus, address: &str, process: Option<&Value>) -> String {
    let StoreStatus { schema, head, latest, .. } = status;
    let mut text = format!("store {address}: schema {schema}, {head} leaves, the newest of {latest}\n");
    if let Some(process) = process {
        let member = |name: &str| process[name].as_str().unwrap_or("-").to_owned();
        text += &format!("process: {} (version {})\n", member("status"), member("version"));
        let sync = process["clock"]["synchronisation"].as_str().unwrap_or("unknown");
        text += &format!("clock: synchronisation {sync}\n");
        return text + &witnesses(&process["witnesses"]) + &timestamps(&process["timestamps"]);
    }
    if status.replicas.is_empty() {
        return text + "no replica is running\n";
    }
    let mut rows = vec![
        ["REPLICA", "VERSION", "SEEN", "HEAD", "LAG", "CLOCK", "HEALTH", "LISTS"].map(str::to_owned).to_vec(),
    ];
    for replica in &status.replicas {
        let report = &replica.report;
        rows.push(vec![
            report.name.clone(),
            report.version.clone(),
            format!("{} s", seen_s(replica, status)),
            replica.head.to_string(),
            lag(replica, status).to_string(),
            format!("{:+} ms", replica.clock_offset_ms),
            report.health.clone(),
            report.lists.clone(),
        ]);
    }
    text += &aligned(&rows);
    for replica in &status.replicas {
        for problem in problems(replica, status) {
            text += &format!("{}: {problem}\n", replica.report.name);
        }
    }
    text
}

/// The newest stamped tree, and the error of the last request; nothing where no authority is configured.
fn timestamps(of: &Value) -> String {
    let Some(authority) = of["authority"].as_str() else { return String::new() };
    let stamped = match of["stamped"]["size"].as_u64() {
        Some(size) => format!("{size} leaves, {} s ago", of["stamped"]["age_s"]),
        None => "nothing yet".to_owned(),
    };
    let error = of["error"].as_str().map(|error| format!(": {error}")).unwrap_or_default();
    format!("stamped by {authority}: {stamped}{error}\n")
}

/// The newest cosigned tree, and a line for each witness; nothing where the log has no policy.
fn witnesses(of: &Value) -> String {
    let Some(each) = of["each"].as_array() else { return String::new() };
    let cosigned = |cosigned: &Value| match cosigned["size"].as_u64() {
        Some(size) => format!("{size} leaves, {} s ago", cosigned["age_s"]),
        None => "nothing yet".to_owned(),
    };
    let line = |witness: &Value| {
        let name = witness["name"].as_str().unwrap_or_default();
        let error = witness["error"].as_str().map(|error| format!(": {error}")).unwrap_or_default();
        format!("witness {name}: {}{error}\n", cosigned(&witness["cosigned"]))
    };
    let quorum = format!("cosigned by a quorum: {}\n", cosigned(&of["cosigned"]));
    std::iter::once(quorum).chain(each.iter().map(line)).collect()
}

/// Columns as wide as their widest field, two spaces between them.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let fields = row.iter().zip(&widths).map(|(field, width)| format!("{field:width$}"));
        format!("{}\n", fields.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use ledger::ReplicaReport;
    use verdict::Timestamp;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_795_226_400_000 + seconds * 1000).unwrap()
    }

    fn replica(name: &str, seen: i64, offset: i64, prices: &str) -> Replica {
        let text = str::to_owned;
        Replica {
            id: [0; 16],
            report: ReplicaReport {
                name: text(name),
                version: text("1.0.0"),
                lists: text("OFAC SDN 2026-11-20"),
                health: text("ok"),
                prices: text(prices),
                next_key: String::new(),
            },
            started_at: at(-60),
            seen_at: at(seen),
            head: 98,
            clock_offset_ms: offset,
        }
    }

    #[test]
    fn each_witness_is_shown_with_what_it_has_cosigned_and_its_error() {
        let health = json!({"witnesses": {"cosigned": {"size": 9, "age_s": 3}, "each": [
            {"name": "w1", "cosigned": {"size": 9, "age_s": 3}, "error": null},
            {"name": "w2", "cosigned": null, "error": "no answer came"},
        ]}});
        let text = witnesses(&health["witnesses"]);
        let expected = "cosigned by a quorum: 9 leaves, 3 s ago\nwitness w1: 9 leaves, 3 s ago\n\
            witness w2: nothing yet: no answer came\n";
        assert_eq!(text, expected);
        assert_eq!(witnesses(&Value::Null), "");
    }

    #[test]
    fn the_newest_token_is_shown_and_the_error_of_the_last_request() {
        let mut of =
            json!({"authority": "https://tsa.example:443", "stamped": null, "error": "no answer came"});
        assert_eq!(timestamps(&of), "stamped by https://tsa.example:443: nothing yet: no answer came\n");
        of["stamped"] = json!({"size": 9, "age_s": 3});
        of["error"] = Value::Null;
        assert_eq!(timestamps(&of), "stamped by https://tsa.example:443: 9 leaves, 3 s ago\n");
        assert_eq!(timestamps(&Value::Null), "");
    }

    #[test]
    fn a_replica_that_is_silent_or_off_or_asks_for_other_prices_is_named() {
        let replicas = vec![replica("one:8402", 0, 12, "a"), replica("two:8402", -30, -3000, "b")];
        let status = StoreStatus {
            now: at(0),
            schema: 1,
            head: 100,
            latest: at(0),
            prices: Some("a".to_owned()),
            replicas,
        };
        assert!(problems(&status.replicas[0], &status).is_empty());
        let found = problems(&status.replicas[1], &status).join("; ");
        for words in ["not heard of for 30 s", "off by -3000 ms", "SIGHUP"] {
            assert!(found.contains(words), "{found}");
        }
        let text = table(&status, "postgres://db/touchstone", None);
        assert!(text.contains("one:8402  1.0.0    0 s   98    2    +12 ms"), "{text}");
        let shown = shown(&status, "postgres://db/touchstone", None);
        assert_eq!(
            (&shown["replicas"][1]["lag"], &shown["replicas"][1]["alive"]),
            (&json!(2), &json!(false))
        );
    }
}
