"""Runs faults one after the other, each in a slot of time, and measures how long nobody was served."""

import time
from dataclasses import dataclass

from .inject import FAULTS, Fault, World
from .system import Failed, say
from .writer import Writer

# name: (faults in turn, seconds of a slot). A slot that its fault and the rejoining of its node outlast is longer.
SCENARIOS: dict[str, tuple[list[str], float]] = {
    # 3 failovers in 5 minutes.
    "short": (["kill", "replica", "pause", "clock", "slow", "slow-standby", "cut"], 42),
    # 50 failovers in 40 minutes: ten rounds of five failovers, and in each round one fault without a failover.
    "long": (
        [
            name
            for number in range(10)
            for name in ("kill", "cut", "fill", ("pause", "pause-postgres")[number % 2], "kill-lagging",
                         ("restart", "replica", "clock", "slow", "slow-standby")[number % 5])
        ],
        36,
    ),
}


# Service is back at most this many seconds after the store takes writes again.
GOAL = 5.0


@dataclass
class Outcome:
    """What a fault did."""

    fault: Fault
    primaries: tuple[str, str]
    # Longest times without an acknowledged row of the writer, and without a receipt from any replica.
    store_gap: float
    service_gap: float | None
    whole_after: float

    @property
    def failed_over(self) -> bool:
        """True where another node is the primary now."""
        return self.primaries[0] != self.primaries[1]

    @property
    def later(self) -> float | None:
        """How much longer than the store the service was away, in seconds: at most GOAL is the goal."""
        return None if self.service_gap is None else max(0.0, self.service_gap - self.store_gap)


def play(world: World, names: list[str], slot: float, writer: Writer | None, receipts=None) -> tuple[list[Outcome], str | None]:
    """Runs the faults, up to the first that cannot be healed; returns the outcomes, and why it ended early.

    `receipts` gives the longest time without a receipt between two moments.
    """
    outcomes: list[Outcome] = []
    for number, name in enumerate(names, 1):
        fault = FAULTS[name]
        if fault.of_service and world.service is None or not fault.of_service and world.cluster is None:
            continue
        before = primary_of(world)
        say(f"{number}/{len(names)} {name}: {fault.text}; the primary is {before}")
        began = time.monotonic()
        try:
            fault.act(world)
            if world.cluster is not None:
                world.cluster.await_whole()
        except Failed as error:
            say(f"  the scenario ends here: {error}")
            return outcomes, f"{name}: {error}"
        whole = time.monotonic()
        # Two seconds more, so that a gap which is still open is seen to end.
        time.sleep(max(2.0, began + slot - whole))
        ended = time.monotonic()
        outcome = Outcome(
            fault,
            (before, primary_of(world)),
            writer.gap(began, ended) if writer else 0.0,
            receipts(began, ended) if receipts else None,
            whole - began,
        )
        served = "" if outcome.service_gap is None else f", no receipt for {outcome.service_gap:.1f} s"
        say(f"  {' -> '.join(outcome.primaries)}: no row for {outcome.store_gap:.1f} s{served}; whole after {outcome.whole_after:.1f} s")
        outcomes.append(outcome)
    return outcomes, None


def primary_of(world: World) -> str:
    """The name of the primary; of nothing where there is no cluster."""
    return world.cluster.primary().name if world.cluster is not None else "SQLite"
