//! A study of `/trust-score`: the verdicts on lists of domains, such as popular ones and bad ones.
//!
//! The domains are looked at with the operator's own settings. Nothing is signed or stored.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use futures_util::{StreamExt as _, stream};
use module::Mode;
use serde_json::json;
use trust::score::{Purpose, TrustVerdict};
use trust::trust_score::{TrustFinding, TrustFindingV2, TrustJudge, TrustQuestion, at_once, parse_domain};
use url::Url;
use verdict::{Clock as _, Judge as _, SystemClock};

use crate::progress::Progress;
use crate::settings::Settings;
use crate::{connections, modules};

/// The most bytes of a line; a longer one is bad.
const MAX_LINE: u64 = 8 << 10;
/// The reasons that the table names.
const REASONS: usize = 5;
/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// The verdicts in the order of the table's columns.
const VERDICTS: [TrustVerdict; 4] =
    [TrustVerdict::Trusted, TrustVerdict::Caution, TrustVerdict::Incomplete, TrustVerdict::Risky];

/// The options of the study.
pub struct PopulationsOptions {
    /// The lists of domains.
    pub files: Vec<PathBuf>,
    /// Domains that are looked at concurrently.
    pub at_once: u16,
    /// The most domains of a file; `None` for all.
    pub limit: Option<usize>,
    /// The purpose for which they are judged.
    pub purpose: Purpose,
    /// True for a line of JSON for each domain in place of the tables.
    pub as_json: bool,
    /// True where nothing is said of the progress.
    pub is_quiet: bool,
}

