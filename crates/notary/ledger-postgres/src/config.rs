//! The address of a store, and connections to its servers.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{ClientWrapper, Connect, Manager, ManagerConfig, Pool, RecyclingMethod};
use futures_util::future::{BoxFuture, poll_fn, select_ok};
use ledger::{LedgerError, MAX_CLOCK_OFFSET_MS};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::connection::Result;
use crate::failure::ConnectionError;
use crate::password_file;

/// The port of a server, where the address names none.
const DEFAULT_PORT: u16 = 5432;
/// The longest time for a connection to one host.
const CONNECT_BOUND: Duration = Duration::from_secs(3);
/// The longest time for which sent bytes may stay unacknowledged before a connection counts as dead.
const UNANSWERED_BOUND: Duration = Duration::from_secs(10);
/// The settings of each connection. A statement, a wait for a lock, and a transaction whose client is silent all end
/// before the client gives up, so that a process that stands still holds no lock for long.
const SESSION_SETTINGS: &str = "SET statement_timeout = '15s'; SET lock_timeout = '15s';
    SET idle_in_transaction_session_timeout = '10s'; SET client_min_messages = 'warning'";
/// Statements are planned once a connection, perhaps while their tables are empty, and must then use the indexes. Servers of
/// other makes, which do not know these settings, may refuse them.
const PLANNER_SETTINGS: &str = "SET enable_seqscan = off; SET jit = off";

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

    /// Sets the password, where the address has none, from a file in libpq's format.
    ///
    /// # Errors
    /// The file cannot be read, or others than its owner may read it. A file without a line for this connection is no error.
    pub fn with_password_file(self, path: &Path) -> std::result::Result<Self, LedgerError> {
        if self.server.get_password().is_some() {
            return Ok(self);
        }
        let text = password_file::read(path).map_err(|why| self.unusable(why))?;
        let user = self.server.get_user().unwrap_or_default();
        let database = self.server.get_dbname().unwrap_or_default();
        let ports = self.server.get_ports();
        // All hosts of an address are of one store, and have one password.
        let found = self.server.get_hosts().iter().enumerate().find_map(|(number, host)| {
            let port = ports.get(number).or(ports.first()).copied().unwrap_or(DEFAULT_PORT).to_string();
            let host = match host {
                Host::Tcp(name) => name.as_str(),
                // So libpq names a connection over a socket.
                Host::Unix(_) => "localhost",
            };
            password_file::password(&text, [host, &port, database, user])
        });
        Ok(match found {
            Some(password) => self.with_password(&password),
            None => self,
        })
    }

    /// The place of the store, by which it is told from any other: hosts with their ports, and the database.
    #[must_use]
    pub fn place(&self) -> String {
        let ports = self.server.get_ports();
        let hosts = self.server.get_hosts().iter().enumerate().map(|(number, host)| {
            match ports.get(number).or(ports.first()) {
                Some(port) if *port != DEFAULT_PORT => format!("{}:{port}", host_name(host)),
                _ => host_name(host),
            }
        });
        let hosts: Vec<String> = hosts.collect();
        format!("postgres://{}/{}", hosts.join(","), self.server.get_dbname().unwrap_or_default())
    }

    /// The error of an address that cannot be used.
    #[must_use]
    pub fn unusable(&self, why: impl fmt::Display) -> LedgerError {
        self.error(why)
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
    /// The time before which connections were made that are not used any more.
    retired_at: Arc<Mutex<Option<Instant>>>,
    /// True once nothing more may be written to the store.
    is_stopped: Arc<AtomicBool>,
}

/// The time between sending a question for the store's time and its answer up to which the answer is taken as it is, in
/// milliseconds. A wait for a lock is between them, too.
const PRECISE_MS: i64 = 100;

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
            retired_at: Arc::default(),
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

    /// Notes the store's time `at`, which was read between two times of this process's clock.
    pub(crate) fn note_time(&self, before: i64, at: i64, after: i64) {
        let (lowest, highest) = (at.saturating_sub(after), at.saturating_sub(before));
        let offset = if (0..=PRECISE_MS).contains(&highest.saturating_sub(lowest)) {
            lowest + (highest - lowest) / 2
        } else {
            // All that is known is that the distance lies between the two. What was known before may be more precise.
            self.offset().clamp(lowest.min(highest), highest.max(lowest))
        };
        self.offset.store(offset, Ordering::Release);
        metrics::gauge!("touchstone_store_clock_offset_seconds").set(offset as f64 / 1000.0);
    }

    pub(crate) fn offset(&self) -> i64 {
        self.offset.load(Ordering::Acquire)
    }

    /// Returns true if this process's clock is near enough to the database's to sign by.
    pub(crate) fn is_clock_right(&self) -> bool {
        is_clock_right(self.offset())
    }

    /// Retires all connections that there are: one has failed, and the others may lead to the same server. It may hang, so that
    /// each keeps its user waiting, or another one may have taken its place, and it would still answer reads from before.
    pub(crate) fn retire_connections(&self) {
        *self.retired_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns true if connections that were made at this time are not used any more.
    pub(crate) fn is_retired(&self, made: Instant) -> bool {
        let retired_at = *self.retired_at.lock().unwrap_or_else(PoisonError::into_inner);
        retired_at.is_some_and(|retired_at| made <= retired_at)
    }

    /// A new connection, whose warnings are counted.
    pub(crate) async fn connect(&self, warnings: Arc<AtomicU64>) -> Result<ClientWrapper> {
        let opened = open_any(&self.config, &self.tls, &warnings).await;
        // Whatever the server says of it, there is no connection: it may have no room for one at the moment.
        let (client, task) = opened.map_err(|error| ConnectionError::NoConnection(error.to_string()))?;
        Ok(ClientWrapper::new(client, task))
    }

    /// The servers of the store, of which each may be connected to, also one that takes no writes.
    pub(crate) fn of_any_kind(&self) -> Self {
        let mut any = self.clone();
        any.config.target_session_attrs(TargetSessionAttrs::Any);
        any
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
            .create_timeout(Some(CONNECT_BOUND + Duration::from_millis(100)))
            .recycle_timeout(Some(CONNECT_BOUND))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .build();
        pool.map_err(|error| LedgerError::Unfit(error.to_string()))
    }
}

