"""Three PostgreSQL nodes under Patroni with etcd, each in a network namespace and on disks in memory of its own.

A node is what one machine of an installation would be: an etcd member, Patroni, PostgreSQL. Its namespace hangs on a bridge
by one cable (a veth pair); callers, replicas and nginx are on the other side of that bridge, in the harness's own namespace.
"""

import json
import os
import signal
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import psycopg

from .system import Failed, pids_of, program_of, run, say, signal_all, spawn, tmpfs, wait_until

BIN = Path("/usr/lib/postgresql/15/bin")
STATE = Path("/mnt")
FRONT = "10.99.0.1"
DATA_MIB = 1024
# The least TTL that Patroni takes. The rule is loop_wait + 2 * retry_timeout <= ttl.
TTL, LOOP_WAIT, RETRY_TIMEOUT = 20, 2, 5
SUPERUSER, PASSWORD = "postgres", "superuser-of-the-harness"


@dataclass
class Node:
    """One machine with PostgreSQL."""

    number: int
    venv: Path
    logs: Path
    patroni: subprocess.Popen | None = None
    etcd: subprocess.Popen | None = None

    def __post_init__(self):
        self.name = f"n{self.number}"
        self.host = f"10.99.0.{10 + self.number}"
        self.folder = STATE / self.name
        self.disk = self.folder / "disk"
        self.data = self.disk / "data"

    def make(self) -> None:
        """Makes the namespace, its cable and its disks."""
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", self.port, "master", "faults", "up")
        for command in (f"addr add {self.host}/24 dev eth0", "link set lo up", "link set eth0 up"):
            run("ip", "-n", self.name, *command.split())
        self.folder.mkdir()
        self.folder.chmod(0o755)
        # The disk of the data is apart: when it is full, Patroni and etcd can still write what they keep.
        tmpfs(self.disk, DATA_MIB, "postgres")
        tmpfs(self.folder / "etcd", 256, "postgres")
        tmpfs(self.folder / "run", 16, "postgres")
        (self.folder / "patroni.json").write_text(json.dumps(self.configuration()))

    @property
    def port(self) -> str:
        """The bridge's end of the cable."""
        return f"port{self.number}"

    def configuration(self) -> dict:
        """Patroni's configuration."""
        superuser = {"username": SUPERUSER, "password": PASSWORD}
        return {
            "scope": "faults",
            "name": self.name,
            "restapi": {"listen": f"{self.host}:8008", "connect_address": f"{self.host}:8008"},
            "etcd3": {"hosts": [f"{host}:2379" for host in HOSTS]},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL,
                    "loop_wait": LOOP_WAIT,
                    "retry_timeout": RETRY_TIMEOUT,
                    # A crashed primary is not started again in its place while a standby could take over.
                    "primary_start_timeout": 0,
                    "synchronous_mode": SYNCHRONOUS,
                    "synchronous_mode_strict": SYNCHRONOUS,
                    "postgresql": {
                        "use_pg_rewind": True,
                        "use_slots": True,
                        "parameters": {
                            "max_connections": 100,
                            "wal_log_hints": True,
                            "wal_sender_timeout": "5s",
                            "wal_receiver_timeout": "5s",
                            "tcp_user_timeout": "5s",
                            "max_slot_wal_keep_size": "256MB",
                        },
                    },
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, {"auth-local": "trust"}, {"wal-segsize": "4"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"{self.host}:5432",
                "connect_address": f"{self.host}:5432",
                "bin_dir": str(BIN),
                "data_dir": str(self.data),
                "pgpass": str(self.folder / "run/pgpass"),
                "authentication": {
                    "superuser": superuser,
                    "replication": {"username": "replicator", "password": "replicator-of-the-harness"},
                },
                "pg_hba": [
                    "local all all trust",
                    "host replication replicator 10.99.0.0/24 scram-sha-256",
                    "host all all 10.99.0.0/24 scram-sha-256",
                ],
                "parameters": {
                    "unix_socket_directories": str(self.folder / "run"),
                    "shared_buffers": "64MB",
                    "min_wal_size": "16MB",
                    "max_wal_size": "64MB",
                    "log_line_prefix": "%m [%p] %a ",
                },
            },
            "log": {"level": "INFO"},
        }

    def start_etcd(self) -> None:
        """Starts the etcd member, which finds its members or its data again."""
        members = ",".join(f"n{number}=http://{host}:2380" for number, host in enumerate(HOSTS, 1))
        command = [
            "etcd", "--name", self.name, "--data-dir", self.folder / "etcd/data", "--log-level", "warn",
            "--listen-peer-urls", f"http://{self.host}:2380", "--initial-advertise-peer-urls", f"http://{self.host}:2380",
            "--listen-client-urls", f"http://{self.host}:2379", "--advertise-client-urls", f"http://{self.host}:2379",
            "--initial-cluster", members, "--auto-compaction-mode", "revision", "--auto-compaction-retention", "1000",
        ]
        self.etcd = spawn(command, self.logs / f"{self.name}-etcd.log", net=self.name, user="postgres")

    def start_patroni(self) -> None:
        """Starts Patroni, which starts PostgreSQL as a primary or as a standby."""
        command = [self.venv / "bin/patroni", self.folder / "patroni.json"]
        self.patroni = spawn(command, self.logs / f"{self.name}-patroni.log", net=self.name, user="postgres", cwd=self.folder / "run")

    def start(self) -> None:
        """Starts what does not run."""
        if self.etcd is None or self.etcd.poll() is not None:
            self.start_etcd()
        if self.patroni is None or self.patroni.poll() is not None:
            self.start_patroni()

    def signal(self, number: signal.Signals, *programs: str) -> int:
        """Signals all processes of the node, or those of the programs named; returns how many."""
        pids = pids_of(self.name)
        return signal_all([pid for pid in pids if not programs or program_of(pid) in programs], number)

    def connect(self, database: str = "postgres", **options) -> psycopg.Connection:
        """Connects to this node's PostgreSQL as its superuser."""
        return psycopg.connect(host=self.host, dbname=database, user=SUPERUSER, password=PASSWORD,
                               connect_timeout=2, autocommit=True, **options)


