"""The verifier: holds what callers were told (the journal) against what the replicas and the store say afterwards."""

import hashlib
import itertools
import json
import sqlite3
import subprocess
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg

from . import tlog
from .cluster import Cluster
from .load import ALLOWANCE, Caller, Journal, payload_of
from .service import FIRST_PORT, ROLE, Service, status
from .system import Failed, say

FREE_CLASS = "claim-verdict"
DELIVERED, FAILED = 4, 5
# A replica may take this long after the last fault to be healthy.
HEALTHY_SECONDS = 30
# No receipt may be further off the harness's clock: over 2 s off the database's, a replica signs nothing.
CLOCK_SECONDS = 3


# Reads have limits too, by the caller's address and its /24: each comes from another one (RFC 2544).
ADDRESSES = itertools.cycle(f"198.{18 + high}.{middle}.{low}" for low in range(256) for high in range(2) for middle in range(256))


class Store:
    """The tables, read once the load is over."""

    def __init__(self, cluster: Cluster | None, service: Service):
        self.cluster, self.service = cluster, service

    def rows(self, query: str) -> list[tuple]:
        """The rows of a query that both back ends understand."""
        if self.cluster is None:
            connection = sqlite3.connect(self.service.store(0))
            try:
                return connection.execute(query).fetchall()
            finally:
                connection.close()
        with self.cluster.primary().connect(ROLE) as connection:
            return connection.execute(query).fetchall()

    def change(self, statement: str) -> None:
        """Changes rows: for ./spoil.py alone."""
        if self.cluster is None:
            with sqlite3.connect(self.service.store(0)) as connection:
                connection.execute(statement)
            return
        with self.cluster.primary().connect(ROLE) as connection:
            connection.execute(statement)

    def number(self, query: str) -> int:
        """The one number of a query; 0 where it is NULL."""
        return int(self.rows(query)[0][0] or 0)


