//! A real PostgreSQL: a server of the tests' own, on a socket in a temporary folder, with a database for each test.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{HANG, program};

/// The most databases at a time. A test that wants one more waits.
const MOST_DATABASES: usize = 8;
/// The most connections: enough for [`MOST_DATABASES`] with three ledgers each.
const MOST_CONNECTIONS: usize = 400;
/// The folders of Debian's packages, one a version.
const PACKAGED: &str = "/usr/lib/postgresql";
/// The settings of a server whose data need not outlive the machine.
const UNSAFE: [&str; 3] = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/// Starts the server, waits until nobody holds the other end of its input, and stops the server: so it ends with the
/// process that has started it, however that ends. `$0` is the folder of the programs, `$1` that of the server.
const WATCHDOG: &str = r#"
    programs=$0 folder=$1
    shift
    "$programs/postgres" -D "$folder/data" "$@" >"$folder/log" 2>&1 </dev/null &
    server=$!
    cat >/dev/null
    kill -QUIT $server
    wait $server
    rm -rf "$folder"
"#;

/// A server, which stops when the last handle to it is dropped, or with its process.
#[derive(Clone)]
pub struct Server(Arc<Running>);

struct Running {
    programs: PathBuf,
    folder: PathBuf,
    watchdog: Child,
    /// The number of databases that may still be made.
    room: Mutex<usize>,
    freed: Condvar,
    made: AtomicU64,
    templates: Mutex<HashSet<String>>,
}

/// Stops the server, and waits for it.
impl Drop for Running {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

/// The user and group that a server runs as; `None` for the user of this process.
type RunAs = Option<(u32, u32)>;

/// PostgreSQL refuses to run as root. Its package has made a user for it.
fn run_as(folder: &Path) -> RunAs {
    if fs::metadata(folder).unwrap().uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let user = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let user =
        user.expect("PostgreSQL does not run as root, and there is no user `postgres`: please make one");
    let ids: Vec<u32> = user.split(':').skip(1).take(2).map(|id| id.parse().unwrap()).collect();
    Some((ids[0], ids[1]))
}

/// The folder of the newest server's programs.
///
/// # Panics
/// There is none.
fn programs() -> PathBuf {
    let versions = fs::read_dir(PACKAGED).into_iter().flatten().flatten().map(|version| version.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let is_whole = |path: &PathBuf| path.join("bin/initdb").is_file() && path.join("bin/postgres").is_file();
    let newest = versions.filter(is_whole).max_by_key(number).map(|path| path.join("bin"));
    let on_path = || Some(program("initdb")?.canonicalize().ok()?.parent()?.to_owned());
    newest.or_else(on_path).expect(
        "no PostgreSQL server is installed: please install the package `postgresql` (Debian), or put the folder of \
         `initdb` and `postgres` on the PATH",
    )
}

fn command(program: &Path, folder: &Path, user: RunAs) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

impl Server {
    /// The server that all tests of this process share. It is started by the first of them, and keeps nothing safe from
    /// a crash of the machine.
    #[must_use]
    pub fn shared() -> Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&UNSAFE)).clone()
    }

    /// A server of its own with these settings, each as `name=value`.
    ///
    /// # Panics
    /// PostgreSQL is not installed, or does not start.
    #[must_use]
    pub fn start(settings: &[&str]) -> Self {
        let programs = programs();
        let folder = tempfile::Builder::new().prefix("postgres-").tempdir().unwrap().keep();
        let user = run_as(&folder);
        if let Some((user, group)) = user {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
        let mut initdb = command(&programs.join("initdb"), &folder, user);
        initdb.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"]);
        let made = initdb.arg("--pgdata").arg(folder.join("data")).output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));

        let mut watchdog = command(Path::new("/bin/sh"), &folder, user);
        watchdog.arg("-c").arg(WATCHDOG).arg(&programs).arg(&folder);
        let connections = format!("max_connections={MOST_CONNECTIONS}");
        let socket = format!("unix_socket_directories={}", folder.display());
        for setting in [&*connections, &*socket, "listen_addresses="].iter().chain(settings) {
            watchdog.args(["-c", setting]);
        }
        // A group of its own: what a terminal sends to the tests does not end it before it has stopped the server.
        watchdog.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let running = Running {
            watchdog: watchdog.spawn().unwrap(),
            programs,
            folder,
            room: Mutex::new(MOST_DATABASES),
            freed: Condvar::new(),
            made: AtomicU64::new(0),
            templates: Mutex::default(),
        };
        let server = Self(Arc::new(running));
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&self) {
        let begun = Instant::now();
        while let Err(error) = self.try_sql("postgres", "SELECT 1") {
            if begun.elapsed() > HANG {
                let log = fs::read_to_string(self.0.folder.join("log")).unwrap_or_default();
                panic!("PostgreSQL does not start: {error}\n{log}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The address of a database, as `postgres://` with the folder of the socket as its host.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        let folder = self.0.folder.to_str().unwrap().replace('/', "%2F");
        format!("postgres://postgres@{folder}/{database}")
    }

    /// The folder of its socket and its data.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// The process ids of the server and of all its processes, the server's first.
    ///
    /// # Panics
    /// It does not run.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        let file = fs::read_to_string(self.0.folder.join("data/postmaster.pid")).unwrap();
        let server: u32 = file.lines().next().unwrap().parse().unwrap();
        let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap();
        let children = children.split_whitespace().map(|id| id.parse().unwrap());
        std::iter::once(server).chain(children).collect()
    }

    /// Kills one of the server's processes: that takes all others with it, connections too, and the server starts again
    /// from its journal.
    ///
    /// # Panics
    /// It does not run.
    pub fn crash(&self) {
        let checkpointer = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
        let killed =
            Command::new("kill").args(["-KILL", &self.sql("postgres", checkpointer)]).status().unwrap();
        assert!(killed.success());
    }

    /// Runs statements on a database, and returns the rows that they give, with `|` between columns.
    ///
    /// # Panics
    /// A statement fails.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        self.try_sql(database, statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    fn try_sql(&self, database: &str, statements: &str) -> Result<String, String> {
        let mut psql = Command::new(self.0.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database, "-h"]);
        let done = psql.arg(&self.0.folder).args(["-c", statements]).stdin(Stdio::null()).output().unwrap();
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim().to_owned());
        }
        Ok(String::from_utf8(done.stdout).unwrap().trim().to_owned())
    }

    /// An empty database.
    #[must_use]
    pub fn database(&self) -> Database {
        self.copy_of("template0")
    }

    /// A copy of the database of this name, which `make` fills first where there is none. It is given the address.
    #[must_use]
    pub fn database_from(&self, template: &str, make: impl FnOnce(&str)) -> Database {
        let mut templates = self.0.templates.lock().unwrap_or_else(PoisonError::into_inner);
        if !templates.contains(template) {
            let anew = format!("DROP DATABASE IF EXISTS {template} WITH (FORCE)");
            self.sql("postgres", &anew);
            self.sql("postgres", &format!("CREATE DATABASE {template} TEMPLATE template0"));
            make(&self.address(template));
            templates.insert(template.to_owned());
        }
        drop(templates);
        self.copy_of(template)
    }

    fn copy_of(&self, template: &str) -> Database {
        let room = self.0.room.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room =
            self.0.freed.wait_while(room, |room| *room == 0).unwrap_or_else(PoisonError::into_inner);
        *room -= 1;
        drop(room);
        let name = format!("test_{}", self.0.made.fetch_add(1, Ordering::Relaxed));
        let database = Database { server: self.clone(), name };
        self.sql("postgres", &format!("CREATE DATABASE {} TEMPLATE {template}", database.name));
        database
    }
}

