//! Scores of addresses by models that were learnt from other registrable domains.

use std::collections::BTreeMap;
use std::path::Path;

use url_signals::{LearningOptions, Scanner, Severity, THRESHOLD, UrlSignals, learn, rules};

use super::rows::{self, PARTS, Row};

/// Prints how the addresses are told apart.
///
/// # Errors
/// The rows cannot be read.
pub(crate) fn evaluate(folder: &Path) -> Result<(), String> {
    let rows = rows::read(folder)?;
    let scans = out_of_part(&rows, LearningOptions::default());
    let measured: Vec<(&Row, &UrlSignals)> =
        rows.iter().zip(&scans).filter(|(row, _)| row.is_measured).collect();
    let of = |source: &'static str| measured.iter().filter(move |(row, _)| row.source == source);
    let phishing: Vec<_> = measured.iter().filter(|(row, _)| row.is_phishing).collect();
    let sources = |is_phishing| -> Vec<&'static str> {
        let mut sources: Vec<&'static str> = measured
            .iter()
            .filter(|(row, _)| row.is_phishing == is_phishing)
            .map(|(row, _)| row.source)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    };
    println!("recall at a share of false alarms on each benign source:");
    for source in sources(false) {
        let mut good: Vec<f64> = of(source).map(|(_, scan)| scan.score).collect();
        good.sort_by(f64::total_cmp);
        for share in [100, 1000] {
            let threshold =
                good.len().checked_sub(good.len() / share + 1).map_or(f64::NEG_INFINITY, |at| good[at]);
            let by_source: Vec<String> = sources(true)
                .into_iter()
                .map(|name| {
                    let (above, all) = above(of(name).map(|(_, scan)| scan.score), threshold);
                    format!("{name} {:.3}", above as f64 / all as f64)
                })
                .collect();
            let (above, all) = above(phishing.iter().map(|(_, scan)| scan.score), threshold);
            println!(
                "  one in {share} of {} {source}: threshold {threshold:.3}, recall {:.4} of {all} ({})",
                good.len(),
                above as f64 / all as f64,
                by_source.join(", ")
            );
        }
    }
    println!("share of rows with a signal of a severity or more, and with a score above {THRESHOLD}:");
    for source in sources(false).into_iter().chain(sources(true)) {
        let share = |is_wanted: &dyn Fn(&UrlSignals) -> bool| {
            of(source).filter(|(_, scan)| is_wanted(scan)).count() as f64 / of(source).count() as f64
        };
        let rules_warn = |scan: &UrlSignals| {
            scan.signals.iter().any(|s| s.rule.severity >= Severity::Warn && s.rule.id != "url-model")
        };
        println!(
            "  {source}: block {:.4}, rules warn {:.4}, warn {:.4}, model {:.4}",
            share(&|scan| scan.severity() == Some(Severity::Block)),
            share(&rules_warn),
            share(&|scan| scan.severity() >= Some(Severity::Warn)),
            share(&|scan| scan.signals.iter().any(|signal| signal.rule.id == "url-model")),
        );
    }
    by_rule(&measured);
    Ok(())
}

/// The number of scores above a threshold, and of all.
fn above(scores: impl Iterator<Item = f64>, threshold: f64) -> (usize, usize) {
    scores.fold((0, 0), |(above, all), score| (above + usize::from(score > threshold), all + 1))
}

fn by_rule(measured: &[(&Row, &UrlSignals)]) {
    println!("rows by rule (benign, phishing):");
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (row, scan) in measured {
        let mut ids: Vec<&str> = scan.signals.iter().map(|signal| signal.rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            counts.entry(id).or_default()[usize::from(row.is_phishing)] += 1;
        }
    }
    for rule in rules() {
        let [benign, phishing] = counts.get(rule.id).copied().unwrap_or_default();
        println!("  {:?} {}: {benign}, {phishing}", rule.severity, rule.id);
    }
}

/// The signals of each row, by a model that was learnt from the other parts.
fn out_of_part(rows: &[Row], options: LearningOptions) -> Vec<UrlSignals> {
    let mut scans = vec![UrlSignals { signals: Vec::new(), score: 0.0 }; rows.len()];
    for part in 0..PARTS {
        let examples = rows::examples(rows, |row| row.part() != part);
        let scanner = Scanner::with_model(learn(&examples, options));
        for (row, scan) in rows.iter().zip(&mut scans).filter(|(row, _)| row.part() == part) {
            *scan = scanner.scan(&row.address);
        }
    }
    scans
}
