//! `touchstone lists`: sanctions lists and their snapshots, whether or not the service runs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use jiff::civil::Date;
use module::Mode;
use sanctions::module::{configured_rounds, rounds, word};
use serde_json::{Value, json};
use verdict::{Clock as _, SystemClock, Timestamp};
use watchlist::lists::ColumnMap;
use watchlist::refresh::{PublishedList, RoundEnd};
use watchlist::snapshot::{Live, SnapshotRecord, SnapshotStatus, StoredSnapshot};
use watchlist::{Diff, ListName, ParsedList, Publication, PublicationBounds, SnapshotId, Store};

use crate::cli::{ListsAction, ListsArgs};
use crate::modules;
use crate::progress::Step;
use crate::settings::Settings;

/// The source of a snapshot, as its record states it. The record also names the snapshot's files.
const SOURCE: &str = "imported by an operator";
/// The fewest digits by which a snapshot is named.
const FEWEST_DIGITS: usize = 6;

/// Imports, fetches, lists, compares, accepts or retires.
pub fn run(args: &ListsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let store = Store::open(settings.lists_dir())?;
    let now = SystemClock::start().now();
    let output = Output { as_json: args.json || !io::stdout().is_terminal() };
    match &args.action {
        ListsAction::Import { paths, date, columns } => {
            let options = ImportOptions { date: *date, columns: columns.as_deref(), is_quiet: args.quiet };
            return import(&store, paths, &options, now, &output);
        }
        ListsAction::Fetch { publications } => return fetch(&settings, publications, args.quiet, &output),
        ListsAction::Status => status(&store, now, &output)?,
        ListsAction::Diff { from, to } => diff(&store, from, to, &output)?,
        ListsAction::Accept { id } => accept(&store, id, now, &output)?,
        ListsAction::Retire { list } => retire(&store, list, now, &output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The output format: lines for a program or for a reader.
struct Output {
    as_json: bool,
}

impl Output {
    fn line(&self, value: &Value, sentence: impl FnOnce() -> String) -> io::Result<()> {
        let mut output = io::stdout().lock();
        if self.as_json { writeln!(output, "{value}") } else { writeln!(output, "{}", sentence()) }
    }
}

/// What the command line says of the files.
struct ImportOptions<'a> {
    /// The day of the publication, where its form has none.
    date: Option<Date>,
    /// File of the map of their columns.
    columns: Option<&'a Path>,
    /// True where nothing is said of the progress.
    is_quiet: bool,
}

/// The most bytes of a map of columns.
const MAP_BYTES: u64 = 64 << 10;

fn column_map(path: &Path) -> anyhow::Result<ColumnMap> {
    let about = || path.display().to_string();
    let file = File::open(path).with_context(about)?;
    serde_json::from_reader(file.take(MAP_BYTES)).with_context(about)
}

fn import(
    store: &Store,
    paths: &[PathBuf],
    options: &ImportOptions<'_>,
    now: Timestamp,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let reading = Step::new("reading the publication", options.is_quiet);
    let bounds = PublicationBounds::default();
    let publication = match options.columns {
        Some(map) => Publication::open_with(paths, column_map(map)?, bounds)?,
        None => Publication::open(paths, bounds)?,
    };
    let import = publication.read(options.date)?;
    drop(reading);
    for name in &import.passed_over {
        eprintln!("touchstone: {name:?} is no list and is passed over");
    }
    let mut held = false;
    for parsed in &import.lists {
        let (name, entries) = (&parsed.list.name, parsed.list.entries.len());
        let storing = Step::new(format!("{name}: storing {entries} entries"), options.is_quiet);
        let admitted = store.admit(parsed, SOURCE, now)?;
        drop(storing);
        held |= waits(&admitted.standing);
        report(parsed, &admitted, output)?;
    }
    Ok(if held { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn report(
    parsed: &ParsedList,
    StoredSnapshot { id, standing }: &StoredSnapshot,
    output: &Output,
) -> io::Result<()> {
    let (word, meaning) = (word(standing), meaning(standing));
    let doubts: &[_] = if let SnapshotStatus::Held(doubts) = standing { doubts } else { &[] };
    let list = &parsed.list;
    let published = list.published.map(|date| date.to_string());
    let line = json!({
        "list": list.name,
        "snapshot": id,
        "published": published,
        "entries": list.entries.len(),
        "standing": word,
        "doubts": doubts.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    output.line(&line, || {
        let of = published.map_or(String::new(), |date| format!(" of {date}"));
        let mut text = format!("{}{of}, {} entries, snapshot {id}: {meaning}", list.name, list.entries.len());
        for doubt in doubts {
            text.push_str(&format!("\n  {doubt}"));
        }
        text
    })
}

fn meaning(standing: &SnapshotStatus) -> &'static str {
    match standing {
        SnapshotStatus::Live => "is live",
        SnapshotStatus::Confirmed => "was live and is confirmed",
        SnapshotStatus::Older => "is kept: a newer publication is live",
        SnapshotStatus::Held(_) => "waits for `touchstone lists accept`",
        SnapshotStatus::Retired => "is kept: its list is retired until `touchstone lists accept`",
    }
}

/// Returns true if the list waits for a decision of an operator before it answers.
fn waits(standing: &SnapshotStatus) -> bool {
    matches!(standing, SnapshotStatus::Held(_) | SnapshotStatus::Retired)
}

/// Looks at the publisher once for each publication: for those that are named, else for those of the settings. One that
/// cannot be had does not keep the others from being looked for.
fn fetch(
    settings: &Settings,
    publications: &[PublishedList],
    is_quiet: bool,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let host = modules::host(settings, Mode::Serve)?;
    let rounds = match publications {
        [] => configured_rounds(&settings.sanctions, &host)?,
        named => rounds(&settings.sanctions, &host, named.iter().copied())?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (clock, mut failed, mut held) = (SystemClock::start(), false, false);
    for round in rounds {
        let list = round.published().list();
        let fetching = Step::new(format!("{list}: asking its publisher"), is_quiet);
        let looked = runtime.block_on(round.look(clock.now()));
        drop(fetching);
        match looked {
            Ok(ends) => {
                for end in ends {
                    held |= waits(&end.standing);
                    fetched(&end, output)?;
                }
            }
            Err(error) => {
                failed = true;
                eprintln!("touchstone: {list}: {error}");
            }
        }
    }
    Ok(if failed {
        ExitCode::FAILURE
    } else if held {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}

fn fetched(RoundEnd { list, id, standing, entries }: &RoundEnd, output: &Output) -> io::Result<()> {
    let doubts: &[_] = if let SnapshotStatus::Held(doubts) = standing { doubts } else { &[] };
    let line = json!({
        "list": list,
        "snapshot": id,
        "entries": entries,
        "standing": word(standing),
        "doubts": doubts.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    output.line(&line, || {
        let mut text = format!("{list}, snapshot {id}: {}", meaning(standing));
        for doubt in doubts {
            text.push_str(&format!("\n  {doubt}"));
        }
        text
    })
}

fn status(store: &Store, now: Timestamp, output: &Output) -> anyhow::Result<()> {
    let (live, retired) = (store.live()?, store.retired()?);
    for record in store.records()? {
        let live = live.get(&record.list).filter(|live| live.snapshot == record.id);
        let is_retired = retired.contains(&record.list);
        let mut line = line(&record, live, now);
        line["retired"] = is_retired.into();
        output.line(&line, || {
            sentence(&record, live, now) + if is_retired { ", of a retired list" } else { "" }
        })?;
    }
    Ok(())
}

fn line(record: &SnapshotRecord, live: Option<&Live>, now: Timestamp) -> Value {
    let age = live.map(|live| live.age(now));
    json!({
        "list": record.list,
        "snapshot": record.id,
        "published": record.published,
        "live": live.is_some(),
        "confirmed_at": live.map(|live| live.confirmed_at),
        "age_seconds": age.and_then(watchlist::Age::seconds),
        "stale": age.map(watchlist::Age::is_stale),
        "coverage": record.coverage,
        "counts": record.counts,
        "source": record.source,
        "fetched_at": record.fetched_at,
        "doubts": record.doubts.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn sentence(record: &SnapshotRecord, live: Option<&Live>, now: Timestamp) -> String {
    let SnapshotRecord { list, id, counts, .. } = record;
    let published = record.published.as_deref().unwrap_or("without a date");
    let standing = live.map_or(String::new(), |live| {
        let age = live.age(now);
        let hours = age.seconds().unwrap_or(0) / 3600;
        format!(", live, confirmed {hours} hours ago{}", if age.is_stale() { ": STALE" } else { "" })
    });
    format!("{list} {published}: {} entries, {} wallets, {id}{standing}", counts.entries, counts.wallets)
}

fn diff(store: &Store, from: &str, to: &str, output: &Output) -> anyhow::Result<()> {
    let (from, to) = (named(store, from)?, named(store, to)?);
    let (before, after) = (store.load(&from)?.list, store.load(&to)?.list);
    if before.name != after.name {
        bail!("{from} is of {}, and {to} of {}", before.name, after.name);
    }
    let diff = Diff::between(&before, &after);
    for (word, listed) in [("added", &diff.added), ("removed", &diff.removed)] {
        for listed in listed {
            let line = json!({"change": word, "uid": listed.uid, "type": listed.kind, "name": listed.name});
            output.line(&line, || format!("{word} {} {:?}", listed.uid, listed.name))?;
        }
    }
    for changed in &diff.changed {
        let line = json!({
            "change": "changed",
            "uid": changed.uid,
            "name": changed.name,
            "fields": changed.fields,
        });
        output.line(&line, || {
            let fields: Vec<&str> = changed.fields.iter().map(|change| change.field).collect();
            format!("changed {} {:?}: {}", changed.uid, changed.name, fields.join(", "))
        })?;
    }
    if !output.as_json {
        let (added, removed, changed) = (diff.added.len(), diff.removed.len(), diff.changed.len());
        println!("{added} added, {removed} removed, {changed} changed");
    }
    Ok(())
}

fn accept(store: &Store, id: &str, now: Timestamp, output: &Output) -> anyhow::Result<()> {
    let id = named(store, id)?;
    store.accept(&id, now)?;
    let record = store.record(&id)?;
    let live: BTreeMap<ListName, Live> = store.live()?;
    let live = live.get(&record.list);
    Ok(output.line(&line(&record, live, now), || sentence(&record, live, now))?)
}

fn retire(store: &Store, list: &str, now: Timestamp, output: &Output) -> anyhow::Result<()> {
    let live: Vec<String> = store.live()?.keys().map(|name| format!("{:?}", name.as_str())).collect();
    let which = || match live.as_slice() {
        [] => "there is nothing to retire".to_owned(),
        _ => format!("live are {}", live.join(", ")),
    };
    store.retire(&ListName::new(list), now).with_context(which)?;
    let line = json!({"list": list, "retired_at": now});
    Ok(output.line(&line, || format!("{list} answers nothing from now on; its snapshots stay"))?)
}

/// The one snapshot of that id, with that beginning, or of that day.
fn named(store: &Store, text: &str) -> anyhow::Result<SnapshotId> {
    let records = store.records()?;
    let fits = |record: &&SnapshotRecord| {
        let id = record.id.to_string();
        (text.len() >= FEWEST_DIGITS && id.starts_with(text)) || record.published.as_deref() == Some(text)
    };
    let mut fitting = records.iter().filter(fits);
    let first = fitting.next().with_context(|| format!("there is no snapshot {text:?}"))?;
    if fitting.next().is_some() {
        bail!("there are several snapshots {text:?}: name one by its id");
    }
    Ok(first.id)
}
