//! `touchstone healthcheck`: for container health checks and load balancers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use axum::http::StatusCode;

use super::client::agent;
use crate::settings::{Settings, SettingsArgs};

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Exit 0 where `/health` answers 200.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(args)?;
    let address = format!("http://{}/health", reachable(settings.listen));
    let mut answer = agent(TIMEOUT, TIMEOUT).get(address).call()?;
    println!("{}", answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_string()?.trim());
    Ok(if answer.status() == StatusCode::OK { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A service that listens on every address is asked on loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
