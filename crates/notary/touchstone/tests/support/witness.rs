//! `touchstone witness`, as a process of its own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;

use tempfile::TempDir;

use super::HANG;
use super::service::touchstone;

/// A running witness; dropping it kills it.
pub struct WitnessProcess {
    child: Child,

    /// The lines for the policies of logs, with this witness's address.
    pub lines: String,
    _data: TempDir,
}

impl WitnessProcess {
    /// Starts a new witness of the logs with these keys.
    pub fn start(name: &str, log_vkeys: &[&str], flags: &[&str]) -> Self {
        let data = TempDir::new().unwrap();
        let logs: String = log_vkeys.iter().map(|vkey| format!("log {vkey}\n")).collect();
        std::fs::write(data.path().join("logs"), logs).unwrap();
        let mut command =
            touchstone(["witness", "--logs", "logs", "--name", name, "--listen", "127.0.0.1:0"]);
        command.args(flags).current_dir(data.path());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = String::new();
            for line in stdout.lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix("listening on http://") {
                    drop(tell.send((std::mem::take(&mut lines), address.parse::<SocketAddr>().unwrap())));
                } else if line.starts_with("witness ") {
                    lines.push_str(&line);
                    lines.push('\n');
                }
            }
        });
        let Ok((lines, address)) = told.recv_timeout(HANG) else {
            drop(child.kill());
            panic!("the witness {name} did not start");
        };
        let lines = lines.replace("https://ADDRESS/", &format!("http://{address}/"));
        Self { child, lines, _data: data }
    }
}

impl Drop for WitnessProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
