//! The sandbox of a rerun: before it reads a caller's input, it gives up memory and time past a bound, the network,
//! and files.
//!
//! If the system refuses one of these restrictions, standard error says so and the rerun goes on: a replay opens
//! nothing by itself. The signed answer names the restrictions in force:
//!
//! | word | what it says |
//! |---|---|
//! | `not_dumpable` | no other process of this user reads its memory, and no core file is written, through a pipe neither |
//! | `rlimit_core` | no core file is written |
//! | `rlimit_cpu` | at most 6 s of processor time |
//! | `rlimit_as` | at most 2 GiB of address space |
//! | `seccomp` | no system call but for memory, the standard streams, locks, time, randomness, signals to itself and the end: no socket, no file, no process, no thread |

#[cfg(target_os = "linux")]
mod seccomp;

use std::fmt::Display;

use dispute::rerun::TIMEOUT;
use rustix::process::{Resource, Rlimit, nice, setrlimit};

/// Address space in bytes. The allocator reserves 1 GiB of it in advance, which counts though it is not used.
const MAX_ADDRESS_SPACE: u64 = 2 << 30;
/// Processor time in seconds. It is over before the clock's limit, unless others keep the processors busy.
const MAX_CPU_SECONDS: u64 = 6;
const _: () = assert!(2 * MAX_CPU_SECONDS > TIMEOUT.as_secs() && MAX_CPU_SECONDS < TIMEOUT.as_secs());
/// The nice value of a rerun: serving goes first.
const NICENESS: i32 = 10;

/// The restrictions that this process has placed on itself.
#[derive(Debug, Default)]
pub struct Sandbox(Vec<&'static str>);

impl Sandbox {
    /// Bounds this process. It still opens files, for its settings and its key.
    pub fn limited() -> Self {
        let limit = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        let mut sandbox = Self::default();
        sandbox.note("not_dumpable", hide_memory());
        sandbox.note("rlimit_core", limit(Resource::Core, 0));
        sandbox.note("rlimit_cpu", limit(Resource::Cpu, MAX_CPU_SECONDS));
        sandbox.note("rlimit_as", limit(Resource::As, MAX_ADDRESS_SPACE));
        // Nothing that it denies itself: who serves goes first.
        if let Err(error) = nice(NICENESS) {
            eprintln!("touchstone: the rerun keeps the usual priority: {error}");
        }
        sandbox
    }

    /// From here on no thread of this process opens a file or a socket, or starts anything.
    pub fn close(&mut self) {
        self.note("seccomp", filter_system_calls());
    }

    /// The words for what holds.
    pub fn holds(&self) -> &[&'static str] {
        &self.0
    }

    fn note<E: Display>(&mut self, word: &'static str, outcome: Result<(), E>) {
        match outcome {
            Ok(()) => self.0.push(word),
            Err(error) => eprintln!("touchstone: the sandbox is without {word}: {error}"),
        }
    }
}

#[cfg(target_os = "linux")]
fn hide_memory() -> rustix::io::Result<()> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
}

#[cfg(target_os = "linux")]
fn filter_system_calls() -> Result<(), seccompiler::Error> {
    seccomp::apply()
}

#[cfg(not(target_os = "linux"))]
fn hide_memory() -> Result<(), &'static str> {
    Err("it is Linux's")
}

#[cfg(not(target_os = "linux"))]
fn filter_system_calls() -> Result<(), &'static str> {
    Err("it is Linux's")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::io::{self, Write as _};
    use std::net::{TcpListener, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::{ExitStatusExt as _, parent_id};
    use std::process::{Command, Output};
    use std::sync::LazyLock;
    use std::thread;

    use rustix::process::{Pid, Signal, test_kill_process};

    use super::{Sandbox, seccomp};

    type Act = (&'static str, fn() -> io::Result<()>);

    /// The actions that a process without a sandbox can do.
    const ACTS: [Act; 7] = [
        ("stream", || TcpListener::bind("127.0.0.1:0").map(drop)),
        ("datagram", || UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("pair", || UnixStream::pair().map(drop)),
        ("file", || File::open("/dev/null").map(drop)),
        ("signal", || Ok(test_kill_process(*PARENT)?)),
        ("process", || Command::new("/bin/true").status().map(drop)),
        // One that is still on its way when the sandbox closes would be caught in the middle.
        ("thread", || thread::Builder::new().spawn(|| ()).map(|thread| drop(thread.join()))),
    ];

    /// The parent process, whose ID can be asked for only outside a sandbox.
    static PARENT: LazyLock<Pid> =
        LazyLock::new(|| Pid::from_raw(parent_id().cast_signed()).expect("a process that runs has a parent"));

    /// Runs one of the ignored tests in a process of its own, which is good for nothing afterwards.
    fn apart(name: &str) -> Output {
        let mut tests = Command::new(std::env::current_exe().expect("a test has a file"));
        let name = format!("sandbox::tests::{name}");
        tests.args(["--exact", &name, "--ignored", "--nocapture"]).output().expect("a test starts")
    }

    #[test]
    fn within_the_sandbox_nothing_is_opened_nothing_started_and_nobody_signalled() {
        let output = apart("within");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// An abort signals the own process by `tgkill`, as it could another one.
    #[test]
    fn a_signal_reaches_no_process_but_the_one_that_is_named() {
        assert_eq!(apart("abort").status.signal(), Some(Signal::ABORT.as_raw()));
        let other = apart("abort_where_another_is_named").status;
        assert!(other.signal().is_some_and(|signal| signal != Signal::ABORT.as_raw()), "{other}");
    }

    #[test]
    #[ignore = "the test above runs it"]
    fn abort() {
        let mut sandbox = Sandbox::limited();
        sandbox.close();
        std::process::abort();
    }

    #[test]
    #[ignore = "the test above runs it"]
    fn abort_where_another_is_named() {
        let _sandbox = Sandbox::limited();
        seccomp::apply_signalling(parent_id()).unwrap();
        std::process::abort();
    }

    #[test]
    #[ignore = "the first test runs it"]
    fn within() {
        for (name, act) in ACTS {
            act().unwrap_or_else(|error| panic!("{name} without a sandbox: {error}"));
        }
        let (mut inherited, _other) = UnixStream::pair().unwrap();
        let mut sandbox = Sandbox::limited();
        sandbox.close();
        let all = ["not_dumpable", "rlimit_core", "rlimit_cpu", "rlimit_as", "seccomp"];
        assert_eq!(sandbox.holds(), all);
        for (name, act) in ACTS {
            assert_eq!(act().unwrap_err().kind(), io::ErrorKind::PermissionDenied, "{name}");
        }
        assert_eq!(inherited.write(b"out").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        // A replay does the following.
        let memory = vec![1_u8; 64 << 20];
        assert_eq!(memory.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 64 << 20);
        assert!(Vec::<u8>::new().try_reserve_exact(3 << 30).is_err(), "memory past the bound");
    }
}
