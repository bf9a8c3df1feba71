//! Labelled addresses, and the examples that are made of them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use domain_name::PublicSuffixes;
use serde::Deserialize;
use url_signals::{Example, ORDINARY_PATHS};
use web_address::WebAddress;

/// A labelled address.
pub(crate) struct Row {
    pub(crate) address: WebAddress,
    pub(crate) is_phishing: bool,
    /// The list that it comes from.
    pub(crate) source: &'static str,
    /// False for rows that may only be evaluated.
    pub(crate) is_learnt: bool,
    /// False for rows that are left out of measuring.
    pub(crate) is_measured: bool,
    /// True if many honest pages share the host.
    pub(crate) is_on_popular_host: bool,
    /// The registrable domain; the host where there is none.
    pub(crate) domain: String,
}

/// Number of parts.
pub(crate) const PARTS: u64 = 5;

impl Row {
    /// The part of the row. All rows of a registrable domain are in one.
    pub(crate) fn part(&self) -> u64 {
        let hash = self.domain.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        (hash >> 20) % PARTS
    }
}

#[derive(Deserialize)]
struct JsonRow {
    url: String,
    #[serde(default)]
    src: String,
    #[serde(default)]
    label: serde_json::Value,
    #[serde(default)]
    on_popular_host: bool,
    #[serde(default)]
    domain_in_other_halfs_urls: bool,
}

/// Reads all rows of a folder. Texts that no browser would open are left out.
///
/// # Errors
/// A file is missing, or a line is no row.
pub(crate) fn read(folder: &Path) -> Result<Vec<Row>, String> {
    let suffixes = PublicSuffixes::bundled();
    let mut rows = Vec::new();
    for name in ["phish_urls.jsonl", "benign_deep_urls.jsonl", "urls.jsonl"] {
        let path = folder.join(name);
        let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(|error| format!("{}: {error}", path.display()))?;
            let row: JsonRow = serde_json::from_str(&line)
                .map_err(|error| format!("{}: line {}: {error}", path.display(), number + 1))?;
            rows.extend(labelled(name, &row, &suffixes));
        }
    }
    Ok(rows)
}

fn labelled(file: &str, row: &JsonRow, suffixes: &PublicSuffixes) -> Option<Row> {
    let address = WebAddress::parse(&row.url).ok()?;
    let (source, is_learnt) = match (file, row.src.split([' ', '/']).next().unwrap_or_default()) {
        ("phish_urls.jsonl", _) => ("Phishing.Database", true),
        ("benign_deep_urls.jsonl", _) => ("benign deep links", true),
        (_, "openphish") => ("OpenPhish", false),
        (_, "PhishTank") => ("PhishTank", false),
        (_, "UNB") => ("UNB 2016", false),
        _ => ("OpenDNS", false),
    };
    let domain = address.registrable(suffixes).or(address.host_str()).unwrap_or_default().to_owned();
    Some(Row {
        is_phishing: row.label == "phish" || row.label == 1,
        source,
        is_learnt,
        is_measured: !row.domain_in_other_halfs_urls,
        is_on_popular_host: row.on_popular_host,
        domain,
        address,
    })
}

/// The examples of the rows that may be learnt from and are wanted: the addresses, and the home pages of their hosts, without
/// which a model would learn that an address without a path is phishing, or is not.
pub(crate) fn examples(rows: &[Row], is_wanted: impl Fn(&Row) -> bool) -> Vec<Example> {
    let mut hosts = BTreeSet::new();
    let mut examples = Vec::new();
    for row in rows.iter().filter(|row| row.is_learnt && is_wanted(row)) {
        examples.push(Example { address: row.address.clone(), is_phishing: row.is_phishing, weight: 1.0 });
        let Some(host) = row.address.host_str() else { continue };
        // The home page of a host that many share is not that of the attacker.
        if hosts.insert(host) && !row.is_on_popular_host {
            let home = WebAddress::parse(&format!("http://{host}/"));
            let weight = if row.is_phishing { 0.5 } else { 1.0 };
            examples.extend(home.map(|address| Example { address, is_phishing: row.is_phishing, weight }));
        }
    }
    examples.extend(mixed(rows, &is_wanted));
    examples
}

/// Benign hosts with other paths. Some have the paths of two other benign rows, one behind the other: the benign rows have
/// shorter paths than the pages of newspapers and shops have, and a model would learn that long paths are phishing. Others have
/// a path of an ordinary page.
fn mixed(rows: &[Row], is_wanted: &impl Fn(&Row) -> bool) -> Vec<Example> {
    let benign: Vec<&Row> =
        rows.iter().filter(|row| row.is_learnt && !row.is_phishing && is_wanted(row)).collect();
    let pages: Vec<&str> = ORDINARY_PATHS.lines().collect();
    let mix = |(n, row): (usize, &&Row)| {
        // Two primes, so that the order of the rows does not matter.
        let [first, second] = [7_919, 104_729].map(|prime| benign[(n * prime + 13) % benign.len()]);
        let host = row.address.host_str()?;
        let path = first.address.path().trim_end_matches('/');
        let query = first.address.query().map(|query| format!("?{query}")).unwrap_or_default();
        let text = format!("http://{host}{path}{}{query}", second.address.path());
        let address = WebAddress::parse(&text).ok()?;
        Some(Example { address, is_phishing: false, weight: MIXED_WEIGHT })
    };
    let with_page = |(n, row): (usize, &&Row)| {
        let address =
            WebAddress::parse(&format!("http://{}{}", row.address.host_str()?, pages[n % pages.len()]))
                .ok()?;
        Some(Example { address, is_phishing: false, weight: PAGE_WEIGHT })
    };
    let rows = || benign.iter().enumerate();
    rows().filter_map(mix).chain(rows().filter_map(with_page)).collect()
}

/// The weight of a mixed example.
const MIXED_WEIGHT: f64 = 0.4;
/// The weight of an ordinary page of a benign host. More lowers the recall of pages on broken-into hosts, which have the same
/// paths; without any, the login page of an unknown host gives an alarm.
const PAGE_WEIGHT: f64 = 0.1;
