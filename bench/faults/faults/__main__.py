"""The command line; ../run.sh starts it in namespaces of its own."""

import argparse
import sys
from pathlib import Path

from . import cluster as cluster_module
from .cluster import Cluster
from .inject import FAULTS, World
from .report import table
from .scenario import SCENARIOS, play
from .system import Failed, as_first_process, say
from .writer import Writer


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/faults/run.sh", description=__doc__, epilog="faults: " + "; ".join(
        f"{fault.name}: {fault.text}" for fault in FAULTS.values()))
    parser.add_argument("what", choices=["writer", "service"], help="a stand-in writer alone, or the notary")
    parser.add_argument("scenario", help="short, long, or names of faults with commas between")
    parser.add_argument("--slot", type=float, help="seconds from fault to fault, at least")
    parser.add_argument("--asynchronous", action="store_true", help="without synchronous mode: rows are lost, and must be found to be")
    parser.add_argument("--folder", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def schedule(args: argparse.Namespace) -> tuple[list[str], float]:
    """The faults and the slot of a scenario, or of a list of faults."""
    names, slot = SCENARIOS.get(args.scenario, (args.scenario.split(","), 10.0))
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        raise Failed(f"there is no fault {unknown[0]}; there are {', '.join(FAULTS)}, and the scenarios {', '.join(SCENARIOS)}")
    return names, args.slot or slot


def main() -> int:
    args = arguments()
    logs = args.folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    for log in logs.glob("*.log"):
        log.unlink()
    logs.chmod(0o755)
    cluster = None
    try:
        names, slot = schedule(args)
        cluster_module.SYNCHRONOUS = not args.asynchronous
        cluster = Cluster(args.folder)
        cluster.make()
        cluster.start()
        return run_writer(cluster, names, slot)
    except Failed as error:
        say(f"FAILED: {error}; logs are in {logs}")
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    finally:
        if cluster is not None:
            cluster.stop()


def run_writer(cluster: Cluster, names: list[str], slot: float) -> int:
    """Plays a scenario with the stand-in writer alone."""
    writer = Writer(cluster)
    writer.make_table()
    writer.start()
    outcomes = play(World(cluster), names, slot, writer)
    writer.stop()
    checks = writer.check()
    print(table(outcomes, checks))
    return 1 if checks["acknowledged rows lost"] or checks["rows nobody wrote"] else 0


if __name__ == "__main__":
    sys.exit(as_first_process(main))
