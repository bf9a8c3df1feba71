//! The binary: a service on a port of its own, or one run of a command.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock, Weak, mpsc};
use std::thread;

use peers::lab::{Liar, Lie};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use serde_json::Value;
use tempfile::TempDir;

use super::HANG;
use super::http::{Answer, Connection, Request};
use super::tls::Authority;

/// A base address that stays the same from one start to the next.
pub const BASE_URL: &str = "https://notary.example";

/// The binary with these arguments and none of the caller's settings.
pub fn touchstone<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TOUCHSTONE_"))
    {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

/// The command in a shell that sets its soft limit of open files and becomes it.
fn with_open_files(limit: u32, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -Sn "$0" && exec "$@""#, &limit.to_string()]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, _) in command.get_envs() {
        shell.env_remove(name);
    }
    shell
}

/// Files for thousands of connections, here and in the processes that are started from here.
pub fn raise_the_limit_of_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
}

/// Runs a command to its end with this on its standard input.
pub fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that does not read its input may be gone before all of it is written.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// How a service is started.
pub struct Launch {
    profile: &'static str,
    data: Arc<TempDir>,
    settings: Vec<(String, String)>,
    open_files: Option<u32>,
    flags: Vec<&'static str>,
}

impl Launch {
    fn new(profile: &'static str) -> Self {
        let data = Arc::new(TempDir::new().unwrap());
        // No test asks the real publisher of lists.
        let launch = Self { profile, data, settings: Vec::new(), open_files: None, flags: Vec::new() };
        launch.set("LISTEN", "127.0.0.1:0").set("LISTS_REFRESH", "off")
    }

    pub fn dev() -> Self {
        Self::new("dev")
    }

    pub fn serve() -> Self {
        Self::new("serve").set("BASE_URL", BASE_URL)
    }

    /// On data that is there already.
    pub fn on(mut self, data: &Arc<TempDir>) -> Self {
        self.data = Arc::clone(data);
        self
    }

    /// Sets `TOUCHSTONE_{name}`.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push((format!("TOUCHSTONE_{name}"), value.to_owned()));
        self
    }

    /// Sets a variable that is no setting.
    pub fn with_environment(mut self, name: &str, value: &Path) -> Self {
        self.settings.push((name.to_owned(), value.to_str().unwrap().to_owned()));
        self
    }

    /// With a flag that is no setting.
    pub fn flag(mut self, flag: &'static str) -> Self {
        self.flags.push(flag);
        self
    }

    /// Writes the configuration file.
    pub fn configured(self, toml: &str) -> Self {
        std::fs::write(self.data.path().join("touchstone.toml"), toml).unwrap();
        self
    }

    /// With a name server that knows the root and nothing else, whatever those of this machine do: `/health` has no fault then.
    pub fn with_name_server(self) -> Self {
        static ROOT_ALONE: OnceLock<Liar> = OnceLock::new();
        let address = ROOT_ALONE.get_or_init(|| Liar::start(Lie::RootAlone)).address();
        let path = self.data.path().join("touchstone.toml");
        let configured = std::fs::read_to_string(&path).unwrap_or_default();
        if configured.contains("\n[trust]") {
            return self;
        }
        std::fs::write(&path, format!("{configured}\n[trust]\nname_servers = \"{address}\"\n")).unwrap();
        self
    }

    pub fn without_limits(self) -> Self {
        self.set("LIMITS", "off")
    }

    /// With so many open files and no more, unless it asks for them.
    pub fn with_open_files(mut self, soft_limit: u32) -> Self {
        self.open_files = Some(soft_limit);
        self
    }

    /// The folder of the store, the keys and the configuration.
    pub fn data(&self) -> &Arc<TempDir> {
        &self.data
    }

    fn command(&self) -> Command {
        let started = touchstone([&[self.profile], &self.flags[..]].concat());
        let mut command = match self.open_files {
            None => started,
            Some(limit) => with_open_files(limit, &started),
        };
        command.env("TOUCHSTONE_DATA_DIR", self.data.path());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts it, and waits until it listens.
    pub fn start(self) -> Service {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (tell, listening) = mpsc::channel();
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let words = collect(stdout, &said, move |line| {
            if let Some(address) = line.strip_prefix("listening on http://") {
                tell.send(address.parse::<SocketAddr>().unwrap()).unwrap();
            }
        });
        let errors = collect(stderr, &said, |_| ());
        let Ok(address) = listening.recv_timeout(HANG) else {
            drop(child.kill());
            drop(child.wait());
            drop(errors.join());
            let said = said.lock().unwrap().clone();
            panic!("the service did not start: {said}");
        };
        Service { child, address, data: self.data, said, ears: vec![words, errors] }
    }

    /// Starts it where it must refuse to; gives what it said.
    #[track_caller]
    pub fn refused(self) -> String {
        let output = run(self.command(), b"");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    }
}

