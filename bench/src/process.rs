//! Servers under test, each a process of its own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::identity::BASE_URL;
use crate::{http, usage};

/// The longest that a start or a stop is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server; dropping it ends it.
pub struct Server {
    child: Child,
    /// Kept open, so that the server can always print.
    _stdout: BufReader<ChildStdout>,
    /// The address that the server listens on.
    pub address: SocketAddr,
}

/// `touchstone` on a data folder, limits off, with nothing else from this process's environment.
pub fn touchstone(binary: &Path, data_folder: &Path) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TOUCHSTONE_"))
    {
        command.env_remove(name);
    }
    command
        .env("TOUCHSTONE_LIMITS", "off")
        .env("TOUCHSTONE_LOG", "warn")
        .env("TOUCHSTONE_BASE_URL", BASE_URL)
        .env("TOUCHSTONE_DATA_DIR", data_folder);
    command
}

impl Server {
    /// Starts a notary on a free port and waits until it listens.
    pub fn notary(binary: &Path, data_folder: &Path) -> anyhow::Result<Self> {
        let mut command = touchstone(binary, data_folder);
        command.args(["dev", "--listen", "127.0.0.1:0"]);
        Self::start(&mut command).with_context(|| format!("start {}", binary.display()))
    }

    /// Starts a server that prints `listening on http://ADDRESS`.
    pub fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("the server's output is piped")?;
        let mut stdout = BufReader::new(stdout);
        let mut line = String::new();
        loop {
            line.clear();
            if stdout.read_line(&mut line)? == 0 {
                let status = child.wait()?;
                bail!("the server ended before it listened: {status}");
            }
            if let Some(address) = line.trim().strip_prefix("listening on http://") {
                let address = address.parse().with_context(|| format!("listening on {address}"))?;
                return Ok(Self { child, _stdout: stdout, address });
            }
        }
    }

    /// Starts a notary and asks for `/health` until it says 200. The duration counts from before the process was
    /// made.
    pub fn notary_timed(binary: &Path, data_folder: &Path) -> anyhow::Result<(Self, Duration)> {
        let address = free_address()?;
        let mut command = touchstone(binary, data_folder);
        command.args(["dev", "--listen", &address.to_string()]).stdin(Stdio::null()).stdout(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().with_context(|| format!("start {}", binary.display()))?;
        let stdout = BufReader::new(child.stdout.take().context("the server's output is piped")?);
        let mut server = Self { child, _stdout: stdout, address };
        while !server.is_healthy() {
            if let Some(status) = server.child.try_wait()? {
                bail!("the server ended before it was healthy: {status}");
            }
            anyhow::ensure!(started.elapsed() < PATIENCE, "the server was not healthy after {PATIENCE:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok((server, started.elapsed()))
    }

    fn is_healthy(&self) -> bool {
        self.ask(&http::get("/health")).is_ok()
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory in bytes.
    pub fn resident_bytes(&self) -> anyhow::Result<u64> {
        usage::resident_bytes(self.id())
    }

    /// One request on a connection of its own; the body of the answer.
    ///
    /// # Errors
    /// Anything but 200.
    pub fn ask(&self, request: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(request)?;
        let mut received = Vec::new();
        let mut chunk = [0; 16 << 10];
        loop {
            if let Some(head) = http::head(&received)?
                && head.end <= received.len()
            {
                anyhow::ensure!(head.status == 200, "{}", String::from_utf8_lossy(&received));
                return Ok(received[head.body_at..head.end].to_vec());
            }
            let read = stream.read(&mut chunk)?;
            anyhow::ensure!(read > 0, "the server ended the connection");
            received.extend_from_slice(&chunk[..read]);
        }
    }

    /// Asks the server to stop as an operator would, and waits until it has.
    pub fn stop(mut self) -> anyhow::Result<()> {
        let sent =
            Command::new("kill").args(["-TERM", &self.id().to_string()]).status().context("run kill")?;
        anyhow::ensure!(sent.success(), "the server could not be told to stop");
        let asked = Instant::now();
        while self.child.try_wait()?.is_none() {
            anyhow::ensure!(asked.elapsed() < PATIENCE, "the server did not stop");
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A port that nobody listens on at the moment.
fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