HOSTS = [f"10.99.0.{10 + number}" for number in (1, 2, 3)]
# Set to False by `--asynchronous`, which shows that the harness finds rows that are lost.
SYNCHRONOUS = True


class Cluster:
    """The three nodes."""

    def __init__(self, folder: Path):
        venv, logs = folder / "venv", folder / "logs"
        self.nodes = [Node(number, venv, logs) for number in (1, 2, 3)]

    def make(self) -> None:
        """Makes bridge, namespaces and disks; nothing runs yet."""
        # Hidden below file systems in memory of this mount namespace, nothing that is written here outlives the run.
        tmpfs(Path("/run"), 64, mode="0755")
        tmpfs(STATE, 64, mode="0755")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "faults", "type", "bridge")
        run("ip", "addr", "add", f"{FRONT}/24", "dev", "faults")
        run("ip", "link", "set", "faults", "up")
        for node in self.nodes:
            node.make()

    def start(self) -> None:
        """Starts all nodes, and waits until there are a primary and two standbys."""
        started = time.monotonic()
        for node in self.nodes:
            node.start_etcd()
        for node in self.nodes:
            node.start_patroni()
        self.await_whole()
        say(f"the cluster is whole after {time.monotonic() - started:.1f} s; the primary is {self.primary().name}")

    def view(self) -> dict | None:
        """What Patroni says of the cluster (`GET /cluster` of any node); None where no node answers."""
        for node in self.nodes:
            try:
                with urllib.request.urlopen(f"http://{node.host}:8008/cluster", timeout=1) as answer:
                    return json.load(answer)
            except (OSError, ValueError):
                continue
        return None

    def roles(self) -> dict[str, tuple[str, str]]:
        """Role and state of each node by its name."""
        view = self.view() or {"members": []}
        return {member["name"]: (member["role"], member["state"]) for member in view["members"]}

    def is_whole(self) -> bool:
        """True where one node leads, both others stream from it, and one of them synchronously.

        Patroni's word may be some seconds old, so the leader's PostgreSQL must say so too.
        """
        roles = self.roles()
        leaders = [name for name, (role, state) in roles.items() if role == "leader" and state == "running"]
        standbys = [role for role, state in roles.values() if role in ("replica", "sync_standby") and state == "streaming"]
        if len(leaders) != 1 or len(standbys) != 2 or (SYNCHRONOUS and "sync_standby" not in standbys):
            return False
        leader = next(node for node in self.nodes if node.name == leaders[0])
        query = """SELECT NOT pg_is_in_recovery(), count(*) FILTER (WHERE state = 'streaming'),
            count(*) FILTER (WHERE state = 'streaming' AND sync_state = 'sync') FROM pg_stat_replication"""
        try:
            with leader.connect() as connection:
                writes, streaming, synchronous = connection.execute(query).fetchone()
        except psycopg.Error:
            return False
        return writes and streaming == 2 and synchronous == (1 if SYNCHRONOUS else 0)

    def await_whole(self, seconds: float = 90) -> None:
        """Waits for `is_whole`."""
        try:
            wait_until("the cluster is whole", self.is_whole, seconds, 0.25)
        except Failed as error:
            raise Failed(f"{error}; it is {self.roles()}") from error

    def primary(self) -> Node:
        """The node that leads by Patroni's word."""
        for node in self.nodes:
            if self.roles().get(node.name, ("", ""))[0] == "leader":
                return node
        raise Failed(f"there is no primary: {self.roles()}")

    def stop(self) -> None:
        """Ends all processes of all nodes. The namespaces end with the harness."""
        for node in self.nodes:
            signal_all(pids_of(node.name), signal.SIGKILL)
        for node in self.nodes:
            for process in (node.patroni, node.etcd):
                if process is not None:
                    process.wait(10)


def make_database(cluster: Cluster, name: str, password: str) -> None:
    """Makes a role and its database on the primary."""
    with cluster.primary().connect() as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
        connection.execute(f"CREATE DATABASE {name} OWNER {name}")


def disk_free(node: Node) -> int:
    """Free bytes of a node's disk."""
    stat = os.statvfs(node.disk)
    return stat.f_bavail * stat.f_frsize
