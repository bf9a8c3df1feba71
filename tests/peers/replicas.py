"""Runs the README's lines of "More than one machine" as they stand, over a PostgreSQL of its own; and `touchstone status` after them.

replicas.py README BINARY WORK_DIR; only the ports are replaced, by free ones.
"""

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
database, *listens = (free_port() for _ in range(3))
lines = lines.replace("@localhost/", f"@localhost:{database}/")
for written, free in zip(("8403", "8404"), listens):
    lines = lines.replace(written, str(free))

work.mkdir()
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
server = as_postgres(
    [bin_folder / "postgres", "-D", data / "data", "-h", "localhost", "-p", database, "-k", data],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
environment = {
    "PATH": f"{binary.parent}:{os.environ['PATH']}",
    "HOME": str(work),
    "PGPASSWORD": SECRET,
}
psql = [bin_folder / "psql", "-h", "localhost", "-p", str(database), "-U", "touchstone", "-d", "postgres", "-q", "-c"]
shell = None
try:
    deadline = time.monotonic() + 60
    while subprocess.run([*psql, "CREATE DATABASE touchstone"], env=environment, capture_output=True).returncode != 0:
        assert time.monotonic() < deadline and server.poll() is None, "PostgreSQL does not start"
        time.sleep(0.2)
    # A shell that still has the replicas as its children when the lines have run.
    script = f"set -eu\n{lines}\ntouchstone status --data-dir one --json\nread -r _\n"
    shell = subprocess.Popen(
        ["bash", "-c", script],
        cwd=work,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(work / "log").open("w"),
        text=True,
        start_new_session=True,
    )
    said = ""
    for line in shell.stdout:
        said += line
        if line == "}\n":
            break
    assert '"valid":true' in said, said + (work / "log").read_text()
    status = json.loads(said[said.index("\n{\n") :])
    assert status["store"].endswith("/touchstone") and SECRET not in said, said
    assert status["head"] >= 1 and len(status["replicas"]) == 2, status
    # Whether this machine's name servers answer is no fault of the replicas: where none does, each says so once it has looked.
    problems = [problem for replica in status["replicas"] for problem in replica["problems"]]
    assert [problem for problem in problems if not problem.startswith("trust: name_server")] == [], status
finally:
    if shell:
        os.killpg(shell.pid, signal.SIGTERM)
        shell.wait()
    server.send_signal(signal.SIGINT)
    server.wait()
    shutil.rmtree(data)
print("replicas: the README's lines ran, and the second replica found the first one's receipt")
