//! `touchstone witness`: a witness for the logs of others.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use listen::Bounds;
use tlog::{CosignerKey, KeyKind};
use tokio::signal::unix::{SignalKind, signal};
use verdict::SystemClock;
use witness::Witness;
use witness_service::{Service, SqliteStore, router};

use crate::cli::WitnessArgs;
use crate::logging;

/// The most connections at once.
const CONNECTIONS: usize = 512;

/// Serves until SIGTERM or SIGINT.
pub fn run(args: &WitnessArgs) -> anyhow::Result<ExitCode> {
    let filter = logging::filter(&args.log)?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(false).init();
    let (cosigners, store) = opened(args)?;
    let lines: Vec<String> = cosigners.iter().map(line).collect();
    let witness = logs(&args.logs)?.into_iter().try_fold(Witness::new(cosigners)?, |witness, log| {
        witness.with_log(&log.origin, log.keys).with_context(|| format!("{}", args.logs.display()))
    })?;
    let service = Service { witness, store: Box::new(store), clock: Arc::new(SystemClock::start()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, &lines, service))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(args: &WitnessArgs, lines: &[String], service: Service) -> anyhow::Result<()> {
    let [mut terminate, mut interrupt] = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
    let listener = listen::listen(args.listen).with_context(|| format!("listen on {}", args.listen))?;
    let address = listener.local_addr()?;
    println!("for the policies of the logs, with your own address:");
    lines.iter().for_each(|line| println!("{line}"));
    println!("listening on http://{address}");
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    let bounds = Bounds::of(CONNECTIONS);
    listen::serve(listener, router(service), &[], bounds, server::http2_refused, stop).await;
    tracing::info!("stopped");
    Ok(())
}

/// The line of a key in a policy (C2SP tlog-policy).
fn line(key: &CosignerKey) -> String {
    let kind = if key.kind() == KeyKind::MlDsa44 { "-ml-dsa" } else { "" };
    format!("witness {}{kind} {} https://ADDRESS/", key.name(), key.verifier())
}

/// The keys and the record. Both are made together: a key whose record is gone could cosign a second history of a log
/// that it has cosigned.
fn opened(args: &WitnessArgs) -> anyhow::Result<(Vec<CosignerKey>, SqliteStore)> {
    let (key, store) = (args.key_file.display(), args.store.display());
    if let Some(keys) = witness_service::load(&args.key_file)? {
        if !args.store.try_exists().with_context(|| format!("read {store}"))? {
            bail!(
                "{key} is the key of a witness, and there is no record {store} of what it has cosigned: without it the key could \
                 cosign a second history of a log. Put the record back as it was last, or name it (--store). If it is lost, move \
                 the key away and start again: a new key is made, and the logs need its line in their policies"
            );
        }
        let record = SqliteStore::open(&args.store, &keys)?;
        return Ok((keys, record));
    }
    let Some(name) = &args.name else {
        bail!(
            "there is no key {key}: give the new one a name that is yours, as in --name witness.example.com"
        );
    };
    let both = [KeyKind::CosignatureV1, KeyKind::MlDsa44];
    let keys = witness_service::generate(name, if args.ml_dsa { &both[..] } else { &both[..1] })?;
    // First the record: one without a key harms nobody.
    let record = SqliteStore::make(&args.store, &keys)?;
    witness_service::save(&args.key_file, &keys)?;
    Ok((keys, record))
}

fn logs(path: &Path) -> anyhow::Result<Vec<witness_service::WitnessedLog>> {
    let shown = || format!("{}", path.display());
    if std::fs::metadata(path).with_context(shown)?.len() > witness_service::MAX_LOGS_BYTES as u64 {
        bail!("{} has more than {} bytes", path.display(), witness_service::MAX_LOGS_BYTES);
    }
    witness_service::parse(&std::fs::read(path).with_context(shown)?).with_context(shown)
}
