//! `touchstone healthcheck`: for container health checks and load balancers.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use crate::settings::{Settings, SettingsArgs};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Exit 0 where `/health` answers 200.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(args)?;
    let answer = ask(reachable(settings.listen))?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    println!("{}", body.trim());
    let is_healthy = answer.starts_with("HTTP/1.1 200 ") || answer.starts_with("HTTP/1.0 200 ");
    Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

fn ask(address: SocketAddr) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(64 << 10).read_to_string(&mut answer)?;
    Ok(answer)
}
