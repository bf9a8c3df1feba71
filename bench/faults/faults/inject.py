"""The faults. Each is done and healed by its function, which returns when what it broke works again by itself or is healed."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import psycopg

from .cluster import DATA_MIB, TTL, Cluster, Node, disk_free
from .system import Failed, pids_of, run, say, signal_all, wait_until

# How long a node is away that must not be waited for. Patroni gives up on it after TTL; but where it also had etcd's leader,
# the next one gives all leases their full time again.
AWAY = TTL + 10
# The longest that a fault waits for another primary.
TAKEOVER = TTL + 30


@dataclass
class World:
    """What a fault may act on."""

    cluster: Cluster
    # The replicas and nginx; None where the stand-in writer is alone.
    service: "object | None" = None


@dataclass(frozen=True)
class Fault:
    """A fault by its name."""

    name: str
    # True where another node must be the primary afterwards.
    fails_over: bool
    # True where it needs the replicas.
    of_service: bool
    act: Callable[[World], None]
    text: str


FAULTS: dict[str, Fault] = {}


def fault(name: str, text: str, *, fails_over: bool = False, of_service: bool = False):
    """Registers a function as a fault."""

    def register(act):
        FAULTS[name] = Fault(name, fails_over, of_service, act, text)
        return act

    return register


@fault("kill", "kill -9 of the primary's PostgreSQL, all processes", fails_over=True)
def kill(world: World) -> None:
    primary = world.cluster.primary()
    if primary.signal(signal.SIGKILL, "postgres") == 0:
        raise Failed(f"{primary.name} has no PostgreSQL to kill")
    await_another(world.cluster, primary)


@fault("kill-lagging", "both standbys' links down for 2 s, then kill -9 of the primary's PostgreSQL", fails_over=True)
def kill_lagging(world: World) -> None:
    # Without synchronous mode the primary acknowledges rows in these 2 s that no standby has: see `--asynchronous`. SIGSTOP
    # would not do: a stopped standby's kernel still receives.
    primary = world.cluster.primary()
    standbys = [node for node in world.cluster.nodes if node is not primary]
    try:
        for node in standbys:
            set_link(node, "down")
        time.sleep(2)
        primary.signal(signal.SIGKILL, "postgres")
    finally:
        for node in standbys:
            set_link(node, "up")
    await_another(world.cluster, primary)


@fault("pause", "SIGSTOP of the primary's whole node, for TTL + 10 s", fails_over=True)
def pause(world: World) -> None:
    pause_programs(world.cluster)


@fault("pause-postgres", "SIGSTOP of the primary's PostgreSQL alone, for TTL + 10 s", fails_over=True)
def pause_postgres(world: World) -> None:
    pause_programs(world.cluster, "postgres")


def pause_programs(cluster: Cluster, *programs: str) -> None:
    """Stops processes of the primary for longer than the TTL, and lets them go on."""
    primary = cluster.primary()
    until = time.monotonic() + AWAY
    # Twice: a process that was just being forked may have been missed.
    primary.signal(signal.SIGSTOP, *programs)
    primary.signal(signal.SIGSTOP, *programs)
    try:
        time.sleep(max(0.0, until - time.monotonic()))
        await_another(cluster, primary)
    finally:
        primary.signal(signal.SIGCONT)


@fault("cut", "the primary's link down, for TTL + 10 s", fails_over=True)
def cut(world: World) -> None:
    primary = world.cluster.primary()
    until = time.monotonic() + AWAY
    set_link(primary, "down")
    try:
        time.sleep(max(0.0, until - time.monotonic()))
        await_another(world.cluster, primary)
    finally:
        set_link(primary, "up")


def set_link(node: Node, state: str) -> None:
    """Sets the node's end of its cable `up` or `down`, in its namespace."""
    run("ip", "-n", node.name, "link", "set", "eth0", state)


@fault("fill", "the primary's disk full, until another node leads", fails_over=True)
def fill(world: World) -> None:
    primary = world.cluster.primary()
    filler = primary.disk / "filler"
    fill_disk(primary, filler)
    try:
        # PostgreSQL goes on in the segments of the write-ahead log that it has, and crashes when it needs a new one.
        use_up_log(primary)
        await_another(world.cluster, primary)
    finally:
        filler.unlink()


def fill_disk(node: Node, filler: Path) -> None:
    """Leaves less than a page free."""
    with filler.open("wb") as file:
        for _ in range(DATA_MIB):
            free = disk_free(node)
            if free < 4096:
                return
            try:
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), max(free // 2, 4096))
            except OSError:
                continue


def use_up_log(node: Node) -> None:
    """Has PostgreSQL begin new segments of its log until it ends."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            with node.connect() as connection:
                while time.monotonic() < end:
                    connection.execute("SELECT pg_logical_emit_message(false, 'faults', 'x'), pg_switch_wal()")
        except psycopg.OperationalError:
            if not pids_of(node.name, "postgres"):
                return
            time.sleep(0.1)


@fault("slow-standby", "SIGSTOP of the synchronous standby's PostgreSQL, for 6 s")
def slow_standby(world: World) -> None:
    roles = world.cluster.roles()
    for node in world.cluster.nodes:
        if roles[node.name][0] == "sync_standby":
            node.signal(signal.SIGSTOP, "postgres")
            try:
                time.sleep(6)
            finally:
                node.signal(signal.SIGCONT)


@fault("restart", "kill -9 of everything on all nodes (and of all replicas), then started again")
def restart(world: World) -> None:
    for node in world.cluster.nodes:
        signal_all(pids_of(node.name), signal.SIGKILL)
    if world.service is not None:
        world.service.kill_all()
    for node in world.cluster.nodes:
        wait_until(f"{node.name} has ended", lambda node=node: not pids_of(node.name), 10)
        node.patroni.wait(10)
        node.etcd.wait(10)
    for node in world.cluster.nodes:
        node.start()
    if world.service is not None:
        world.service.start_all()


@fault("replica", "kill -9 of one replica, started again after 3 s", of_service=True)
def replica(world: World) -> None:
    world.service.kill(0)
    time.sleep(3)
    world.service.start(0)


@fault("clock", "one replica's clock an hour ahead for 10 s, an hour behind for 10 s", of_service=True)
def clock(world: World) -> None:
    try:
        for offset in ("+3600", "-3600"):
            world.service.set_clock(offset)
            time.sleep(10)
    finally:
        world.service.set_clock("+0")


@fault("slow", "one replica's connections to PostgreSQL slowed to 64 KiB/s and 50 ms for 15 s", of_service=True)
def slow(world: World) -> None:
    try:
        world.service.throttle(bytes_per_second=65536, delay=0.05)
        time.sleep(15)
    finally:
        world.service.throttle(0, 0)


def await_another(cluster: Cluster, old: Node) -> None:
    """Waits until another node leads."""

    def leads() -> Node | None:
        for node in cluster.nodes:
            if node is old:
                continue
            try:
                with node.connect() as connection:
                    if connection.execute("SELECT NOT pg_is_in_recovery()").fetchone()[0]:
                        return node
            except psycopg.Error:
                continue
        return None

    found = wait_until(f"another node than {old.name} leads", leads, TAKEOVER)
    say(f"  {found.name} leads after {old.name}")
