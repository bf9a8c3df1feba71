#!/usr/bin/env python3
"""Simulates replicas of the notary that share one log, and says what limits them.

    bench/scale/simulate.py capacity                      the most that each resource allows, and what saturates first
    bench/scale/simulate.py cost                          a million receipts: processor, disk, network, money
    bench/scale/simulate.py run --rate 3000 --replicas 3  calls that queue: throughput, latencies, batches
    bench/scale/simulate.py run --help                    all options; each parameter below is one, too

A call waits for a processor of its replica, for the rate limiter's lock, and for its replica's next batch. A replica writes one
batch at a time: it waits for the lock of the log's head, takes up to 1,024 records, writes them, waits until they are on the
disks of the primary and of one standby, and answers all of their callers. Arrivals are a Poisson process; each goes to the
replica with the fewest calls in hand, as a load balancer sends them. Nothing is random but that, and the seed is fixed.

The model leaves out what fetches and judges wait for from others (that costs time and no capacity), payments (each is three
more small transactions under a lock of its own), readers, failovers, and PostgreSQL's checkpoints and vacuum.
"""

import argparse
import heapq
import random
from collections import deque

# What was measured. Times are in milliseconds. A row is one row of any table.
MEASURED = {
    # Receipts a second of three replicas over PostgreSQL on one machine with two cores, database and load generator included
    # (bench/README.md, `bench/run.sh replicas`).
    "measured_rate": 3602,
    # The lock of the head is held for this long a batch, whatever is in it, network and disk left out.
    "lock_cycle_ms": 0.3,
    # Rows that are written in a millisecond under that lock. Three ledgers alone wrote 37.6 receipts a millisecond in batches of
    # up to 512, which leaves 13 ms of each batch for 2,048 rows (same place).
    "rows_per_ms": 157,
    # 64 KiB made durable, median (bench/README.md, "Last run").
    "fsync_ms": 0.12,
    # A round trip from a replica to the database, within one data centre.
    "rtt_ms": 0.2,
    # Processor time for a receipt, in microseconds: of the replicas, and of PostgreSQL with limits and quotas, which used 0.96 of a
    # core (same place).
    "cpu_us_per_receipt": 230,
    "database_cpu_us_per_receipt": 266,
    # On disk, with request, evidence, leaf and index: 2.9 GB for a million (bench/README.md, the big store).
    "bytes_per_receipt": 2900,
}
# What is assumed. Prices are in US dollars, of the order of public clouds' list prices.
ASSUMED = {
    "rows_per_receipt": 4,
    "batch": 1024,
    "cores": 2,
    "round_trips_locked": 3,
    "standby_rtt_ms": 0.2,
    "wal_factor": 2.0,
    "disk_mb_per_s": 500,
    "network_mb_per_s": 1250,
    "answer_bytes": 2700,
    "gate_rows_per_call": 3,
    "database_nodes": 3,
    "database_cores": 8,
    "usd_per_core_hour": 0.04,
    "usd_per_gb_month": 0.10,
    "usd_per_gb_out": 0.09,
}


def hold_ms(p, records):
    """How long a batch holds the lock of the head: statements, round trips, rows, and the disks of the primary and a standby."""
    durable = 2 * p.fsync_ms + p.standby_rtt_ms
    return p.lock_cycle_ms + p.round_trips_locked * p.rtt_ms + records * p.rows_per_receipt / p.rows_per_ms + durable


def gate_hold_ms(p, calls):
    """The same for a batch of the rate limiter, whose commit does not wait for a disk."""
    return p.lock_cycle_ms + p.round_trips_locked * p.rtt_ms + calls * p.gate_rows_per_call / p.rows_per_ms


def capacities(p):
    """The most calls a second that each resource allows, and whether more replicas raise it."""
    return {
        "processors of the replicas": (p.replicas * p.cores * 1e6 / p.cpu_us_per_receipt, "more replicas"),
        "processors of the primary": (p.database_cores * 1e6 / p.database_cpu_us_per_receipt, "more cores, another log"),
        "lock of the log's head": (p.batch / hold_ms(p, p.batch) * 1e3, "another log"),
        "lock of the rate limiter": (p.batch / gate_hold_ms(p, p.batch) * 1e3, "another log"),
        "disk of the primary (WAL and tables)": (p.disk_mb_per_s * 1e6 / (p.bytes_per_receipt * (1 + p.wal_factor)), "another disk"),
        "network out of the primary, to standbys": (
            p.network_mb_per_s * 1e6 / (p.bytes_per_receipt * p.wal_factor * (p.database_nodes - 1)), "another network"),
        "network out of the replicas": (p.replicas * p.network_mb_per_s * 1e6 / p.answer_bytes, "more replicas"),
    }


