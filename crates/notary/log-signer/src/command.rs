//! A signer behind a command: one process for each signature.
//!
//! The process gets the message on its standard input and answers on its standard output: 64 bytes, or base64 of them. On Linux
//! the standard input is a file in memory, so that a program may also open it by name (`/dev/stdin`) and ask for its length.
//! There is no shell. Of the environment it has `PATH` and `HOME` alone.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Pid, Signal, kill_process_group};
use tlog::SIGNATURE_BYTES;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;

use crate::remote::{Backend, Failure};

/// The most bytes of an answer that are read. Base64 of a signature has 88.
const MAX_ANSWER_BYTES: usize = 256;
/// The most bytes of the standard error that are kept, for the log.
const MAX_ERROR_BYTES: usize = 512;
/// The variables that the process has of our environment.
const VARIABLES: [&str; 2] = ["PATH", "HOME"];

/// A signer behind a command.
pub struct CommandSigner {
    command: Vec<String>,
    runtime: Runtime,
}

impl CommandSigner {
    /// Makes a signer of a program and its arguments. Nothing is started yet.
    ///
    /// # Errors
    /// What waits for the process cannot be made.
    pub fn new(command: Vec<String>) -> io::Result<Self> {
        Ok(Self { command, runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()? })
    }
}

impl Backend for CommandSigner {
    fn sign(&mut self, message: &[u8], limit: Duration) -> Result<[u8; SIGNATURE_BYTES], Failure> {
        self.runtime.block_on(run(&self.command, message, limit))
    }
}

async fn run(command: &[String], message: &[u8], limit: Duration) -> Result<[u8; SIGNATURE_BYTES], Failure> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| Failure::Other("the command is empty".to_owned()))?;
    let started = start(program, arguments, message);
    let mut child = started.map_err(|error| Failure::Other(format!("start {program}: {error}")))?;
    let outcome = tokio::time::timeout(limit, answer(&mut child)).await;
    match outcome {
        Ok(Ok(signature)) => Ok(signature),
        Ok(Err(failure)) => {
            stop(&mut child).await;
            Err(failure)
        }
        Err(_) => {
            stop(&mut child).await;
            Err(Failure::Late)
        }
    }
}

fn start(program: &str, arguments: &[String], message: &[u8]) -> io::Result<Child> {
    let kept = VARIABLES.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(kept)
        .stdin(input(message)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // So that what it has started ends with it.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// A standard input that holds the message.
#[cfg(target_os = "linux")]
fn input(message: &[u8]) -> io::Result<Stdio> {
    use std::fs::File;
    use std::io::{Seek as _, Write as _};

    use rustix::fs::{MemfdFlags, memfd_create};

    let mut file = File::from(memfd_create("touchstone-message", MemfdFlags::CLOEXEC)?);
    file.write_all(message)?;
    file.rewind()?;
    Ok(file.into())
}

/// A standard input that holds the message, which is shorter than what a pipe takes at once.
#[cfg(not(target_os = "linux"))]
fn input(message: &[u8]) -> io::Result<Stdio> {
    use std::io::Write as _;

    let (reader, mut writer) = std::io::pipe()?;
    writer.write_all(message)?;
    Ok(reader.into())
}

/// Waits for the answer, and for the end of the process.
async fn answer(child: &mut Child) -> Result<[u8; SIGNATURE_BYTES], Failure> {
    let failed = |error: io::Error| Failure::Other(error.to_string());
    let (out, error) = tokio::join!(
        bounded(child.stdout.take(), MAX_ANSWER_BYTES + 1),
        bounded(child.stderr.take(), MAX_ERROR_BYTES)
    );
    let (out, error) = (out.map_err(failed)?, error.map_err(failed)?);
    let status = child.wait().await.map_err(failed)?;
    if !status.success() {
        return Err(Failure::Other(format!("the command ended with {status}{}", quoted(&error))));
    }
    signature(&out).ok_or_else(|| {
        let why = format!("the command's answer is not 64 bytes, nor base64 of them{}", quoted(&error));
        Failure::Other(why)
    })
}

/// Reads all that a process writes, and keeps the first bytes.
async fn bounded(pipe: Option<impl AsyncRead + Unpin>, most: usize) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let Some(mut pipe) = pipe else { return Ok(kept) };
    (&mut pipe).take(most as u64).read_to_end(&mut kept).await?;
    tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    Ok(kept)
}

/// The standard error as a part of a log line, without control characters.
fn quoted(error: &[u8]) -> String {
    let text = String::from_utf8_lossy(error);
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!(": {}", text.escape_debug()) }
}

