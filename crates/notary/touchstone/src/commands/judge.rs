//! `touchstone judge`: any judge, offline, on JSON Lines, in order and in bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use futures_util::{StreamExt as _, stream};
use module::terms::GRADING_BODY_LIMIT;
use module::{Mode, Module, Unprepared};
use receipt::json::{Json, parse};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use verdict::{AnyJudge, Clock as _, FieldError, Objection, SystemClock, Unavailable};

use crate::cli::JudgeArgs;
use crate::modules;
use crate::progress::Progress;
use crate::settings::Settings;

/// The most bytes of a line: twice the largest body that a route takes.
const MAX_LINE: usize = 2 * GRADING_BODY_LIMIT;
/// The most bytes of a track record: 100,000 trades are 30 MB. Lines over [`MAX_LINE`] are judged one at a time, since
/// they take many times as much memory once they are read.
const MAX_RECORD: usize = 64 << 20;

/// Judges every line; exit 2 where a line was bad.
pub fn run(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let modules = modules::all(&settings, &modules::host(&settings, Mode::Batch)?)?;
    let route_table = modules::route_table(&settings, &modules)?;
    let route =
        route_table.route(&args.class).with_context(|| format!("there is no class `{}`", args.class))?;
    let Some(judge) = route.judge.clone() else {
        eprintln!(
            "touchstone: `{}` cannot be judged: its module `{}` is not there",
            args.class, route.terms.module
        );
        return Ok(ExitCode::from(2));
    };
    let module = modules.iter().find(|module| module.judges(&args.class));
    match module.map_or(Ok(()), Module::prepare) {
        Ok(()) => {}
        Err(Unprepared::Missing(what)) => {
            eprintln!("touchstone: `{}` cannot be judged: {what}", args.class);
            return Ok(ExitCode::from(2));
        }
        Err(Unprepared::Unreadable(error)) => return Err(error.into()),
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    let (input, output) = (open(args.input.as_deref())?, create(args.output.as_deref())?);
    let mut progress = progress(args);
    let takes_records = route.terms.body_limit >= GRADING_BODY_LIMIT;
    let max_line = if takes_records { MAX_RECORD } else { MAX_LINE };
    let bad = runtime.block_on(all(judge, input, output, (threads, max_line), &mut progress))?;
    drop(progress);
    if bad > 0 {
        eprintln!("touchstone: {bad} bad lines");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Judges so many lines at once, of at most so many bytes, and writes their findings in the order of the lines.
async fn all(
    judge: Arc<dyn AnyJudge>,
    mut input: Box<dyn BufRead + Send>,
    mut output: Box<dyn Write + Send>,
    (threads, max_line): (usize, usize),
    progress: &mut Progress,
) -> anyhow::Result<u64> {
    let clock = SystemClock::start();
    let lines = (1_u64..).zip(std::iter::from_fn(|| next_line(&mut *input, max_line).transpose()));
    let alone = Arc::new(Semaphore::new(1));
    let mut findings = stream::iter(lines)
        .map(|(number, line)| {
            let (judge, alone, at) = (Arc::clone(&judge), Arc::clone(&alone), clock.now());
            tokio::spawn(async move {
                let line = line?;
                let _alone = if line.len() > MAX_LINE { alone.acquire().await.ok() } else { None };
                Ok::<_, io::Error>(one(&*judge, (number, max_line), line.trim_ascii(), at).await)
            })
        })
        .buffered(threads);
    let mut bad = 0;
    while let Some(finding) = findings.next().await {
        let (text, is_good) = finding.context("a judge panicked")??;
        bad += u64::from(!is_good);
        if !text.is_empty() {
            output.write_all(&text)?;
            output.write_all(b"\n")?;
        }
        progress.inc();
    }
    output.flush()?;
    Ok(bad)
}

/// The next line, cut off just past the most bytes of one; `None` at the end.
fn next_line(input: &mut (dyn BufRead + Send), max_line: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = io::Read::take(&mut *input, max_line as u64 + 1).read_until(b'\n', &mut line)?;
    if line.pop_if(|last| *last == b'\n').is_none() && read > max_line {
        input.skip_until(b'\n')?;
    }
    Ok((read > 0).then_some(line))
}

/// One line's finding, and whether the line was good. An empty line has none and is good.
async fn one(
    judge: &dyn AnyJudge,
    (number, max_line): (u64, usize),
    line: &[u8],
    at: verdict::Timestamp,
) -> (Vec<u8>, bool) {
    if line.is_empty() {
        return (Vec::new(), true);
    }
    let refused = |error: Value| (json!({"line": number, "error": error}).to_string().into_bytes(), false);
    if line.len() > max_line {
        let detail = format!("must be at most {max_line} bytes");
        return refused(json!({"field": "body", "reason": "too_long", "detail": detail}));
    }
    let object = match parse(line) {
        Ok(Json::Object(object)) => object,
        Ok(other) => {
            let detail = format!("must be a JSON object, not {}", other.type_name());
            return refused(json!({"field": "body", "reason": "wrong_type", "detail": detail}));
        }
        Err(error) => {
            let field = error.field();
            return refused(json!({"field": field, "reason": error.code(), "detail": error.to_string()}));
        }
    };
    let case = match judge.receive(&object) {
        Ok(case) => case,
        Err(error) => return refused(wrong(&error)),
    };
    drop(object);
    let unavailable = |error: Unavailable| json!({"module": error.module, "detail": error.detail});
    match case.admit(at).await {
        Ok(()) => {}
        Err(Objection::Field(error)) => return refused(wrong(&error)),
        Err(Objection::Unavailable(error)) => return refused(unavailable(error)),
        Err(Objection::NotOffered { module, detail }) => {
            return refused(json!({"module": module, "detail": detail}));
        }
        Err(objection @ (Objection::Unknown(_) | Objection::Impossible { .. })) => {
            return refused(json!({"detail": objection.to_string()}));
        }
    }
    match case.judge(at.into()).await {
        Ok(ruling) => (Json::Object(ruling.finding).canonical(), true),
        Err(error) => refused(unavailable(error)),
    }
}

fn wrong(FieldError { path, reason, detail }: &FieldError) -> Value {
    json!({"field": path.dotted(), "reason": reason.code(), "detail": detail})
}

fn open(path: Option<&Path>) -> anyhow::Result<Box<dyn BufRead + Send>> {
    Ok(match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            Box::new(BufReader::new(File::open(path).with_context(|| format!("read {}", path.display()))?))
        }
        None => Box::new(BufReader::new(io::stdin())),
    })
}

fn create(path: Option<&Path>) -> anyhow::Result<Box<dyn Write + Send>> {
    Ok(match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            Box::new(BufWriter::new(File::create(path).with_context(|| format!("write {}", path.display()))?))
        }
        None => Box::new(BufWriter::new(io::stdout())),
    })
}

fn progress(args: &JudgeArgs) -> Progress {
    let is_to_stdout = args.output.as_deref().is_none_or(|path| path == Path::new("-"));
    if is_to_stdout {
        Progress::beside_results("judged", None, args.quiet)
    } else {
        Progress::new("judged", None, args.quiet)
    }
}
