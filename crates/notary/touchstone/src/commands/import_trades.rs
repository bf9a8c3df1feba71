//! `touchstone import-trades`: a platform's export to a request of /grade-strategy.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};
use trade_exports::{MAX_BYTES, Options, import};

use crate::cli::ImportTradesArgs;

/// The most bytes of a file of options: the funding of a long record is the most of it.
const MAX_OPTIONS: u64 = 16 << 20;

/// Writes the request to standard output, and to standard error what is lost, a sentence a line.
pub fn run(args: &ImportTradesArgs) -> anyhow::Result<ExitCode> {
    let options = options(args)?;
    // One byte more than is read, so that the importer says that the file is too large.
    let bytes = read(&args.file, MAX_BYTES as u64 + 1)?;
    let imported = import(args.format, &bytes, &options)?;
    let mut request = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            request.insert(name.to_owned(), value);
        }
    };
    add("agent", args.agent.as_deref().map(Value::from));
    add("declared_trials", args.declared_trials.map(Value::from));
    add("risk_free", args.risk_free.as_deref().map(Value::from));
    add("benchmark", args.cash.then(|| "cash".into()));
    if let Value::Object(rows) = imported.request {
        request.extend(rows);
    }
    eprintln!("{}: {} rows, {} positions", options.file, imported.rows, imported.positions);
    for loss in &imported.lost {
        let code = serde_json::to_value(loss.code)?;
        eprintln!("{} ({}): {}", code.as_str().unwrap_or_default(), loss.rows, loss.detail);
    }
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, &request)?;
    output.write_all(b"\n")?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The options of the file, and those of the flags in their place.
fn options(args: &ImportTradesArgs) -> anyhow::Result<Options> {
    let mut members = match &args.options {
        None => Map::new(),
        Some(path) => match serde_json::from_slice(&read(path, MAX_OPTIONS)?) {
            Ok(Value::Object(members)) => members,
            Ok(_) => bail!("{}: must be a JSON object, such as {{\"zone\": \"UTC\"}}", path.display()),
            Err(error) => bail!("{}: {error}", path.display()),
        },
    };
    let text = |text: &String| Value::from(text.as_str());
    let zone = |zone: &String| zone.parse::<i64>().map_or_else(|_| text(zone), Value::from);
    for (name, value) in [
        ("zone", args.zone.as_ref().map(zone)),
        ("date_order", args.date_order.map(|order| order.word().into())),
        ("currency", args.currency.as_ref().map(text)),
        ("instrument", args.instrument.as_ref().map(text)),
        ("initial_equity", args.initial_equity.as_ref().map(text)),
        ("dust", args.dust.as_ref().map(text)),
    ] {
        if let Some(value) = value {
            members.insert(name.to_owned(), value);
        }
    }
    for (all, each, given) in
        [("multiplier", "multipliers", &args.multipliers), ("fx_rate", "fx_rates", &args.fx_rates)]
    {
        for given in given {
            match given.rsplit_once('=') {
                None => {
                    members.insert(all.to_owned(), text(given));
                }
                Some((name, number)) => {
                    let named = members.entry(each).or_insert_with(|| Map::new().into());
                    if let Some(named) = named.as_object_mut() {
                        named.insert(name.to_owned(), number.into());
                    }
                }
            }
        }
    }
    for flow in &args.cash_flows {
        let Some((at, amount)) = flow.rsplit_once('=') else {
            bail!("--cash-flow {flow}: must be a time and an amount, such as 2026-01-31T09:00:00Z=1000");
        };
        let flow = serde_json::json!({"at": at, "amount": amount});
        let flows = members.entry("cash_flows").or_insert_with(|| Vec::<Value>::new().into());
        if let Some(flows) = flows.as_array_mut() {
            flows.push(flow);
        }
    }
    let file = if args.file == Path::new("-") {
        "standard input".to_owned()
    } else {
        args.file.display().to_string()
    };
    Ok(Options { file, ..Options::from_members(members)? })
}

/// The bytes of a file, or of standard input for `-`; so many at most.
fn read(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let name = || format!("read {}", path.display());
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).with_context(name)?)
    };
    let mut bytes = Vec::new();
    input.take(most).read_to_end(&mut bytes).with_context(name)?;
    Ok(bytes)
}