/// Looks at the domains of each file, and prints the result.
///
/// # Errors
/// A setting is wrong, or a file cannot be read.
pub fn run(settings: &Settings, options: &PopulationsOptions) -> anyhow::Result<()> {
    connections::ask_for_files();
    // A laboratory's addresses are those of development.
    let mode = if settings.trust.has_laboratory() { Mode::Dev } else { Mode::Batch };
    let host = modules::host(settings, mode)?;
    let feeds = settings.feeds.open(&settings.feeds_dir());
    let feeds = feeds.map_err(|(setting, why)| anyhow::anyhow!("{setting}: {why}"))?;
    let judge = trust::judge(&settings.trust, &host, feeds, &trust::sources(&settings.trust, &host)?)?;
    let places = usize::from(options.at_once).min(at_once(host.files));
    if places < usize::from(options.at_once) {
        eprintln!("touchstone: the limit of open files allows {places} domains at once");
    }
    let lists: Vec<DomainList> =
        options.files.iter().map(|path| read_file(path, options.limit)).collect::<anyhow::Result<_>>()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut populations = Vec::new();
    for list in &lists {
        list.bad.tell(&list.name);
        let looking = look(&judge, list, places, options);
        populations.push(runtime.block_on(looking)?);
    }
    if !options.as_json {
        table(&populations).iter().for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// The domains of a file, each once.
#[derive(Debug, Default, PartialEq)]
struct DomainList {
    name: String,
    questions: Vec<TrustQuestion>,
    bad: BadLines,
}

/// The lines of a file that name no domain.
#[derive(Debug, Default, PartialEq)]
struct BadLines {
    count: u64,
    /// Number of the first, from 1, and the reason.
    first: Option<(u64, String)>,
}

impl BadLines {
    fn add(&mut self, line: u64, why: String) {
        self.count += 1;
        self.first.get_or_insert((line, why));
    }

    fn tell(&self, file: &str) {
        if let Some((line, why)) = &self.first {
            eprintln!("touchstone: {file}: {} bad lines; line {line}: {why}", self.count);
        }
    }
}

fn read_file(path: &Path, limit: Option<usize>) -> anyhow::Result<DomainList> {
    let about = || format!("read {}", path.display());
    let file = BufReader::new(File::open(path).with_context(about)?);
    let name = path.file_name().unwrap_or_default().to_string_lossy().replace('|', "/");
    let list = read_list(name, file, limit).with_context(about)?;
    if list.questions.is_empty() {
        list.bad.tell(&list.name);
        bail!("{} names no domain", path.display());
    }
    Ok(list)
}

/// Reads a domain a line. A name that was read before is passed over, as many addresses have one host.
fn read_list(name: String, mut lines: impl BufRead, limit: Option<usize>) -> std::io::Result<DomainList> {
    let mut list = DomainList { name, ..DomainList::default() };
    let mut seen = HashSet::new();
    for number in 1_u64.. {
        if limit.is_some_and(|limit| list.questions.len() >= limit) {
            break;
        }
        let mut line = Vec::new();
        if lines.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() as u64 > MAX_LINE {
            if line.last() != Some(&b'\n') {
                lines.skip_until(b'\n')?;
            }
            list.bad.add(number, format!("must have at most {MAX_LINE} bytes"));
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        let Some(name) = name_of(text.trim_start_matches('\u{feff}').trim()) else { continue };
        match parse_domain(&name) {
            Ok(domain) if seen.insert(domain.to_string()) => list.questions.push(TrustQuestion::of(domain)),
            Ok(_) => {}
            Err(error) => list.bad.add(number, error.detail),
        }
    }
    Ok(list)
}

/// Returns the name in a line: a name, `rank,name`, or the host of a URL; `None` for an empty line and a comment.
fn name_of(line: &str) -> Option<String> {
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let field = match line.split_once(',') {
        Some((rank, rest)) if rank.trim().parse::<u64>().is_ok() => rest.split(',').next().unwrap_or(rest),
        _ => line,
    };
    let field = field.trim().trim_matches('"');
    let host = Url::parse(field).ok().and_then(|url| url.host_str().map(str::to_owned));
    Some(host.unwrap_or_else(|| field.to_owned()))
}

/// The verdicts on the domains of a file.
#[derive(Debug, Default)]
struct Population {
    name: String,
    verdicts: [u32; VERDICTS.len()],
    /// Number of domains of each hygiene score, 0 to 100.
    scores: BTreeMap<u32, u32>,
    reasons: BTreeMap<String, u32>,
}

impl Population {
    fn add(&mut self, found: &TrustFindingV2) {
        for (count, verdict) in self.verdicts.iter_mut().zip(VERDICTS) {
            *count += u32::from(found.verdict == verdict);
        }
        *self.scores.entry(found.hygiene.score).or_default() += 1;
        for reason in &found.risk.reasons {
            *self.reasons.entry(reason.id.code()).or_default() += 1;
        }
    }

    fn looked(&self) -> u32 {
        self.verdicts.iter().sum()
    }

    /// The most frequent reasons, each with its share of the domains.
    fn most_frequent(&self) -> String {
        let mut reasons: Vec<(&String, u32)> = self.reasons.iter().map(|(id, count)| (id, *count)).collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let share = |count: u32| 100.0 * f64::from(count) / f64::from(self.looked().max(1));
        let named = reasons.iter().take(REASONS).map(|(id, count)| format!("{id} {:.1}", share(*count)));
        named.collect::<Vec<_>>().join(", ")
    }
}

/// Looks at the domains of a file, so many at once.
async fn look(
    judge: &TrustJudge,
    list: &DomainList,
    places: usize,
    options: &PopulationsOptions,
) -> anyhow::Result<Population> {
    let clock = SystemClock::start();
    let (what, total) = (format!("domains of {}", list.name), Some(list.questions.len() as u64));
    let mut progress = match options.as_json {
        true => Progress::beside_results(what, total, options.is_quiet),
        false => Progress::new(what, total, options.is_quiet),
    };
    let mut population = Population { name: list.name.clone(), ..Population::default() };
    let (mut refused, mut first) = (0_u64, None);
    let looking = list.questions.iter().map(|question| {
        let (question, at) = (TrustQuestion { purpose: options.purpose, ..question.clone() }, clock.now());
        async move {
            if let Err(objection) = judge.admit(&question, at).await {
                return Err(format!("{}: {objection}", question.domain));
            }
            let judged = judge.judge(&question, at.into()).await;
            judged
                .map(|judged| judged.finding)
                .map_err(|error| format!("{}: {}", question.domain, error.detail))
        }
    });
    let mut findings = stream::iter(looking).buffered(places);
    while let Some(finding) = findings.next().await {
        progress.inc();
        match finding {
            Ok(TrustFinding::V2(found)) => {
                population.add(&found);
                if options.as_json {
                    print_line(&list.name, &found)?;
                }
            }
            Ok(TrustFinding::V1(_)) => bail!("the judge has judged by rules of before"),
            Err(why) => {
                refused += 1;
                first.get_or_insert(why);
            }
        }
    }
    drop(progress);
    if let Some(why) = first {
        eprintln!("touchstone: {}: {refused} domains were not looked at; {why}", list.name);
    }
    Ok(population)
}

fn print_line(file: &str, found: &TrustFindingV2) -> std::io::Result<()> {
    let reasons: Vec<String> = found.risk.reasons.iter().map(|reason| reason.id.code()).collect();
    let line = json!({
        "file": file,
        "domain": found.domain,
        "verdict": found.verdict,
        "reasons": reasons,
        "score": found.hygiene.score,
    });
    writeln!(std::io::stdout().lock(), "{line}")
}

/// The tables, in Markdown.
fn table(populations: &[Population]) -> Vec<String> {
    let mut lines = vec![
        "| file | looked | TRUSTED | CAUTION | INCOMPLETE | RISKY | hygiene, median | most frequent reasons |"
            .to_owned(),
        "|---|--:|---|---|---|---|--:|---|".to_owned(),
    ];
    for population in populations {
        let looked = population.looked();
        let shares = population.verdicts.map(|count| wilson(count, looked));
        lines.push(format!(
            "| {} | {looked} | {} | {} | {} |",
            population.name,
            shares.join(" | "),
            median(&population.scores).map_or("-".to_owned(), |median| format!("{median:.1}")),
            population.most_frequent(),
        ));
    }
    let Some((first, others)) = populations.split_first().filter(|(_, others)| !others.is_empty()) else {
        return lines;
    };
    lines.push(String::new());
    lines.push("| hygiene score of | above that of | AUC |".to_owned());
    lines.push("|---|---|--:|".to_owned());
    for other in others {
        let auc = auc(&first.scores, &other.scores).map_or("-".to_owned(), |auc| format!("{auc:.3}"));
        lines.push(format!("| {} | {} | {auc} |", first.name, other.name));
    }
    lines
}

/// A share in percent with its 95 % interval (E. B. Wilson 1927, "Probable inference, the law of succession, and statistical
/// inference").
fn wilson(part: u32, all: u32) -> String {
    if all == 0 {
        return "-".to_owned();
    }
    let (n, share) = (f64::from(all), f64::from(part) / f64::from(all));
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let (centre, scale) = (share + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
    let bound = |side: f64| (100.0 * (centre + side * spread) / scale).clamp(0.0, 100.0);
    format!("{:.1} [{:.1}, {:.1}]", 100.0 * share, bound(-1.0), bound(1.0))
}

/// The median of scores, each with its number; `None` if there is none.
fn median(scores: &BTreeMap<u32, u32>) -> Option<f64> {
    let all: u32 = scores.values().sum();
    let at = |rank: u32| {
        let mut below = 0;
        scores.iter().find_map(|(score, count)| {
            below += count;
            (below > rank).then_some(f64::from(*score))
        })
    };
    Some(0.5 * (at(all.checked_sub(1)? / 2)? + at(all / 2)?))
}

/// The area under the ROC curve: the chance that a score drawn from `good` is above one drawn from `bad`, where a tie counts
/// half (Mann and Whitney 1947). `None` if one of them is empty.
fn auc(good: &BTreeMap<u32, u32>, bad: &BTreeMap<u32, u32>) -> Option<f64> {
    let size = |scores: &BTreeMap<u32, u32>| f64::from(scores.values().sum::<u32>());
    let pairs = size(good) * size(bad);
    let wins =
        good.iter().flat_map(|(one, times)| bad.iter().map(move |(other, count)| (one, times, other, count)));
    let won: f64 = wins
        .map(|(one, times, other, count)| {
            let worth = match one.cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
            worth * f64::from(*times) * f64::from(*count)
        })
        .sum();
    (pairs > 0.0).then(|| won / pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, limit: Option<usize>) -> (Vec<String>, u64, Option<u64>) {
        let list = read_list("list".to_owned(), text.as_bytes(), limit).unwrap();
        let names = list.questions.iter().map(|question| question.domain.to_string()).collect();
        (names, list.bad.count, list.bad.first.map(|(line, _)| line))
    }

    #[test]
    fn a_line_is_a_name_or_a_rank_and_a_name_or_an_address_and_each_host_counts_once() {
        let text = "\u{feff}# comment\r\n\r\nexample.com\r\n1,Example.org\n2,\"example.net\",x\n\
                    https://a.example.com/login?x=1,2\n3,http://b.example.com:8080/\nEXAMPLE.com.\n";
        let names = ["example.com", "example.org", "example.net", "a.example.com", "b.example.com"];
        assert_eq!(read(text, None), (names.map(str::to_owned).to_vec(), 0, None));
        assert_eq!(read(text, Some(2)).0, names[..2]);
    }

    #[test]
    fn bad_lines_are_counted_and_the_first_is_named() {
        let long = "x".repeat(2 * MAX_LINE as usize);
        let text = format!("rank,domain\n{long}\nhttp://192.0.2.1/\n*.example.com\ngood.example.com");
        let (names, bad, first) = read(&text, None);
        assert_eq!((names, bad, first), (vec!["good.example.com".to_owned()], 4, Some(1)));
    }

    #[test]
    fn intervals_are_those_of_wilson() {
        // Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (part, all, expected) in [
            (81, 263, "30.8 [25.5, 36.6]"),
            (15, 148, "10.1 [6.2, 16.0]"),
            (0, 20, "0.0 [0.0, 16.1]"),
            (1, 29, "3.4 [0.6, 17.2]"),
            (0, 0, "-"),
        ] {
            assert_eq!(wilson(part, all), expected);
        }
    }

    #[test]
    fn the_median_and_the_area_are_those_of_the_definitions() {
        let scores = |of: &[u32]| {
            let mut scores = BTreeMap::new();
            of.iter().for_each(|score| *scores.entry(*score).or_default() += 1);
            scores
        };
        assert_eq!(median(&scores(&[])), None);
        assert_eq!(median(&scores(&[7])), Some(7.0));
        assert_eq!(median(&scores(&[100, 1, 50, 50])), Some(50.0));
        assert_eq!(median(&scores(&[1, 2, 4, 9])), Some(3.0));
        assert_eq!(auc(&scores(&[90, 80]), &scores(&[10, 20])), Some(1.0));
        assert_eq!(auc(&scores(&[10]), &scores(&[20])), Some(0.0));
        assert_eq!(auc(&scores(&[50, 70]), &scores(&[50, 60])), Some(0.625));
        assert_eq!(auc(&scores(&[]), &scores(&[1])), None);
    }
}