def capacity(p):
    table = capacities(p)
    print(f"{p.replicas} replicas of {p.cores} cores; measured: {p.measured_rate:,} receipts/s on one machine")
    print(f"{'resource':<42}{'most calls/s':>14}{'x1':>8}{'x10':>8}{'x100':>8}{'x1000':>9}  raised by")
    for name, (most, by) in sorted(table.items(), key=lambda entry: entry[1][0]):
        shares = [f"{p.measured_rate * times / most:.2f}" for times in (1, 10, 100, 1000)]
        print(f"{name:<42}{most:>14,.0f}{shares[0]:>8}{shares[1]:>8}{shares[2]:>8}{shares[3]:>9}  {by}")
    first = min(table, key=lambda name: table[name][0])
    print(f"saturates first: {first}, at {table[first][0]:,.0f} calls/s")
    log = min(most for most, by in table.values() if "another log" in by)
    for times in (1, 10, 100, 1000):
        rate = p.measured_rate * times
        replicas = -(-rate * p.cpu_us_per_receipt // int(1e6 * p.cores * 0.7))
        logs = -(-rate // int(log * 0.7))
        terabytes = rate * p.bytes_per_receipt * 86400 / 1e12
        print(f"x{times}: {rate:,} receipts/s need {replicas:,} replicas and {logs:,} logs at 70% load, and {terabytes:,.1f} TB a day")


def cost(p):
    million = 1_000_000
    core_hours = million * p.cpu_us_per_receipt / 1e6 / 3600
    # A standby is taken to use as much as the primary.
    database_hours = p.database_nodes * million * p.database_cpu_us_per_receipt / 1e6 / 3600
    stored = million * p.bytes_per_receipt / 1e9
    kept = stored * p.database_nodes
    sent = million * p.answer_bytes / 1e9
    print("a million receipts:")
    print(f"  processor, service       {core_hours * 60:8.1f} core-minutes  {core_hours * p.usd_per_core_hour:8.4f} USD")
    print(f"  processor, database      {database_hours * 60:8.1f} core-minutes  {database_hours * p.usd_per_core_hour:8.4f} USD")
    print(f"  answers to callers       {sent:8.1f} GB            {sent * p.usd_per_gb_out:8.4f} USD")
    print(f"  disk, {p.database_nodes} nodes            {kept:8.1f} GB            {kept * p.usd_per_gb_month:8.4f} USD a month, for as long as they are kept")
    print(f"  written to each disk     {stored * (1 + p.wal_factor):8.1f} GB")
    year = (core_hours + database_hours) * p.usd_per_core_hour + sent * p.usd_per_gb_out + 12 * kept * p.usd_per_gb_month
    print(f"  all, with the first year of disk: {year:.2f} USD, {year / million * 100:.6f} cents a receipt")


class Lock:
    """A lock that is given in the order of asking; adds up the time for which it is held."""

    def __init__(self):
        self.free_at, self.busy = 0.0, 0.0

    def take(self, now, held):
        start = max(now, self.free_at)
        self.free_at = start + held
        self.busy += held
        return start


class Writer:
    """One task of a replica that writes batches under a lock, one at a time."""

    def __init__(self):
        self.waiting, self.writing, self.batches, self.records = deque(), False, 0, 0


def simulate(p):
    """Gives the latencies of the calls that are answered after the warm-up, in milliseconds, and the shares of time in use."""
    chance = random.Random(p.seed)
    events, order = [], 0
    head, gate = Lock(), Lock()
    logs, gates = [Writer() for _ in range(p.replicas)], [Writer() for _ in range(p.replicas)]
    ready = [deque() for _ in range(p.replicas)]
    working, in_hand, cpu_busy = [0] * p.replicas, [0] * p.replicas, 0.0
    latencies, answered, end = [], 0, p.seconds * 1e3
    warm = end * 0.2

    def at(time, what, *arguments):
        nonlocal order
        order += 1
        heapq.heappush(events, (time, order, what, arguments))

    def arrive(now):
        replica = min(range(p.replicas), key=lambda one: (in_hand[one], chance.random()))
        in_hand[replica] += 1
        gates[replica].waiting.append((now, replica))
        wake(now, replica, gates[replica], gate, gate_hold_ms, limited)
        if now < end:
            at(now + chance.expovariate(p.rate) * 1e3, arrive)

    def wake(now, replica, writer, lock, holds, then):
        """Asks for the lock where there is work and no batch is under way. The batch is what waits when the lock is given."""
        if writer.writing or not writer.waiting:
            return
        writer.writing = True
        given = max(now + p.rtt_ms / 2, lock.free_at)
        # Who asked first is served first: the place in the queue is taken now, its length when the lock is given.
        at(given, grant, replica, writer, lock, holds, then)

    def grant(now, replica, writer, lock, holds, then):
        if lock.free_at > now:
            at(lock.free_at, grant, replica, writer, lock, holds, then)
            return
        batch = [writer.waiting.popleft() for _ in range(min(p.batch, len(writer.waiting)))]
        held = holds(p, len(batch))
        lock.take(now, held)
        writer.batches += 1
        writer.records += len(batch)
        at(now + held + p.rtt_ms / 2, written, replica, writer, lock, holds, then, batch)

    def written(now, replica, writer, lock, holds, then, batch):
        writer.writing = False
        for call in batch:
            then(now, replica, call)
        wake(now, replica, writer, lock, holds, then)

    def limited(now, replica, call):
        ready[replica].append(call)
        work(now, replica)

    def work(now, replica):
        nonlocal cpu_busy
        while ready[replica] and working[replica] < p.cores:
            working[replica] += 1
            cpu_busy += p.cpu_us_per_receipt / 1e3
            at(now + p.cpu_us_per_receipt / 1e3, judged, replica, ready[replica].popleft())

    def judged(now, replica, call):
        working[replica] -= 1
        logs[replica].waiting.append(call)
        wake(now, replica, logs[replica], head, hold_ms, done)
        work(now, replica)

    def done(now, replica, call):
        nonlocal answered
        in_hand[replica] -= 1
        if now >= warm:
            answered += 1
            latencies.append(now - call[0])

    at(0.0, arrive)
    now = 0.0
    while events and events[0][0] <= end:
        now, _, what, arguments = heapq.heappop(events)
        what(now, *arguments)
    latencies.sort()
    batches = sum(writer.batches for writer in logs) or 1
    return {
        "answered": answered / (end - warm) * 1e3,
        "latencies": latencies,
        "batch": sum(writer.records for writer in logs) / batches,
        "head": min(1, head.busy / end),
        "gate": min(1, gate.busy / end),
        "cpu": cpu_busy / (end * p.replicas * p.cores),
    }


def quantile(ordered, share):
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def run(p):
    print(f"{'replicas':>8}{'calls/s':>10}{'answered/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'batch':>8}{'head':>7}{'gate':>7}{'cores':>7}  state")
    for replicas in p.replicas_list:
        for rate in p.rates:
            p.replicas, p.rate = replicas, rate
            found = simulate(p)
            p50, p99 = (quantile(found["latencies"], share) for share in (0.5, 0.99))
            state = "saturated" if found["answered"] < 0.97 * rate else "steady"
            print(f"{replicas:>8}{rate:>10,}{found['answered']:>12,.0f}{p50:>9.1f}{p99:>9.1f}{found['batch']:>8.1f}"
                  f"{found['head']:>7.2f}{found['gate']:>7.2f}{found['cpu']:>7.2f}  {state}")


def numbers(text):
    return [int(one) for one in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, command in (("capacity", capacity), ("cost", cost), ("run", run)):
        one = commands.add_parser(name)
        one.set_defaults(command=command)
        for parameter, value in (MEASURED | ASSUMED).items():
            one.add_argument("--" + parameter.replace("_", "-"), type=type(value), default=value, help=f"default {value}")
        if name == "run":
            one.add_argument("--replicas", dest="replicas_list", type=numbers, default=[3], help="such as 1,3,9")
            one.add_argument("--rate", dest="rates", type=numbers, required=True, help="calls a second, such as 1000,3000")
            one.add_argument("--seconds", type=float, default=3.0)
            one.add_argument("--seed", type=int, default=1)
        else:
            one.add_argument("--replicas", type=int, default=3)
    chosen = parser.parse_args()
    chosen.command(chosen)


if __name__ == "__main__":
    main()
