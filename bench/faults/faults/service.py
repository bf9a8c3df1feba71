"""Replicas of the notary and nginx in front of them, in the harness's own namespace."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

from .cluster import HOSTS, STATE, tmpfs
from .system import PATIENCE, Failed, say, spawn, stop, wait_until

NGINX_PORT = 8400
BASE = f"http://localhost:{NGINX_PORT}"
FIRST_PORT = 8501
THROTTLE_PORT = 5501
ROLE, ROLE_PASSWORD = "touchstone", "touchstone-of-the-harness"
# The replicas that the faults `clock` and `slow` act on.
OF_CLOCK, OF_THROTTLE = 1, 2

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {logs}/nginx.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    upstream replicas {{
{servers}
        keepalive 32;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://replicas;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            # Each caller of the load generator has an address of its own, or all would share the limits of one.
            proxy_set_header X-Forwarded-For $http_x_caller;
            # A call that may have reached a replica is not sent to another: the caller repeats it, and knows that it did.
            proxy_next_upstream error timeout;
            proxy_connect_timeout 1s;
            proxy_read_timeout 30s;
            add_header X-Replica $upstream_addr always;
        }}
    }}
}}
"""


class Service:
    """The replicas by their number, and nginx."""

    def __init__(self, folder: Path, binary: Path, count: int, postgres: bool):
        self.logs = folder / "logs"
        self.binary, self.count, self.postgres = binary, count, postgres
        self.folder = STATE / "service"
        self.replicas: list[subprocess.Popen | None] = [None] * count
        self.nginx: subprocess.Popen | None = None
        self.proxy: subprocess.Popen | None = None
        # Replicas that a fault has ended, which the supervisor leaves alone.
        self.held: set[int] = set()
        # One replica alone is that of the clock, too.
        self.of_clock = min(OF_CLOCK, count - 1)
        self.lock = threading.Lock()

    def make(self) -> None:
        """Makes the folders, and copies the binary, so that a build meanwhile does not change what is tested."""
        tmpfs(self.folder, 4096, mode="0755")
        shutil.copy(self.binary, self.program)
        for number in range(self.count):
            data = self.folder / f"r{number}"
            data.mkdir()
            # Domains are INCOMPLETE, whatever the name servers of this machine do: nobody listens there.
            (data / "touchstone.toml").write_text('[trust]\nname_servers = "127.0.0.1:1"\n')
            self.write_clock(number, "+0")
        servers = "\n".join(
            f"        server 127.0.0.1:{FIRST_PORT + number} max_fails=1 fail_timeout=1s;" for number in range(self.count)
        )
        conf = NGINX.format(folder=self.folder, logs=self.logs, servers=servers, port=NGINX_PORT)
        (self.folder / "nginx.conf").write_text(conf)
        (self.folder / "throttle").write_text("0 0")

    def address(self, number: int) -> str:
        """The address of one replica, past nginx."""
        return f"http://127.0.0.1:{FIRST_PORT + number}"

    @property
    def program(self) -> Path:
        """The binary under test, under another name: who ends all processes called touchstone does not mean these."""
        return self.folder / "replica"

    @property
    def keys(self) -> Path:
        """The folder of the keys, which all replicas share."""
        return self.folder / "keys"

    def store(self, number: int) -> str:
        """The store of one replica. One of them reaches PostgreSQL through the throttling proxy."""
        if not self.postgres:
            return str(self.folder / "store.sqlite")
        hosts = [f"{host}:5432" for host in HOSTS]
        if number == OF_THROTTLE:
            hosts = [f"127.0.0.1:{THROTTLE_PORT + place}" for place in range(len(HOSTS))]
        return f"postgres://{ROLE}:{ROLE_PASSWORD}@{','.join(hosts)}/{ROLE}?target_session_attrs=read-write&sslmode=disable"

    def start(self, number: int) -> None:
        """Starts a replica, unless it runs."""
        with self.lock:
            self.held.discard(number)
            process = self.replicas[number]
            if process is None or process.poll() is not None:
                self.replicas[number] = self.spawn(number)

    def spawn(self, number: int) -> subprocess.Popen:
        """Starts a replica's process."""
        environment = {
            "TOUCHSTONE_LISTEN": f"127.0.0.1:{FIRST_PORT + number}",
            "TOUCHSTONE_DATA_DIR": str(self.folder / f"r{number}"),
            "TOUCHSTONE_KEYS_DIR": str(self.keys),
            "TOUCHSTONE_STORE": self.store(number),
            "TOUCHSTONE_BASE_URL": BASE,
            "TOUCHSTONE_PROXIES": "127.0.0.0/8",
            "TOUCHSTONE_STORAGE_RESERVE_MIB": "64",
        }
        if number == self.of_clock:
            environment |= {
                "LD_PRELOAD": str(faketime_library()),
                "FAKETIME_TIMESTAMP_FILE": str(self.folder / f"clock{number}"),
                "FAKETIME_CACHE_DURATION": "1",
                "DONT_FAKE_MONOTONIC": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        return spawn([self.program, "dev"], self.logs / f"r{number}.log", env=environment)

    def start_all(self) -> None:
        """Starts the replicas, the throttling proxy and nginx."""
        if self.postgres and (self.proxy is None or self.proxy.poll() is not None):
            command = [sys.executable, "-m", "faults.throttle", self.folder / "throttle", THROTTLE_PORT,
                       *(f"{host}:5432" for host in HOSTS)]
            self.proxy = spawn(command, self.logs / "throttle.log")
        for number in range(self.count):
            self.start(number)
            if number == 0:
                # The first one makes the keys and the tables.
                self.await_listening(0)
        if self.nginx is None or self.nginx.poll() is not None:
            self.nginx = spawn(["nginx", "-c", self.folder / "nginx.conf", "-e", self.logs / "nginx.log"], self.logs / "nginx.log",
                               env={"PATH": os.environ["PATH"] + ":/usr/sbin"})

    def await_listening(self, number: int) -> None:
        """Waits until a replica answers."""

        def answers() -> bool:
            process = self.replicas[number]
            if process is None or process.poll() is not None:
                # It ends where the store cannot be reached at its start, as under a supervisor that starts it again.
                self.start(number)
                return False
            return status(f"{self.address(number)}/health") is not None

        wait_until(f"replica {number} answers", answers, PATIENCE, 0.5)

    def await_all(self) -> None:
        """Waits until all replicas and nginx answer."""
        for number in range(self.count):
            self.await_listening(number)
        wait_until("nginx answers", lambda: status(f"http://127.0.0.1:{NGINX_PORT}/health") is not None)

    def kill(self, number: int) -> None:
        """kill -9 of one replica."""
        with self.lock:
            self.held.add(number)
            process = self.replicas[number]
            if process is not None:
                process.kill()
                process.wait(10)

    def kill_all(self) -> None:
        """kill -9 of all replicas and of nginx."""
        for number in range(self.count):
            self.kill(number)
        if self.nginx is not None:
            os.killpg(self.nginx.pid, signal.SIGKILL)
            self.nginx.wait(10)

    def keep(self) -> None:
        """Starts again what has ended, as a supervisor does."""
        for number, process in enumerate(self.replicas):
            if number not in self.held and process is not None and process.poll() is not None:
                say(f"  replica {number} had ended with {process.returncode}; it is started again")
                self.start(number)

    def write_clock(self, number: int, offset: str) -> None:
        """Sets the offset of a replica's clock, in seconds, such as +3600."""
        new = self.folder / f"clock{number}.new"
        new.write_text(offset + "\n")
        new.rename(self.folder / f"clock{number}")

    def set_clock(self, offset: str) -> None:
        """Jumps the clock of the replica that runs under libfaketime; it is seen within a second."""
        self.write_clock(self.of_clock, offset)

    def throttle(self, bytes_per_second: int, delay: float) -> None:
        """Bounds the connections of one replica to PostgreSQL; 0 lifts a bound."""
        (self.folder / "throttle").write_text(f"{bytes_per_second} {delay}")

    def stop(self) -> None:
        """Ends everything."""
        for process in [*self.replicas, self.nginx, self.proxy]:
            stop(process, 5)


def faketime_library() -> Path:
    """The library that a program's clock is jumped with."""
    for library in Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"):
        return library
    raise Failed("there is no libfaketimeMT.so.1: install libfaketime")


def status(address: str, timeout: float = 2) -> int | None:
    """The status of a GET; None where there is no answer."""
    try:
        with urllib.request.urlopen(address, timeout=timeout) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None