/// A database of one test. It is removed when it is dropped, whoever is connected to it.
pub struct Database {
    server: Server,
    name: String,
}

impl Database {
    /// The server that it is on.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Its name on the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its [address](Server::address).
    #[must_use]
    pub fn address(&self) -> String {
        self.server.address(&self.name)
    }

    /// Runs statements on it; see [`Server::sql`].
    pub fn sql(&self, statements: &str) -> String {
        self.server.sql(&self.name, statements)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let removed =
            self.server.try_sql("postgres", &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
        if let Err(error) = removed {
            eprintln!("{} was not removed: {error}", self.name);
        }
        *self.server.0.room.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.server.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_a_database_of_its_own_which_is_removed_with_it() {
        let server = Server::shared();
        let mut made = 0;
        let mut copy = || {
            server.database_from("template_of_test", |address| {
                made += 1;
                assert!(address.ends_with("/template_of_test"));
                server.sql(
                    "template_of_test",
                    "CREATE TABLE rows (number BIGINT); INSERT INTO rows VALUES (7)",
                );
            })
        };
        let (one, other) = (copy(), copy());
        one.sql("INSERT INTO rows VALUES (8)");
        assert_eq!(one.sql("SELECT number, number + 1 FROM rows ORDER BY number"), "7|8\n8|9");
        assert_eq!(other.sql("SELECT count(*) FROM rows"), "1");
        let name = one.name().to_owned();
        drop((one, other));
        assert_eq!(made, 1);
        let named = |name: &str| {
            server.sql("postgres", &format!("SELECT 1 FROM pg_database WHERE datname = '{name}'"))
        };
        assert_eq!((&*named(&name), &*named("template_of_test")), ("", "1"));
        assert_eq!(server.database().sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
    }

    #[test]
    fn tests_wait_for_one_another_beyond_the_most_databases() {
        let server = Server::start(&UNSAFE);
        let most: Vec<Database> = (0..MOST_DATABASES).map(|_| server.database()).collect();
        let waiting = thread::spawn({
            let server = server.clone();
            move || server.database().sql("SELECT 1")
        });
        thread::sleep(Duration::from_millis(200));
        assert!(!waiting.is_finished());
        drop(most);
        assert_eq!(waiting.join().unwrap(), "1");
    }

    #[test]
    fn a_server_ends_with_its_last_handle_and_leaves_nothing() {
        let server = Server::start(&UNSAFE);
        let folder = server.0.folder.clone();
        assert!(folder.join("data/postmaster.pid").is_file());
        drop(server);
        assert!(!folder.exists());
    }

    /// The environment name by which a test tells its child process to start a server.
    const CHILD: &str = "PEERS_TEST_SERVER";

    #[test]
    fn a_server_ends_with_a_process_that_is_killed() {
        use std::io::{BufRead as _, BufReader};

        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "postgres::tests::child_starts_a_server", "--ignored", "--nocapture"]);
        let mut child = child.env(CHILD, "1").stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let folder = lines.find_map(|line| Some(PathBuf::from(line.unwrap().strip_prefix("in ")?)));
        let folder = folder.expect("the child says where its server is");
        assert!(folder.join("data/postmaster.pid").is_file());
        child.kill().unwrap();
        child.wait().unwrap();
        let begun = Instant::now();
        while folder.exists() {
            assert!(begun.elapsed() < HANG, "the server goes on");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    #[ignore = "run by another test as a process of its own"]
    fn child_starts_a_server() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        let server = Server::start(&UNSAFE);
        println!("in {}", server.0.folder.display());
        thread::sleep(HANG);
    }
}
