//! The address of a store, and connections to its servers.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Connect, Manager, ManagerConfig, Pool, RecyclingMethod};
use futures_util::future::{BoxFuture, poll_fn};
use ledger::LedgerError;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::connection::Result;
use crate::failure::ConnectionError;

/// The longest time for a connection to one host.
const CONNECT_BOUND: Duration = Duration::from_secs(3);
/// The longest time for which sent bytes may stay unacknowledged before a connection counts as dead.
const UNANSWERED_BOUND: Duration = Duration::from_secs(10);
/// The settings of each connection. A statement, a wait for a lock, and a transaction whose client is silent all end
/// before the client gives up, so that a process that stands still holds no lock for long.
const SESSION_SETTINGS: &str = "SET statement_timeout = '15s'; SET lock_timeout = '15s';
    SET idle_in_transaction_session_timeout = '10s'; SET client_min_messages = 'warning'";

/// The clock that leases are measured by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoreClock {
    /// The clock of the database server, which all replicas share.
    #[default]
    Database,
    /// The clock of this process, for tests that set it.
    Process,
}

/// The address of a PostgreSQL store: `postgres://USER:PASSWORD@HOST,HOST.../DATABASE?PARAMETER=VALUE&...`.
///
/// The parameters are those of libpq that tokio-postgres knows, and `sslrootcert` (the file of trusted certificates, PEM).
/// A certificate is always verified, so `sslmode=require` is `verify-full`. Without `target_session_attrs` it is
/// `read-write`: of several hosts the one that takes writes.
///
/// # Example
/// ```
/// use ledger_postgres::PostgresConfig;
///
/// let config: PostgresConfig = "postgres://notary:secret@db1,db2/touchstone?sslmode=disable".parse()?;
/// assert_eq!(config.to_string(), "postgres://db1,db2/touchstone", "no secret is printed");
/// # Ok::<_, ledger::LedgerError>(())
/// ```
#[derive(Clone)]
pub struct PostgresConfig {
    pub(crate) server: Config,
    roots: Arc<RootCertStore>,
    pub(crate) clock: StoreClock,
}

impl PostgresConfig {
    /// Sets the clock that leases are measured by.
    #[must_use]
    pub fn with_clock(self, clock: StoreClock) -> Self {
        Self { clock, ..self }
    }

    /// Sets the password, where the address has none.
    #[must_use]
    pub fn with_password(mut self, password: &str) -> Self {
        if self.server.get_password().is_none() {
            self.server.password(password);
        }
        self
    }

    pub(crate) fn error(&self, why: impl fmt::Display) -> LedgerError {
        LedgerError::Open { path: self.to_string(), why: why.to_string() }
    }
}

impl FromStr for PostgresConfig {
    type Err = LedgerError;

    fn from_str(address: &str) -> std::result::Result<Self, LedgerError> {
        let unfit = |why: String| LedgerError::Open { path: "postgres://...".to_owned(), why };
        let (base, query) = address.split_once('?').unwrap_or((address, ""));
        let (mut known, mut roots) = (Vec::new(), None);
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", path)) => roots = Some(trusted(Path::new(path)).map_err(unfit)?),
                Some(("sslmode", "verify-full" | "verify-ca")) => known.push("sslmode=require"),
                _ => known.push(parameter),
            }
        }
        let address = format!("{base}?{}", known.join("&"));
        let mut server: Config = address.parse().map_err(|error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            unfit(cause.unwrap_or_else(|| error.to_string()))
        })?;
        if server.get_dbname().is_none() {
            return Err(unfit("it names no database, as in postgres://user@host/touchstone".to_owned()));
        }
        if !known.iter().any(|parameter| parameter.starts_with("target_session_attrs=")) {
            server.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        server.application_name("touchstone").connect_timeout(CONNECT_BOUND);
        server.tcp_user_timeout(UNANSWERED_BOUND).keepalives(true).keepalives_idle(Duration::from_secs(5));
        server.keepalives_interval(Duration::from_secs(2)).keepalives_retries(3);
        let roots = roots.unwrap_or_else(|| webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect());
        Ok(Self { server, roots: Arc::new(roots), clock: StoreClock::default() })
    }
}

/// The certificates of a PEM file.
fn trusted(path: &Path) -> std::result::Result<RootCertStore, String> {
    let unreadable = |error: &dyn fmt::Display| format!("sslrootcert {}: {error}", path.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() { Err(unreadable(&"it has no certificate")) } else { Ok(roots) }
}

/// The hosts and the database, without user and password.
impl fmt::Display for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.server.get_hosts().iter().map(host_name).collect();
        write!(f, "postgres://{}/{}", hosts.join(","), self.server.get_dbname().unwrap_or_default())
    }
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    }
}

impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresConfig({self})")
    }
}

/// The servers of a store, ready to be connected to.
#[derive(Clone)]
pub(crate) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
    clock: StoreClock,
    /// The distance of the store's time from that of this process's clock, in milliseconds, as last read.
    offset: Arc<AtomicI64>,
    /// True once nothing more may be written to the store.
    is_stopped: Arc<AtomicBool>,
}

/// The greatest distance of a clock from the database's at which receipts are signed, in milliseconds.
const MAX_OFFSET_MS: u64 = 2_000;

impl Server {
    pub(crate) fn new(config: &PostgresConfig) -> std::result::Result<Self, LedgerError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| config.error(error))?
            .with_root_certificates(Arc::clone(&config.roots))
            .with_no_client_auth();
        let mut server = config.server.clone();
        if server.get_hosts().iter().all(|host| matches!(host, Host::Unix(_))) {
            server.ssl_mode(SslMode::Disable);
        }
        Ok(Self {
            config: server,
            tls: MakeRustlsConnect::new(tls),
            clock: config.clock,
            offset: Arc::default(),
            is_stopped: Arc::default(),
        })
    }

    pub(crate) fn clock(&self) -> StoreClock {
        self.clock
    }

    /// True once nothing more may be written to the store, for all who use this handle or a clone of it.
    pub(crate) fn stopping(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_stopped)
    }

    pub(crate) fn note_offset(&self, offset: i64) {
        self.offset.store(offset, Ordering::Release);
        metrics::gauge!("touchstone_store_clock_offset_seconds").set(offset as f64 / 1000.0);
    }

    pub(crate) fn offset(&self) -> i64 {
        self.offset.load(Ordering::Acquire)
    }

    /// Returns true if this process's clock is near enough to the database's to sign by.
    pub(crate) fn is_clock_right(&self) -> bool {
        self.offset().unsigned_abs() <= MAX_OFFSET_MS
    }

    /// A new connection, whose warnings are counted.
    pub(crate) async fn connect(&self, warnings: Arc<AtomicU64>) -> Result<ClientWrapper> {
        let connecting = open(self.config.clone(), self.tls.clone(), warnings);
        // The time of tokio-postgres holds for each host.
        let bound = CONNECT_BOUND * u32::try_from(self.config.get_hosts().len()).unwrap_or(1).max(1);
        let connected = tokio::time::timeout(bound + CONNECT_BOUND, connecting).await;
        let connected = connected.map_err(|_| ConnectionError::Late(bound.as_secs()))?;
        // Whatever the server says of it, there is no connection: it may have no room for one at the moment.
        let (client, task) = connected
            .map_err(|error| ConnectionError::NoConnection(ConnectionError::from(error).to_string()))?;
        Ok(ClientWrapper::new(client, task))
    }

    /// A pool of connections for reading.
    pub(crate) fn pool(
        &self,
        size: usize,
        wait: Duration,
        warnings: Arc<AtomicU64>,
    ) -> std::result::Result<Pool, LedgerError> {
        let settings = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager =
            Manager::from_connect(self.config.clone(), Connecting(self.tls.clone(), warnings), settings);
        let pool = Pool::builder(manager)
            .max_size(size)
            .wait_timeout(Some(wait))
            .create_timeout(Some(CONNECT_BOUND * 4))
            .recycle_timeout(Some(CONNECT_BOUND))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .build();
        pool.map_err(|error| LedgerError::Unfit(error.to_string()))
    }
}

type Opened = (Client, JoinHandle<()>);

/// Connects, applies the settings, and starts the task that moves the connection's messages.
async fn open(
    config: Config,
    tls: MakeRustlsConnect,
    warnings: Arc<AtomicU64>,
) -> std::result::Result<Opened, tokio_postgres::Error> {
    let (client, mut connection) = config.connect(tls).await?;
    let task = tokio::spawn(async move {
        // A notice is counted before the answer that it belongs to arrives: both come in the order of the server.
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notice(notice)) => {
                    warnings.fetch_add(1, Ordering::AcqRel);
                    tracing::warn!(notice = notice.message(), "the database server warns");
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(%error, "a connection to the database server has ended");
                    return;
                }
            }
        }
    });
    client.batch_execute(SESSION_SETTINGS).await?;
    Ok((client, task))
}

/// How the pool connects.
struct Connecting(MakeRustlsConnect, Arc<AtomicU64>);

impl Connect for Connecting {
    fn connect(&self, config: &Config) -> BoxFuture<'_, std::result::Result<Opened, tokio_postgres::Error>> {
        Box::pin(open(config.clone(), self.0.clone(), Arc::clone(&self.1)))
    }
}
