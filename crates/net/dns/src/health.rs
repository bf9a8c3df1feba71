//! The state of the name servers, examined again and again while a service runs.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::examine::{RootFailure, ServerReport, examine};
use crate::servers::{MAX_SERVERS, system_servers};

/// Time for which the result of an examination counts. A loop that examines more often keeps callers from waiting.
pub const FRESH: Duration = Duration::from_secs(300);
/// Time for which a fault counts, so that a repaired server is used soon.
pub const FRESH_FAULT: Duration = Duration::from_secs(10);

/// A fault of the name servers around a service.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ServerFault {
    /// A name server says that the root does not exist, or that it has no SOA record. It denies what exists, so that its
    /// answers show nothing: a domain would seem to have no address, no certificate and no policy for mail.
    #[error("the name server {server} cannot be believed: {why}")]
    Denies {
        /// The address of the server.
        server: SocketAddr,
        /// Its answer.
        why: RootFailure,
    },
    /// No name server gives an answer. What is asked stays unknown.
    #[error("no name server answers")]
    Silent,
}

/// The name servers that a service asks, with the result of the last examination.
#[derive(Debug)]
pub struct ServerHealth {
    servers: Vec<SocketAddr>,
    last: Mutex<Option<(Instant, Result<(), ServerFault>)>>,
    /// Held while an examination runs, so that callers who come at the same time share it.
    turn: tokio::sync::Mutex<()>,
}

impl ServerHealth {
    /// Watches these name servers, or with `None` those of the system's configuration.
    #[must_use]
    pub fn new(servers: Option<Vec<SocketAddr>>) -> Self {
        let mut servers = servers.unwrap_or_else(system_servers);
        servers.truncate(MAX_SERVERS);
        Self { servers, last: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Returns the result of the last examination, however old it is; `None` before the first.
    #[must_use]
    pub fn last(&self) -> Option<Result<(), ServerFault>> {
        self.kept().map(|(_, result)| result)
    }

    /// Examines the servers, unless the result of the last examination still counts.
    ///
    /// # Errors
    /// [`ServerFault`] if a server cannot be believed, or none answers.
    pub async fn check(&self) -> Result<(), ServerFault> {
        if let Some(result) = self.fresh() {
            return result;
        }
        let _turn = self.turn.lock().await;
        match self.fresh() {
            Some(result) => result,
            None => self.examine().await,
        }
    }

    /// Examines the servers now.
    ///
    /// # Errors
    /// [`ServerFault`] if a server cannot be believed, or none answers.
    pub async fn examine(&self) -> Result<(), ServerFault> {
        let result = judged(&examine(Some(self.servers.clone())).await);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), result.clone()));
        result
    }

    fn kept(&self) -> Option<(Instant, Result<(), ServerFault>)> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fresh(&self) -> Option<Result<(), ServerFault>> {
        let (at, result) = self.kept()?;
        let counts = if result.is_ok() { FRESH } else { FRESH_FAULT };
        (at.elapsed() < counts).then_some(result)
    }
}

/// One server that denies what exists spoils the answers, since any of the servers may be asked. One that fails is passed over
/// by the look-ups.
fn judged(reports: &[ServerReport]) -> Result<(), ServerFault> {
    for ServerReport { server, root, .. } in reports {
        if let Err(why) = root
            && why.is_denial()
        {
            return Err(ServerFault::Denies { server: *server, why: *why });
        }
    }
    if reports.iter().any(|report| report.root.is_ok()) { Ok(()) } else { Err(ServerFault::Silent) }
}
