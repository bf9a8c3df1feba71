//! The lab's programs, which end with their owner, however that ends.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Reads a process id a line; at the end of its input, which the death of the test brings about too, kills them all and
/// removes the folder.
const KEEPER: &str = r#"while read -r id; do ids="$ids $id"; done; kill -9 $ids; rm -rf "$1""#;

/// Programs and the folder that they work in.
pub(super) struct Programs {
    keeper: Child,
    running: Vec<(&'static str, Child)>,
    folder: PathBuf,
}

impl Programs {
    /// None yet. The folder is removed with them.
    pub(super) fn new(folder: PathBuf) -> Self {
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(&folder).stdin(Stdio::piped());
        keeper.stdout(Stdio::null()).stderr(Stdio::null());
        // Out of the terminal's group, so that an interrupt of the tests does not end the one who cleans up.
        let keeper = keeper.process_group(0).spawn().unwrap();
        Self { keeper, running: Vec::new(), folder }
    }

    /// Starts one more, in the foreground; what it says goes to a file of its name.
    pub(super) fn start(&mut self, name: &'static str, mut command: Command) {
        let log = File::create(self.log(name)).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.process_group(0).spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        writeln!(self.keeper.stdin.as_mut().unwrap(), "{}", child.id()).unwrap();
        self.running.push((name, child));
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    /// Returns the output of a program so far.
    fn said(&self, name: &str) -> String {
        fs::read_to_string(self.log(name)).unwrap_or_default()
    }

    /// Returns the output of all programs so far.
    pub(super) fn all_said(&self) -> String {
        self.running.iter().map(|(name, _)| format!("{name}:\n{}", self.said(name))).collect()
    }

    /// That all are running.
    ///
    /// # Errors
    /// The name of one that is not, and what it said.
    pub(super) fn check(&mut self) -> Result<(), String> {
        let ended =
            self.running.iter_mut().find_map(|(name, child)| Some((*name, child.try_wait().unwrap()?)));
        match ended {
            Some((name, status)) => Err(format!("{name} ended ({status}): {}", self.said(name))),
            None => Ok(()),
        }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        // The keeper kills before anybody waits: until then no id can be another process's.
        drop(self.keeper.stdin.take());
        for (_, child) in &mut self.running {
            let _ = child.wait();
        }
        let _ = self.keeper.wait();
    }
}

/// A port that nobody listens on at any of these addresses, neither TCP nor UDP. Below those that the kernel gives out
/// by itself, so that no connection of a neighbour's takes it before the program does.
pub(super) fn free_port(addresses: &[IpAddr]) -> u16 {
    let is_free = |port: &u16| {
        addresses.iter().all(|&address| {
            let address = SocketAddr::new(address, *port);
            TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok()
        })
    };
    (0..1000).map(|_| 10_000 + random() % 20_000).find(is_free).expect("there are free ports")
}

/// Any number: the standard library seeds its hashers with the system's randomness.
fn random() -> u16 {
    use std::hash::{BuildHasher as _, RandomState};
    u16::try_from(RandomState::new().hash_one(()) & 0x7fff).expect("15 bits")
}

/// Runs a program to its end; what it wrote to its standard output.
pub(super) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// A program of this machine: the servers' folder is not in everybody's `PATH`.
pub(super) fn installed(name: &str) -> Option<PathBuf> {
    let of_servers = || Some(Path::new("/usr/sbin").join(name)).filter(|path| path.is_file());
    crate::program(name).or_else(of_servers)
}