fn signature(answer: &[u8]) -> Option<[u8; SIGNATURE_BYTES]> {
    answer.try_into().ok().or_else(|| STANDARD.decode(answer.trim_ascii()).ok()?.try_into().ok())
}

/// Kills the process and all that it has started.
async fn stop(child: &mut Child) {
    // It has not been waited for while it has an id, so the id is still its own.
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn shell(script: &str, limit: Duration) -> Result<[u8; SIGNATURE_BYTES], Failure> {
        let command = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        CommandSigner::new(command).unwrap().sign(b"message", limit)
    }

    fn why(outcome: Result<[u8; SIGNATURE_BYTES], Failure>) -> String {
        match outcome {
            Err(Failure::Other(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_is_64_bytes_or_base64_of_them() {
        let sevens = "printf '7777777777777777777777777777777777777777777777777777777777777777'";
        assert_eq!(shell(sevens, LIMIT), Ok([b'7'; 64]));
        assert_eq!(shell(&format!("{sevens} | base64 -w0; echo"), LIMIT), Ok([b'7'; 64]));
        for garbage in ["true", "echo no", &format!("{sevens}; echo"), "yes | head -c 1000000"] {
            assert!(why(shell(garbage, LIMIT)).contains("not 64 bytes"), "{garbage}");
        }
    }

    #[test]
    fn the_message_is_the_standard_input_and_a_file_of_its_length() {
        let read = "[ \"$(cat)\" = message ] && printf '%064d' 1";
        assert_eq!(shell(read, LIMIT).unwrap()[63], b'1');
        if cfg!(target_os = "linux") {
            let opened = "[ $(wc -c /dev/stdin | cut -d' ' -f1) = 7 ] && printf '%064d' 1";
            assert_eq!(shell(opened, LIMIT).unwrap()[63], b'1');
        }
    }

    #[test]
    fn a_command_has_path_and_home_alone_of_the_environment() {
        // A shell sets PWD and its like by itself, and cargo sets variables of its own for tests.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let env = "env | grep -q ^PATH= && ! env | grep -q ^CARGO && printf '%064d' 1";
        assert!(shell(env, LIMIT).is_ok());
    }

    #[test]
    fn a_command_that_fails_says_why_in_a_bounded_line() {
        assert_eq!(
            why(shell("echo no key >&2; exit 3", LIMIT)),
            "the command ended with exit status: 3: no key"
        );
        let long = why(shell("yes | head -c 100000 >&2; exit 1", LIMIT));
        assert!(long.len() < 3 * MAX_ERROR_BYTES && !long.contains('\n'), "{}", long.len());
        assert!(why(shell("kill -9 $$", LIMIT)).contains("signal: 9"));
        let mut missing = CommandSigner::new(vec!["/no/such/program".to_owned()]).unwrap();
        assert!(why(missing.sign(b"m", LIMIT)).starts_with("start /no/such/program"));
    }

    #[test]
    fn a_command_that_hangs_is_killed_with_all_that_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        // The child of the shell holds the file for as long as it lives, and would hold the pipes too.
        let script = format!("printf 77; flock {} sleep 600 & wait", lock.display());
        assert_eq!(shell(&script, Duration::from_millis(500)), Err(Failure::Late));
        let free = format!("flock {} printf '%064d' 1", lock.display());
        assert!(shell(&free, LIMIT).is_ok());
    }
}
