//! The facts that are kept of a recorded body of EDGAR's company facts, and the annual reports that are chosen from them, for
//! comparison with other readers.
//!
//! `facts FILE DAY` prints JSON: `facts`, each `[taxonomy, tag, unit, start, end, value, accession, form, filed]`, and `reports` as
//! of the day, each with its `inputs`; `mapped` are the tags that are kept at all.

use std::path::PathBuf;
use std::process::ExitCode;

use company_facts::{Basis, CompanyFacts, mapped_tags};
use jiff::civil::Date;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (file, day) = (arguments.next().map(PathBuf::from), arguments.next());
    let day: Option<Date> = day.and_then(|day| day.to_str()?.parse().ok());
    let (Some(file), Some(day)) = (file, day) else {
        eprintln!("usage: facts FILE DAY");
        return ExitCode::from(2);
    };
    let body = std::fs::read(&file).expect("the file can be read");
    let facts = match CompanyFacts::read_slice(&body) {
        Ok(facts) => facts,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    };
    println!("{}", shown(&facts, day));
    ExitCode::SUCCESS
}

fn shown(facts: &CompanyFacts, day: Date) -> Value {
    let kept = facts.all().flat_map(|(taxonomy, tag, unit, facts)| {
        facts.iter().map(move |fact| {
            json!([
                taxonomy,
                tag,
                unit,
                fact.start,
                fact.end,
                fact.value,
                fact.accession,
                fact.form,
                fact.filed
            ])
        })
    });
    let mut reports: Vec<Value> = facts.history(day).iter().map(report).collect();
    reports.extend(facts.latest(day, Basis::Latest).iter().map(report));
    json!({"mapped": mapped_tags(), "facts": kept.collect::<Vec<_>>(), "reports": reports})
}

fn report(report: &company_facts::AnnualReport) -> Value {
    json!({"start": report.period_start, "end": report.period_end, "filed": report.filed, "inputs": report.inputs})
}
