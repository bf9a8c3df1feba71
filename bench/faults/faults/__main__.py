"""The command line; ../run.sh starts it in namespaces of its own."""

import argparse
import logging
import signal
import sys
import threading
from pathlib import Path

from . import cluster as cluster_module
from . import inject
from .cluster import Cluster, make_database
from .inject import FAULTS, World
from .load import Load
from .payments import BALANCE, payers
from .report import table
from .scenario import GOAL, SCENARIOS, play
from .service import ROLE, ROLE_PASSWORD, Service
from .spoil import SPOILS, is_found
from .system import Failed, as_first_process, say
from .verify import Store, Verifier
from .writer import Writer


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/faults/run.sh",
        description="Three PostgreSQL nodes under Patroni, three replicas of the notary, and faults.",
        epilog="faults: " + "; ".join(f"{fault.name}: {fault.text}" for fault in FAULTS.values()),
    )
    parser.add_argument("what", choices=["writer", "service", "sqlite"],
                        help="a stand-in writer alone; the notary; or one replica over SQLite, which tries load and verifier")
    parser.add_argument("scenario", help=f"{', '.join(SCENARIOS)}, or names of faults with commas between")
    parser.add_argument("--slot", type=float, help="seconds from fault to fault, at least")
    parser.add_argument("--touchstone", type=Path, help="the binary [default: debug/touchstone in the target folder]")
    parser.add_argument("--away", type=float, default=inject.AWAY,
                        help="seconds that `pause`, `pause-postgres` and `cut` take a node away for [default: %(default)s]")
    parser.add_argument("--asynchronous", action="store_true",
                        help="without synchronous mode: rows are lost, and must be found to be")
    parser.add_argument("--spoil", choices=[*SPOILS, "each"],
                        help="spoil what the verifier looks at, one way or each way in turn; exit 0 where it finds that")
    parser.add_argument("--folder", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def schedule(args: argparse.Namespace) -> tuple[list[str], float]:
    """The faults and the slot of a scenario, or of a list of faults."""
    names, slot = SCENARIOS.get(args.scenario, (args.scenario.split(","), 10.0))
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        raise Failed(f"there is no fault {unknown[0]}; there are {', '.join(FAULTS)}, and the scenarios {', '.join(SCENARIOS)}")
    return names, args.slot or slot


class Run:
    """One run, whose parts are ended in reverse order."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.names, self.slot = schedule(args)
        self.cluster: Cluster | None = None
        self.service: Service | None = None
        self.over = threading.Event()

    def run(self) -> int:
        """Plays the scenario and prints the table; returns the exit code."""
        inject.AWAY = self.args.away
        cluster_module.SYNCHRONOUS = not self.args.asynchronous
        self.start()
        writer = load = None
        checks: dict = {}
        if self.cluster is not None:
            writer = Writer(self.cluster)
            writer.make_table()
            writer.start()
        if self.service is not None:
            load = self.start_load()
        world = World(self.cluster, self.service)
        outcomes, ended_early = play(world, self.names, self.slot, writer, load.journal.gap if load else None)
        if load is not None:
            checks |= self.verify(load)
        if writer is not None:
            writer.stop()
            checks |= writer.check()
        checks |= {"ended early": ended_early} if ended_early else {}
        late = sum((outcome.later or 0) > GOAL for outcome in outcomes)
        if load is not None:
            checks[f"service back more than {GOAL:.0f} s after the store"] = late
        print(table(outcomes, checks))
        bad = ("found wrong", "acknowledged rows lost", "rows nobody wrote", "ended early")
        return 1 if late or any(checks.get(name) for name in bad) else 0

    def start(self) -> None:
        """Starts what the run needs of PostgreSQL and of the notary."""
        args = self.args
        self.cluster = Cluster(args.folder)
        self.cluster.make()
        if args.what == "sqlite":
            self.cluster = None
        else:
            self.cluster.start()
        if args.what == "writer":
            return
        binary = args.touchstone or args.folder.parent / "debug/touchstone"
        if not binary.exists():
            raise Failed(f"there is no {binary}: build it with `cargo build -p touchstone`, or name one with --touchstone")
        if self.cluster is not None:
            make_database(self.cluster, ROLE, ROLE_PASSWORD)
        self.service = Service(args.folder, binary, 1 if args.what == "sqlite" else 3, args.what == "service")
        self.service.make()
        self.service.start_all()
        self.service.await_all()
        threading.Thread(target=self.keep_replicas, daemon=True).start()
        say(f"{self.service.count} replicas and nginx answer")

    def keep_replicas(self) -> None:
        """Starts replicas again that end by themselves."""
        while not self.over.wait(1):
            self.service.keep()

    def start_load(self) -> Load:
        """Gives the payers their money, and starts the load."""
        with_money = self.cluster is not None
        if with_money:
            with self.cluster.primary().connect(ROLE) as connection:
                for wallet in payers(True)[1:]:
                    connection.execute("INSERT INTO local_accounts (account, balance) VALUES (%s, %s)",
                                       (bytes.fromhex(wallet.address[2:]), BALANCE))
        load = Load(self.service, self.args.folder, with_money)
        load.start()
        return load

    def verify(self, load: Load) -> dict:
        """Ends the load, and holds what was acknowledged against what is there."""
        load.stop()
        self.service.await_all()
        store = Store(self.cluster, self.service)
        if self.args.spoil:
            return self.spoil(load, store)
        checks = Verifier(self.service, load.journal, store, self.args.folder).check()
        checks |= {f"longest wait for a {kind} receipt, s": f"{wait:.1f}" for kind, wait in load.journal.longest_wait.items()}
        checks["answers by status"] = ", ".join(f"{name}: {count}" for name, count in sorted(load.journal.statuses.items()))
        return checks

    def spoil(self, load: Load, store: Store) -> dict:
        """Spoils what the verifier looks at, way by way, and undoes it; returns whether each was found."""
        unspoiled = Verifier(self.service, load.journal, store, self.args.folder)
        unspoiled.check()
        if unspoiled.wrong:
            raise Failed("something is wrong before anything was spoiled")
        outcomes = {}
        for name in SPOILS if self.args.spoil == "each" else [self.args.spoil]:
            journal = load.journal.copy()
            undo = SPOILS[name](journal, store, self.service)
            verifier = Verifier(self.service, journal, store, self.args.folder)
            verifier.check()
            if undo:
                store.change(undo)
            outcomes[f"spoiled: {name}"] = "found" if is_found(name, verifier.wrong) else "NOT FOUND"
        outcomes["found wrong"] = sum(outcome != "found" for outcome in outcomes.values())
        return outcomes

    def stop(self) -> None:
        """Ends all processes. Namespaces and mounts end with the first process of the PID namespace."""
        self.over.set()
        if self.service is not None:
            self.service.stop()
        if self.cluster is not None:
            self.cluster.stop()


def main() -> int:
    args = arguments()
    # A rollback on a connection that a fault has broken is no news.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    logs = args.folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    for log in logs.glob("*.log"):
        log.unlink()
    run = None
    try:
        run = Run(args)
        return run.run()
    except Failed as error:
        say(f"FAILED: {error}; logs are in {logs}")
        return 1
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say("interrupted")
        return 130
    finally:
        # What is being ended is ended whole.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if run is not None:
            run.stop()


if __name__ == "__main__":
    sys.exit(as_first_process(main))
