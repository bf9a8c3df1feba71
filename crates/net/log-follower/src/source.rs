//! The log that is followed, read over HTTP (C2SP tlog-tiles) through the guarded client.

use std::time::Duration;

use bytes::Bytes;
use fetch::{Endpoint, EndpointError, FetchError, Limits};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tlog::tile::{FULL_WIDTH, MAX_ENTRY_BYTES, TileKind};
use tlog::{TilePath, note::MAX_NOTE_BYTES};

/// The most bytes of a bundle: 256 entries, each with its length.
pub const MAX_BUNDLE_BYTES: usize = FULL_WIDTH as usize * (2 + MAX_ENTRY_BYTES);

/// The most bytes of a hash tile: 256 hashes.
const MAX_TILE_BYTES: usize = FULL_WIDTH as usize * 32;

/// The longest time for a checkpoint or a hash tile, and for a bundle.
const SHORT: Duration = Duration::from_secs(15);
const LONG: Duration = Duration::from_secs(60);

/// The number of times that a request is sent in all.
const ATTEMPTS: u32 = 4;

/// The pause before the second attempt; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// An error in reading from a log.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The log gave no answer, or not within the bounds.
    #[error("{path}: {error}")]
    Fetch {
        /// The path below the log's address.
        path: String,
        /// The error.
        error: FetchError,
    },
    /// The log answered with this HTTP status.
    #[error("{path}: the log answered with status {status}")]
    Status {
        /// The path below the log's address.
        path: String,
        /// The HTTP status.
        status: u16,
    },
    /// The answer of `GET /keys` is not of its form.
    #[error("the records of keys: {why}")]
    Keys {
        /// The reason.
        why: String,
    },
}

impl SourceError {
    /// Returns true if another attempt may succeed.
    fn is_passing(&self) -> bool {
        match self {
            Self::Fetch { error, .. } => matches!(
                error,
                FetchError::Connect(_)
                    | FetchError::ConnectTimeout
                    | FetchError::Dns(_)
                    | FetchError::Interrupted(_)
                    | FetchError::Busy
            ),
            Self::Status { status, .. } => *status == 429 || *status >= 500,
            Self::Keys { .. } => false,
        }
    }
}

/// A log: its checkpoint and its tiles.
pub trait LogSource: Send + Sync {
    /// The checkpoint as it is served now: a signed note, which is not checked yet.
    fn checkpoint(&self) -> BoxFuture<'_, Result<Bytes, SourceError>>;

    /// The bytes of a tile or bundle; `None` where the log does not have it.
    fn tile(&self, path: TilePath) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>>;
}

/// A log at an address.
///
/// The address is one that the operator named: over `https` any public host, over `http` only an address or `localhost`.
#[derive(Clone, Debug)]
pub struct HttpLog {
    checkpoints: Endpoint,
    tiles: Endpoint,
    bundles: Endpoint,
}

impl HttpLog {
    /// Makes a client of the log below `url`, where `checkpoint` and `tile/` are. At most `at_once` requests are under way.
    ///
    /// # Errors
    /// The address is not one that may be reached.
    pub fn new(url: &str, at_once: usize) -> Result<Self, EndpointError> {
        Self::within(url, at_once, LONG)
    }

    /// Makes a client as [`new`](Self::new) does, whose every request takes no longer than `longest`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn within(url: &str, at_once: usize, longest: Duration) -> Result<Self, EndpointError> {
        let endpoint = |bytes: usize, total: Duration| {
            let total = total.min(longest);
            let limits = Limits {
                resolve: Duration::from_secs(5),
                connect: Duration::from_secs(5),
                total,
                wait: total,
                wire_bytes: bytes,
                decoded_bytes: bytes,
                per_host: at_once,
                waiting_per_host: at_once,
                per_network: at_once,
                waiting_per_network: at_once,
                in_all: at_once.max(2),
                reserved: 0,
                ..Limits::default()
            };
            Endpoint::system(url, &[], limits)
        };
        Ok(Self {
            checkpoints: endpoint(MAX_NOTE_BYTES, SHORT)?,
            tiles: endpoint(MAX_TILE_BYTES, SHORT)?,
            bundles: endpoint(MAX_BUNDLE_BYTES, LONG)?,
        })
    }
}

/// Asks until there is an answer that counts, a few times at most. Gives the document, or `None` where there is none.
pub(crate) async fn patiently(
    endpoint: &Endpoint,
    path: &str,
    query: Option<&str>,
) -> Result<Option<Bytes>, SourceError> {
    let mut pause = FIRST_PAUSE;
    for attempt in 1.. {
        let (error, wanted) = match ask(endpoint, path, query).await {
            Ok(found) => return Ok(found),
            Err(failed) => failed,
        };
        if attempt >= ATTEMPTS || !error.is_passing() {
            return Err(error);
        }
        tracing::debug!(%error, attempt, "the log is asked again");
        tokio::time::sleep(wanted.unwrap_or(pause).clamp(pause, LONGEST_PAUSE)).await;
        pause *= 2;
    }
    unreachable!("the last attempt returns")
}

/// Asks once. Gives the document, `None` for 404, or the error and the pause that the server asks for.
async fn ask(
    endpoint: &Endpoint,
    path: &str,
    query: Option<&str>,
) -> Result<Option<Bytes>, (SourceError, Option<Duration>)> {
    let answer = endpoint.get(path, query).await;
    let answer = answer.map_err(|error| (SourceError::Fetch { path: path.to_owned(), error }, None))?;
    match answer.status {
        200 => Ok(Some(answer.body)),
        // A store of objects that may not be listed answers 403 for one that is not there; a pruned tile may be gone.
        403 | 404 | 410 => Ok(None),
        status => {
            let pause = answer.retry_after_s.map(|seconds| Duration::from_secs(seconds.into()));
            Err((SourceError::Status { path: path.to_owned(), status }, pause))
        }
    }
}

impl LogSource for HttpLog {
    fn checkpoint(&self) -> BoxFuture<'_, Result<Bytes, SourceError>> {
        async {
            let path = "checkpoint";
            let found = patiently(&self.checkpoints, path, None).await?;
            found.ok_or_else(|| SourceError::Status { path: path.to_owned(), status: 404 })
        }
        .boxed()
    }

    fn tile(&self, path: TilePath) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>> {
        async move {
            let endpoint = match path.kind() {
                TileKind::Hashes(_) => &self.tiles,
                TileKind::Entries => &self.bundles,
            };
            patiently(endpoint, &path.to_string(), None).await
        }
        .boxed()
    }
}
