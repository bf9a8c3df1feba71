"""Processes, namespaces, mounts and time, as the rest of the harness uses them."""

import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

# A wait of the harness that has no other bound ends after this many seconds.
PATIENCE = 90.0


class Failed(Exception):
    """The harness could not do what a scenario needs; what it measured so far does not count."""


def say(text: str) -> None:
    """Prints a line with the time, for whoever watches."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def run(*command: str | Path, timeout: float = 60, check: bool = True) -> str:
    """Runs a command to its end; returns its standard output."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{' '.join(words)} took more than {timeout:.0f} s") from error
    if check and done.returncode != 0:
        raise Failed(f"{' '.join(words)} failed: {(done.stderr or done.stdout).strip()[-1000:]}")
    return done.stdout


def wait_until(what: str, ready, seconds: float = PATIENCE, pause: float = 0.1):
    """Waits until `ready()` gives something true, and returns it; fails after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        found = ready()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"waited {seconds:.0f} s until {what}")
        time.sleep(pause)


def spawn(command: list, log: Path, *, env: dict | None = None, net: str | None = None, user: str | None = None,
          cwd: Path | None = None) -> subprocess.Popen:
    """Starts a process in the background, in a network namespace and as a user where these are named."""
    words = [str(word) for word in command]
    if user is not None:
        words = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *words]
    if net is not None:
        words = ["nsenter", f"--net=/run/netns/{net}", *words]
    with log.open("ab") as output:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=cwd,
                                env=os.environ | (env or {}), start_new_session=True)


def pids_of(net: str, name: str | None = None) -> list[int]:
    """Lists the processes of a network namespace; only those of one program where it is named."""
    pids = [int(word) for word in run("ip", "netns", "pids", net, check=False).split()]
    return [pid for pid in pids if name is None or program_of(pid) == name]


def program_of(pid: int) -> str | None:
    """Returns the name of a process's program; None where it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def signal_all(pids: list[int], number: signal.Signals) -> int:
    """Sends a signal to processes; returns how many were still there."""
    reached = 0
    for pid in pids:
        try:
            os.kill(pid, number)
            reached += 1
        except ProcessLookupError:
            pass
    return reached


def stop(process: subprocess.Popen | None, seconds: float = 10) -> None:
    """Ends a process: SIGTERM, then SIGKILL."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(signal.SIGCONT)
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(seconds)


def tmpfs(folder: Path, mebibytes: int, user: str | None = None, mode: str = "0700") -> None:
    """Mounts a file system in memory, which ends with the harness's mount namespace."""
    folder.mkdir(parents=True, exist_ok=True)
    owner = f",uid={user},gid={user}" if user else ""
    run("mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode={mode}{owner}", "faults", folder)


def as_first_process(main) -> int:
    """Runs `main` in a child, and adopts the orphans of the PID namespace meanwhile.

    The harness is process 1 of its namespace. PostgreSQL's postmaster is an orphan by design, and Patroni believes that it
    lives as long as nobody has read its exit status.
    """
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        code = 1
        try:
            code = main()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A terminal sends SIGINT to the child too: the child ends at the first signal, and takes no second one.
        signal.signal(number, lambda *_: os.kill(child, signal.SIGTERM))
    while True:
        try:
            ended, status = os.wait()
        except InterruptedError:
            continue
        if ended == child:
            return os.waitstatus_to_exitcode(status) & 0xFF