type Opened = (Client, JoinHandle<()>);

/// Connects to all hosts at once, and keeps the first connection to one that is wanted: a server that hangs keeps nobody from
/// the others.
async fn open_any(config: &Config, tls: &MakeRustlsConnect, warnings: &Arc<AtomicU64>) -> Result<Opened> {
    let attempts = of_each_host(config).into_iter().map(|config| {
        let opening = open(config, tls.clone(), Arc::clone(warnings));
        Box::pin(async {
            let opened = tokio::time::timeout(CONNECT_BOUND, opening).await;
            Ok::<_, ConnectionError>(opened.map_err(|_| ConnectionError::Late(CONNECT_BOUND.as_secs()))??)
        })
    });
    Ok(select_ok(attempts).await?.0)
}

/// The same settings with one host each.
fn of_each_host(config: &Config) -> Vec<Config> {
    let (hosts, ports) = (config.get_hosts(), config.get_ports());
    let of_host = |(index, host): (usize, &Host)| {
        let mut one = Config::new();
        match host {
            Host::Tcp(name) => one.host(name),
            Host::Unix(path) => one.host_path(path),
        };
        // As in libpq: one port for all hosts, or one for each.
        if let Some(port) = ports.get(index).or(ports.first()) {
            one.port(*port);
        }
        config.get_user().map(|user| one.user(user));
        config.get_password().map(|password| one.password(password));
        config.get_dbname().map(|name| one.dbname(name));
        config.get_options().map(|options| one.options(options));
        config.get_application_name().map(|name| one.application_name(name));
        one.ssl_mode(config.get_ssl_mode()).ssl_negotiation(config.get_ssl_negotiation());
        one.channel_binding(config.get_channel_binding());
        one.target_session_attrs(config.get_target_session_attrs());
        one.connect_timeout(CONNECT_BOUND).tcp_user_timeout(UNANSWERED_BOUND);
        one.keepalives(true).keepalives_idle(config.get_keepalives_idle());
        config.get_keepalives_interval().map(|interval| one.keepalives_interval(interval));
        config.get_keepalives_retries().map(|retries| one.keepalives_retries(retries));
        one
    };
    hosts.iter().enumerate().map(of_host).collect()
}

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
    if let Err(error) = client.batch_execute(PLANNER_SETTINGS).await {
        tracing::debug!(%error, "the database server has no such planner");
    }
    Ok((client, task))
}

/// How the pool connects.
struct Connecting(MakeRustlsConnect, Arc<AtomicU64>);

impl Connect for Connecting {
    fn connect(&self, config: &Config) -> BoxFuture<'_, std::result::Result<Opened, tokio_postgres::Error>> {
        let config = config.clone();
        Box::pin(async move {
            match open_any(&config, &self.0, &self.1).await {
                Ok(opened) => Ok(opened),
                Err(ConnectionError::Postgres(error)) => Err(error),
                // Nobody has answered, for which there is no error of this type: the pool's own time ends the wait.
                Err(_) => std::future::pending().await,
            }
        })
    }
}

/// Returns true if a clock that is so many milliseconds off the database's may say what time it is.
pub(crate) fn is_clock_right(offset: i64) -> bool {
    offset.unsigned_abs() <= MAX_CLOCK_OFFSET_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        let config: PostgresConfig =
            "postgres://notary@localhost/touchstone?sslmode=disable".parse().unwrap();
        Server::new(&config).unwrap()
    }

    #[test]
    fn the_place_of_a_store_has_no_secret_and_tells_servers_of_one_machine_apart() {
        let place = |address: &str| address.parse::<PostgresConfig>().unwrap().place();
        assert_eq!(place("postgres://me:secret@db1,db2:5433/x?sslmode=disable"), "postgres://db1,db2:5433/x");
        assert_ne!(place("postgres://me@db1:5433/x"), place("postgres://me@db1/x"));
    }

    #[test]
    fn a_clock_that_is_off_by_three_seconds_is_not_right_and_one_that_waits_for_a_lock_is() {
        for (own, is_right) in [(0, true), (1_900, true), (3_000, false), (-3_000, false)] {
            let server = server();
            server.note_time(1_000_000 + own, 1_000_010, 1_000_020 + own);
            assert_eq!((server.offset(), server.is_clock_right()), (-own, is_right));
            // The store's time was read before a wait of 8 s for the lock, or after it.
            for at in [1_000_010, 1_008_010] {
                server.note_time(1_000_000 + own, at, 1_008_020 + own);
                assert_eq!((server.offset(), server.is_clock_right()), (-own, is_right));
            }
        }
        let server = server();
        server.note_time(0, 20_000, 8_000);
        assert!(server.offset() == 12_000 && !server.is_clock_right(), "at least so far off");
    }
}
