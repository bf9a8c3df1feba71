//! `touchstone mirror`: keeps a copy of a log that others keep, serves it, and makes proofs from it.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use listen::Bounds;
use log_follower::{Advance, LogKeys, Mirror, MirrorError, MirrorFolder};
use tlog::{TilePath, VerifierKey};

use super::follow::{CANNOT_SAY, Following, Said, Seen, alarm_lines, follow};
use crate::cli::MirrorArgs;
use crate::error_text;

/// The most connections at once.
const CONNECTIONS: usize = 1024;

/// Copies a log, serves a copy, or prints a proof from one. Exit 1 where the log is wrong, 2 where nothing can be said.
pub fn run(args: &MirrorArgs) -> anyhow::Result<ExitCode> {
    let folder = MirrorFolder::new(&args.to);
    let outcome = match (&args.log, &args.proof, args.serve) {
        (Some(url), ..) => copy(args, url),
        (None, Some(leaf), _) => proof(&folder, leaf, &args.log_key),
        (None, None, Some(address)) => serve(folder, address),
        _ => bail!("give LOG_URL and --log-key, or --serve, or --proof"),
    };
    outcome.or_else(|error| {
        eprintln!("touchstone: {}", error_text::once(&error));
        Ok(ExitCode::from(CANNOT_SAY))
    })
}

fn copy(args: &MirrorArgs, url: &str) -> anyhow::Result<ExitCode> {
    let log_keys = LogKeys::new(args.log_key.clone()).context("--log-key")?;
    let every = args.follow.then(|| Duration::from_secs(args.every.into()));
    let state = args.to.join(".state");
    let following =
        Following { url, log_keys: &log_keys, state: &state, every, is_quiet: args.quiet, keys: None };
    follow(&following, Mirror::new(MirrorFolder::new(&args.to)), |seen, _| {
        let text = match seen {
            Seen::Log(Advance::Unchanged { size }) if args.follow => {
                tracing::debug!(size, "unchanged");
                String::new()
            }
            Seen::Log(Advance::Unchanged { size } | Advance::Verified { size, .. }) => {
                format!("{size} leaves are in {}\n", args.to.display())
            }
            Seen::Alarm(error, proof) => alarm_lines(error, proof.as_ref()),
            Seen::Nothing(error) => {
                eprintln!("touchstone: {error}");
                String::new()
            }
        };
        Said { text, is_wrong: false }
    })
}

fn proof(folder: &MirrorFolder, leaf: &str, log_keys: &[VerifierKey]) -> anyhow::Result<ExitCode> {
    let index = match leaf.parse::<u64>() {
        Ok(index) if leaf.len() < 64 => index,
        _ => folder.find(&leaf.parse().context("--proof is a leaf's index, or the hash of a receipt")?)?,
    };
    print!("{}", folder.proof(index, log_keys)?);
    Ok(ExitCode::SUCCESS)
}

fn serve(folder: MirrorFolder, address: SocketAddr) -> anyhow::Result<ExitCode> {
    folder.checkpoint()?;
    let router = Router::new()
        .route("/checkpoint", get(checkpoint))
        .route("/tile/{*path}", get(tile))
        .with_state(folder);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = listen::listen(address).with_context(|| format!("listen on {address}"))?;
        println!("serving the log at http://{}/", listener.local_addr()?);
        let bounds = Bounds::of(CONNECTIONS);
        listen::serve(listener, router, &[], bounds, server::http2_refused, stopped()).await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Ends with the signal to stop.
async fn stopped() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn checkpoint(State(folder): State<MirrorFolder>) -> Response {
    let read = tokio::task::spawn_blocking(move || folder.checkpoint()).await;
    match read {
        Ok(Ok(note)) => {
            let headers =
                [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
            (headers, note).into_response()
        }
        Ok(Err(error)) => failed(&error),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn tile(State(folder): State<MirrorFolder>, Path(path): Path<String>) -> Response {
    // Nothing but the path of a tile in its one spelling is looked for on the disk.
    let Ok(path) = format!("tile/{path}").parse::<TilePath>() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let read = tokio::task::spawn_blocking(move || folder.tile(path)).await;
    match read {
        Ok(Ok(Some(bytes))) => {
            let headers = [
                (header::CONTENT_TYPE, "application/octet-stream"),
                (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, bytes).into_response()
        }
        Ok(Ok(None)) => StatusCode::NOT_FOUND.into_response(),
        Ok(Err(error)) => failed(&error),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn failed(error: &MirrorError) -> Response {
    tracing::warn!(%error, "the mirror cannot be read");
    StatusCode::SERVICE_UNAVAILABLE.into_response()
}