class Verifier:
    """Collects figures, and what is wrong."""

    def __init__(self, service: Service, journal: Journal, store: Store, folder: Path):
        self.service, self.journal, self.store, self.folder = service, journal, store, folder
        self.wrong: list[str] = list(journal.wrong)
        self.figures: dict[str, object] = {}
        self.local = threading.local()

    def check(self) -> dict:
        """Runs all checks; returns the figures. `wrong` has what does not hold."""
        published = json.loads(self.get(0, "/.well-known/service.json"))
        self.vkey = find(published, "vkey")
        for step in (self.health, self.receipts, self.signatures, self.log, self.payments, self.free_calls):
            rule = step.__doc__.splitlines()[0]
            say(f"verifier: {rule}")
            try:
                step()
            except (Failed, OSError, ValueError, LookupError, psycopg.Error) as error:
                self.expect(False, f"could not be checked: {rule} {type(error).__name__}: {error}")
        for line in self.wrong[:20]:
            say(f"WRONG: {line}")
        self.figures["found wrong"] = len(self.wrong)
        return self.figures

    def get(self, number: int, path: str) -> bytes:
        """A GET of one replica, past nginx, with status 200."""
        with urllib.request.urlopen(self.service.address(number) + path, timeout=30) as answer:
            return answer.read()

    def expect(self, holds: bool, what: str) -> None:
        """Notes what is wrong where something does not hold."""
        if not holds:
            self.wrong.append(what)

    def health(self) -> None:
        """Each replica can issue receipts again."""
        for number in range(self.service.count):
            end, answer = time.monotonic() + HEALTHY_SECONDS, None
            while answer != 200 and time.monotonic() < end:
                answer = status(f"{self.service.address(number)}/health")
                time.sleep(0.5)
            self.expect(answer == 200, f"replica {number} is not healthy: its /health is {answer}")

    def receipts(self) -> None:
        """Every acknowledged receipt is there, with the same payload, in turn from all replicas."""
        receipts = list(self.journal.receipts.values())
        with ThreadPoolExecutor(8) as pool:
            bodies = list(pool.map(self.receipt, range(len(receipts)), (receipt.hash for receipt in receipts)))
        missing = 0
        with (self.folder / "served.jsonl").open("wb") as served:
            for receipt, body in zip(receipts, bodies):
                if body is None:
                    missing += 1
                    self.expect(False, f"the receipt {receipt.hash} of {receipt.agent} is not there")
                    continue
                off = max(receipt.ahead, receipt.behind)
                self.expect(off <= CLOCK_SECONDS, f"the time of the receipt {receipt.hash} of {receipt.agent} is {off:.1f} s off")
                self.expect(payload_of(json.loads(body)) == receipt.payload, f"the receipt {receipt.hash} has another payload")
                served.write(body.strip() + b"\n")
        self.figures["receipts acknowledged"] = len(receipts)
        self.figures["acknowledged receipts lost"] = missing

    def receipt(self, number: int, hash: str) -> bytes | None:
        """`GET /receipts/HASH` of the replica whose turn it is."""
        replica = number % self.service.count
        callers = self.local.__dict__.setdefault("callers", {})
        caller = callers.setdefault(replica, Caller(FIRST_PORT + replica))
        for _ in range(3):
            answer = caller.ask("GET", f"/receipts/{hash}", headers={"X-Forwarded-For": next(ADDRESSES)})
            if answer is not None and answer[0] in (200, 404):
                return answer[2] if answer[0] == 200 else None
        raise Failed(f"replica {replica} does not answer GET /receipts/{hash}: {answer and answer[0]}")

    def signatures(self) -> None:
        """`touchstone verify` holds all of them valid: as they were acknowledged, and as they are served now."""
        keys = self.folder / "jwks.json"
        keys.write_bytes(self.get(0, "/.well-known/jwks.json"))
        for name in ("acknowledged", "served"):
            command = [self.service.program, "verify", "--quiet", "--keys", keys, "--log-key", self.vkey,
                       self.folder / f"{name}.jsonl"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            self.expect(done.returncode == 0, f"touchstone verify {name}.jsonl: {(done.stdout + done.stderr)[-500:]}")

    def log(self) -> None:
        """All checkpoints that were handed out are of one tree, which all replicas serve."""
        heads = [tlog.read_checkpoint(self.get(number, "/log/checkpoint").decode(), self.vkey) for number in range(self.service.count)]
        size = max(head.size for head in heads)
        newest = heads.index(max(heads, key=lambda head: head.size))
        entries = self.entries(newest, size)
        leaves = [tlog.leaf_hash(entry) for entry in entries]
        roots = tlog.roots_of(leaves)
        handed_out = {}
        for note in self.journal.checkpoints:
            try:
                head = tlog.read_checkpoint(note, self.vkey)
            except ValueError as error:
                self.expect(False, f"a checkpoint was handed out that is none: {error}")
                continue
            self.expect(handed_out.setdefault(head.size, head.root) == head.root, f"two roots were signed for size {head.size}")
            self.expect(head.size <= size and roots[head.size] == head.root, f"the checkpoint of size {head.size} is not of the log")
        for number, head in enumerate(heads):
            self.expect(roots[head.size] == head.root, f"replica {number} has another log")
            self.tiles(number, leaves[: head.size])
        self.leaves(entries)
        self.figures["leaves of the log"] = size
        self.figures["checkpoints handed out, all of one tree"] = len(handed_out)

    def entries(self, number: int, size: int) -> list[bytes]:
        """All entries of the log, from one replica."""
        entries = []
        for index, width in tlog.tiles_of(size):
            bundle = self.get(number, f"/log/{tlog.tile_path('entries', index, width)}")
            entries += tlog.entries_of(bundle)
        if len(entries) != size:
            raise Failed(f"replica {number} serves {len(entries)} entries of {size}")
        return entries

    def tiles(self, number: int, leaves: list[bytes]) -> None:
        """The hash tiles of one replica are those of the leaves."""
        for level in range(2):
            hashes = tlog.tile_hashes(leaves, level)
            for index, width in tlog.tiles_of(len(leaves), level):
                path = tlog.tile_path(str(level), index, width)
                wanted = b"".join(hashes[index * tlog.WIDTH : index * tlog.WIDTH + width])
                self.expect(self.get(number, f"/log/{path}") == wanted, f"replica {number} serves another {path}")

    def leaves(self, entries: list[bytes]) -> None:
        """Each acknowledged receipt has a leaf of its own: the one that its proof names."""
        taken = Counter()
        for receipt in self.journal.receipts.values():
            index = int(receipt.proof.split("\nindex ", 1)[1].split("\n", 1)[0])
            taken[index] += 1
            hashed = hashlib.sha256(bytes.fromhex(receipt.hash)).hexdigest()
            is_its = index < len(entries) and json.loads(entries[index])["h"] == hashed
            self.expect(is_its, f"leaf {index} is not of the receipt {receipt.hash}")
        self.expect(not taken or max(taken.values()) == 1, "two receipts have one leaf")
        size = len(entries)
        for query in ("SELECT count(*) FROM receipts", "SELECT size FROM head", "SELECT sum(free + paid) FROM counts"):
            self.expect(self.store.number(query) == size, f"{query} is {self.store.number(query)}, and the log has {size} leaves")

    def payments(self) -> None:
        """Sums of payments equal sums of settlements, and each proof bought one receipt."""
        claims = self.store.rows("SELECT state, nonce, amount, receipt FROM claims")
        delivered = {bytes(nonce).hex(): (amount, bytes(receipt).hex()) for state, nonce, amount, receipt in claims if state == DELIVERED}
        self.expect(len(delivered) == sum(claim[0] == DELIVERED for claim in claims), "two claims were delivered for one proof")
        self.expect(len({receipt for _, receipt in delivered.values()}) == len(delivered), "two payments bought one receipt")
        for nonce, hash in self.journal.bought.items():
            self.expect(delivered.get(nonce, (0, ""))[1] == hash, f"the proof {nonce} bought {hash}, and the store has {delivered.get(nonce)}")
        self.expect(set(delivered) <= self.journal.signed_nonces, "a payment was delivered that nobody signed")
        open_claims = sum(claim[0] not in (DELIVERED, FAILED) for claim in claims)
        sums = {
            "claims delivered": sum(amount for amount, _ in delivered.values()),
            "transfers": self.store.number("SELECT sum(amount) FROM local_transfers"),
            "revenue": self.store.number("SELECT sum(income + bonds) FROM revenue"),
            "income of days": self.store.number(f"SELECT sum(income) FROM {'days' if self.store.cluster is None else 'incomes'}"),
            "settled by agents": self.store.number("SELECT sum(amount) FROM settled"),
        }
        for number in range(self.service.count):
            revenue = json.loads(self.get(number, "/stats"))["revenue"]["USDC"]
            sums[f"/stats of replica {number}"] = round(1_000_000 * float(revenue["total"]))
        self.expect(len(set(sums.values())) == 1 or open_claims > 0, f"sums of payments differ: {sums}")
        self.expect(open_claims == 0, f"{open_claims} payments were never finished")
        self.figures["payments acknowledged"] = len(self.journal.bought)
        self.figures["payments delivered, transfers of the same sum"] = f"{len(delivered)}, {sums['transfers'] / 1e6:.2f} USDC"

    def free_calls(self) -> None:
        """No free call was counted twice or given twice."""
        used, of_day = defaultdict(int), defaultdict(int)
        for day, key, amount in self.store.rows("SELECT day, id, amount FROM uses"):
            used[bytes(key)] += amount
            of_day[bytes(key)] = max(of_day[bytes(key)], amount)
        logged, given = Counter(), Counter(receipt.agent for receipt in self.journal.receipts.values() if receipt.nonce is None)
        for (payload,) in self.store.rows("SELECT payload FROM receipts"):
            logged[json.loads(bytes(payload))["agent"]] += 1
        total = 0
        for agent, network in self.journal.networks.items():
            key = short_hash("free", FREE_CLASS, f"{network}/32", agent)
            uses, total = used[key], total + used[key]
            text = f"{agent}: {given[agent]} acknowledged, {logged[agent]} logged, {uses} counted, {self.journal.unanswered[agent]} unanswered"
            # A receipt whose answer was lost on its way counts, and nobody has it.
            holds = given[agent] <= logged[agent] == uses <= given[agent] + self.journal.unanswered[agent]
            self.expect(holds and of_day[key] <= ALLOWANCE, f"free calls of {text}")
        self.figures["free calls: agents, acknowledged, counted"] = f"{len(self.journal.networks)}, {sum(given.values())}, {total}"


def short_hash(*parts: str) -> bytes:
    """Half of SHA-256 over length-prefixed parts, as the ledger names the budgets of free calls."""
    text = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
    return hashlib.sha256(text).digest()[:16]


def find(document, name: str):
    """The first value of a member of this name, however deep."""
    if isinstance(document, dict):
        if name in document:
            return document[name]
        document = list(document.values())
    if isinstance(document, list):
        for value in document:
            found = find(value, name)
            if found is not None:
                return found
    return None
