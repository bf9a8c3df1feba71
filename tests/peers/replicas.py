"""Runs the README's lines of "More than one machine" as they stand, over a PostgreSQL of its own; and `touchstone status` after them.

replicas.py README BINARY WORK_DIR; only the ports are replaced, by free ones.
"""

import contextlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

readme, binary, work = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) / "replicas"
SECRET = "secret"
# The most seconds until all has run.
PATIENCE_S = 300
# The words of PostgreSQL and of touchstone alike.
IN_USE = "Address already in use"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def programs() -> Path:
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    found = packaged[-1] if packaged else Path(shutil.which("initdb") or sys.exit("no PostgreSQL")).resolve().parent
    return found


def as_postgres(command: list, **more):
    """PostgreSQL refuses to run as root. Its package has made a user for it."""
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        more |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return subprocess.Popen([str(part) for part in command], cwd="/", **more)


block = re.search(r"^## More than one machine\n.*?^```console\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
assert block, "the README has no such lines"
lines = block[1]
assert lines.count("\n") < 10, "they are to be under ten"
work.mkdir()


def ran(folder: Path) -> bool:
    """Runs the lines in a new folder. False where another process has taken a port since it was found free."""
    database, *listens = (free_port() for _ in range(3))
    ports = dict(zip(("8403", "8404"), map(str, listens)))
    here = re.sub("|".join(ports), lambda written: ports[written[0]], lines).replace("@localhost/", f"@localhost:{database}/")
    folder.mkdir()
    # The server's folder is where its user may go.
    data = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    if os.getuid() == 0:
        shutil.chown(data, "postgres", "postgres")
    bin_folder = programs()
    password = data / "password"
    password.write_text(SECRET)
    password.chmod(0o644)
    initdb = [bin_folder / "initdb", "-D", data / "data", "-U", "touchstone", f"--pwfile={password}", "-A", "scram-sha-256", "--no-sync"]
    assert as_postgres(initdb, stdout=subprocess.DEVNULL).wait() == 0
    database_log, log, output = (folder / name for name in ("database.log", "log", "output"))
    # Without fsync: nothing of it outlives the test.
    server = as_postgres(
        [bin_folder / "postgres", "-F", "-D", data / "data", "-h", "localhost", "-p", database, "-k", data],
        stdout=subprocess.DEVNULL,
        stderr=database_log.open("w"),
    )
    environment = {
        "PATH": f"{binary.parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PGPASSWORD": SECRET,
        "TOUCHSTONE_STORAGE_RESERVE_MIB": "64",
    }
    psql = [bin_folder / "psql", "-h", "localhost", "-p", str(database), "-U", "touchstone", "-d", "postgres", "-q", "-c"]
    # A process that has the port meanwhile may take connections and say nothing.
    asking = environment | {"PGCONNECT_TIMEOUT": "10"}
    shell = None
    deadline = time.monotonic() + PATIENCE_S
    try:
        while subprocess.run([*psql, "CREATE DATABASE touchstone"], env=asking, capture_output=True).returncode != 0:
            said = database_log.read_text()
            if IN_USE in said:
                return False
            assert time.monotonic() < deadline and server.poll() is None, f"PostgreSQL does not start: {said}"
            time.sleep(0.2)
        # A shell that still has the replicas as its children when the lines have run.
        script = f"set -eu\n{here}\ntouchstone status --data-dir one --json\nread -r _\n"
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=output.open("w"),
            stderr=log.open("w"),
            start_new_session=True,
        )
        while True:
            is_over = shell.poll() is not None or time.monotonic() > deadline
            said, why = output.read_text(), log.read_text()
            if status := re.search(r"^\{\n.*?^\}\n", said, re.MULTILINE | re.DOTALL):
                check(said, json.loads(status[0]))
                return True
            if IN_USE in why:
                return False
            assert not is_over, f"the lines have not run: {said}{why}"
            time.sleep(0.2)
    finally:
        if shell:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGTERM)
            shell.wait()
        server.send_signal(signal.SIGINT)
        server.wait()
        shutil.rmtree(data)


def check(said: str, status: dict) -> None:
    """The lines have said that the receipt is valid, and `touchstone status` finds nothing wrong."""
    assert '"valid":true' in said, said
    assert status["store"].endswith("/touchstone") and SECRET not in said, said
    assert status["head"] >= 1 and len(status["replicas"]) == 2, status
    # Neither this machine's name servers nor its clock are a fault of the replicas. A problem is a list of faults, or one sentence.
    problems = [part for replica in status["replicas"] for one in replica["problems"] for part in one.split(", ")]
    ours = [one for one in problems if not one.startswith("trust: name_server") and one != "clock: unsynchronised"]
    assert ours == [], status


if not ran(work / "first") and not ran(work / "again"):
    sys.exit("replicas: twice a port was taken that had been free")
print("replicas: the README's lines ran, and the second replica found the first one's receipt")
