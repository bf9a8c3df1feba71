//! `touchstone healthcheck`: for container health checks and load balancers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use axum::http::StatusCode;

use super::client::agent;
use crate::error_text;
use crate::settings::{Settings, SettingsArgs};

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_ANSWER_BYTES: u64 = 64 << 10;
/// The exit code where the service could not be asked, or did not answer as a notary does.
const CANNOT_SAY: u8 = 2;

/// Exit 0 where `/health` answers 200, 1 where it answers 503, and 2 where it cannot be said.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let healthy = |status| match status {
        StatusCode::OK => ExitCode::SUCCESS,
        StatusCode::SERVICE_UNAVAILABLE => ExitCode::FAILURE,
        other => {
            eprintln!("touchstone: no notary answers {other} to /health");
            ExitCode::from(CANNOT_SAY)
        }
    };
    Ok(asked(args).map_or_else(
        |error| {
            eprintln!("touchstone: {}", error_text::once(&error));
            ExitCode::from(CANNOT_SAY)
        },
        healthy,
    ))
}

/// Prints what the service answers, and gives its status.
fn asked(args: &SettingsArgs) -> anyhow::Result<StatusCode> {
    let address = format!("http://{}/health", reachable(Settings::listen_of(args)));
    let failed = || format!("failed to ask {address}");
    let mut answer = agent(TIMEOUT, TIMEOUT).get(&address).call().with_context(failed)?;
    let text = answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_string();
    println!("{}", text.with_context(failed)?.trim());
    Ok(answer.status())
}

/// A service that listens on every address is asked on loopback.
pub(crate) fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
