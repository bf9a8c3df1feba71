//! A real PKCS#11 token: SoftHSM's, in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::anvil::{missing, program};

/// The folders in which distributions put the module.
const MODULES: [&str; 4] = [
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
];

/// The environment variable that leads the module to the tokens.
pub const VARIABLE: &str = "SOFTHSM2_CONF";

/// A token in a folder of its own.
pub struct Token {
    folder: TempDir,
    program: PathBuf,
    module: &'static str,
}

impl Token {
    /// The label of the token.
    pub const LABEL: &'static str = "notary";
    /// The PIN of the token's user.
    pub const PIN: &'static str = "5678-user";

    /// Makes a token. `None` where SoftHSM cannot be had, which is told, and fails under CI.
    pub fn new(untested: &str) -> Option<Self> {
        let module = MODULES.into_iter().find(|module| Path::new(module).is_file());
        let (Some(program), Some(module)) = (program("softhsm2-util"), module) else {
            missing("SoftHSM 2", untested);
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let token = Self { folder, program, module };
        fs::create_dir(token.folder.path().join("tokens")).unwrap();
        let tokens = token.folder.path().join("tokens");
        let configuration = format!("directories.tokendir = {}\nlog.level = ERROR\n", tokens.display());
        fs::write(token.configuration(), configuration).unwrap();
        token.run(&[
            "--init-token",
            "--free",
            "--label",
            Self::LABEL,
            "--so-pin",
            "1234-officer",
            "--pin",
            Self::PIN,
        ]);
        Some(token)
    }

    /// The path of the module.
    pub fn module(&self) -> &'static str {
        self.module
    }

    /// The value of [`VARIABLE`] for processes that use the token.
    pub fn configuration(&self) -> PathBuf {
        self.folder.path().join("softhsm2.conf")
    }

    /// Puts a private key (PKCS#8 PEM) into the token.
    pub fn import(&self, pem: &Path, label: &str) {
        let pem = pem.to_str().unwrap();
        self.run(&[
            "--import",
            pem,
            "--token",
            Self::LABEL,
            "--label",
            label,
            "--id",
            "01",
            "--pin",
            Self::PIN,
        ]);
    }

    /// Takes the token away, as a device that is pulled out; or puts it back.
    pub fn set_present(&self, is_present: bool) {
        let (here, away) = (self.folder.path().join("tokens"), self.folder.path().join("away"));
        let (from, to) = if is_present { (&away, &here) } else { (&here, &away) };
        if !is_present {
            fs::rename(from, to).unwrap();
            fs::create_dir(from).unwrap();
            return;
        }
        fs::remove_dir_all(to).unwrap();
        fs::rename(from, to).unwrap();
    }

    fn run(&self, arguments: &[&str]) {
        let ran =
            Command::new(&self.program).args(arguments).env(VARIABLE, self.configuration()).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}