/// Reads lines until the end, so that the writer never waits for a reader.
fn collect(
    from: impl std::io::Read + Send + 'static,
    said: &Arc<Mutex<String>>,
    see: impl Fn(&str) + Send + 'static,
) -> thread::JoinHandle<()> {
    let said = Arc::clone(said);
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            see(&line);
            let mut said = said.lock().unwrap();
            said.push_str(&line);
            said.push('\n');
        }
    })
}

/// A running service; dropping it kills it.
pub struct Service {
    child: Child,
    pub address: SocketAddr,
    pub data: Arc<TempDir>,
    said: Arc<Mutex<String>>,
    ears: Vec<thread::JoinHandle<()>>,
}

impl Service {
    pub fn path(&self, name: &str) -> PathBuf {
        self.data.path().join(name)
    }

    /// What it has written to its standard output and error so far.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    pub fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    /// A connection from this address, where the service takes it.
    pub fn connect_from(&self, source: impl Into<IpAddr>) -> std::io::Result<Connection> {
        Connection::open_from(source.into(), self.address)
    }

    /// One request on a connection of its own.
    pub fn send(&self, request: &Request) -> Answer {
        self.connect().exchange(request)
    }

    pub fn get(&self, target: &str) -> Answer {
        self.send(&Request::get(target))
    }

    pub fn post(&self, target: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send(&Request::post(target, body))
    }

    pub fn ask(&self, target: &str, body: &Value) -> Answer {
        self.send(&Request::json(target, body))
    }

    /// A receipt of `claim-verdict`.
    #[track_caller]
    pub fn claim(&self, body: &Value) -> Value {
        self.ask("/claim-verdict", body).expect(200).json()
    }

    /// The processes that it has started and that have not ended.
    pub fn children(&self) -> Vec<Pid> {
        let own = self.child.id().to_string();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let parent = |stat: &str| {
            // The name of the program is in parentheses, and may hold anything.
            let rest = stat.rsplit_once(") ")?.1;
            let [state, parent] = rest.split(' ').take(2).collect::<Vec<_>>().try_into().ok()?;
            (state != "Z").then(|| parent.to_owned())
        };
        let child = |process: std::fs::DirEntry| {
            let id = process.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
            if parent(&stat)? == own { Pid::from_raw(id) } else { None }
        };
        processes.filter_map(child).collect()
    }

    /// SIGTERM.
    pub fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// SIGHUP.
    pub fn hang_up(&self) {
        kill_process(Pid::from_child(&self.child), Signal::HUP).unwrap();
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// SIGTERM, and its end, which must be a good one. Gives all that it has said.
    pub fn stop(mut self) -> String {
        self.terminate();
        let status = self.wait();
        self.ears.drain(..).for_each(|ear| ear.join().unwrap());
        assert!(status.success(), "{status}: {}", self.said());
        self.said()
    }

    /// A command on this service's data, keys and address.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = touchstone(arguments);
        command.env("TOUCHSTONE_DATA_DIR", self.data.path());
        command.env("TOUCHSTONE_LISTEN", self.address.to_string());
        command
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
        if thread::panicking() {
            eprintln!("the service on {} said:\n{}", self.address, self.said());
        }
    }
}

/// A service that several tests use at once; it ends with the last of them.
pub type Shared = Mutex<Weak<Service>>;

/// The one that runs, or one that is started.
pub fn shared(place: &Shared, start: impl FnOnce() -> Service) -> Arc<Service> {
    let mut place = place.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    place.upgrade().unwrap_or_else(|| {
        let service = Arc::new(start());
        *place = Arc::downgrade(&service);
        service
    })
}

/// A development service without limits, which trusts [`authority`].
pub fn dev() -> Arc<Service> {
    static PLACE: Shared = Mutex::new(Weak::new());
    shared(&PLACE, || {
        let launch = Launch::dev().without_limits().with_name_server();
        let roots = launch.data().path().join("roots.pem");
        std::fs::write(&roots, authority().pem()).unwrap();
        launch.set("EXTRA_ROOTS", roots.to_str().unwrap()).start()
    })
}

/// A production service without limits and without settlement.
pub fn production() -> Arc<Service> {
    static PLACE: Shared = Mutex::new(Weak::new());
    shared(&PLACE, || Launch::serve().without_limits().with_name_server().start())
}

/// The authority that signs the certificates of peers.
pub fn authority() -> &'static Authority {
    static AUTHORITY: OnceLock<Authority> = OnceLock::new();
    AUTHORITY.get_or_init(Authority::new)
}

/// A file's bytes.
pub fn read(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}
