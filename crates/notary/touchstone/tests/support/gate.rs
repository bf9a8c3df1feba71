//! Reruns that wait: their key's file is a pipe, and whoever reads it waits until somebody writes to it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use super::chain::until;
use super::service::{Service, read};

/// Before it reads its case, a rerun reads its key, and stays there.
pub struct Gate<'a> {
    service: &'a Service,
    path: PathBuf,
    key: Vec<u8>,
}

impl<'a> Gate<'a> {
    /// From here on reruns wait.
    pub fn shut(service: &'a Service) -> Self {
        let path = service.path("keys/rerun.pem");
        let key = read(&path);
        fs::remove_file(&path).unwrap();
        let made = Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap();
        assert!(made.success(), "{made}");
        Self { service, path, key }
    }

    /// The process that waits, as soon as there is one.
    fn process(&self) -> Pid {
        until("a rerun", || !self.service.children().is_empty());
        let [process] = self.service.children()[..] else {
            panic!("one rerun: {:?}", self.service.children())
        };
        process
    }

    /// Waits until a rerun waits.
    pub fn wait(&self) {
        self.process();
    }

    /// Lets the one go on that waits, as soon as there is one.
    pub fn let_pass(&self) {
        // Without it, to open the pipe would wait forever for somebody who reads.
        let open = || OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(&self.path);
        until("a rerun that reads its key", || {
            open().is_ok_and(|mut pipe| pipe.write_all(&self.key).is_ok())
        });
    }

    /// From here on reruns wait no more.
    pub fn open(self) {
        fs::remove_file(&self.path).unwrap();
        fs::write(&self.path, &self.key).unwrap();
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Ends the one that waits, as the system does where memory runs out.
    pub fn kill(&self) {
        kill_process(self.process(), Signal::KILL).unwrap();
    }
}
