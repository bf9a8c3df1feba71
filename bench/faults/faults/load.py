"""The load: free calls under ever new agent names, and paid calls, through nginx; and the journal of what was acknowledged.

Every agent asks for more free calls than it has, at the same time over several connections, so that replicas race for the
last one. A call without an answer, or with one that nothing was done (503), is repeated; a paid one with the same proof.
"""

import copy
import http.client
import json
import queue
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .payments import payers, proof, terms_of
from .service import BASE, NGINX_PORT, Service
from .system import say, wait_until
from .writer import longest_gap

# Free calls of /claim-verdict that an agent has a day from its network, and how many each agent asks for.
ALLOWANCE, ASKED = 3, 5
# New agents a second, over all; each asks for ASKED calls.
AGENTS_PER_SECOND = 4
# A payer may send 60 calls a minute, repetitions included.
PAUSE_OF_PAYER = 1.5
ANSWER_SECONDS = 10
AGAIN_SECONDS = 0.3
# A free call is given up after these seconds; a paid one is repeated until the scenario's end, and then for as long.
GIVE_UP_SECONDS = 60
HANDS = 30

# Test 1 of RFC 8032: this key signed the empty message.
RESOLVER = {
    "type": "ed25519_signature",
    "message": "",
    "signature": "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==",
    "public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    "public_key_encoding": "base64",
}


@dataclass(frozen=True)
class Acknowledged:
    """A receipt that a caller was given."""

    hash: str
    agent: str
    network: str
    payload: str
    proof: str
    nonce: str | None
    # Seconds by which its time is after the answer, or before the question; a paid answer may have waited for its caller.
    ahead: float
    behind: float


@dataclass
class Journal:
    """What callers know. Everything here was read from an answer."""

    folder: Path
    receipts: dict[str, Acknowledged] = field(default_factory=dict)
    acknowledged_at: list[float] = field(default_factory=list)
    # The receipt that each proof of payment bought, by the proof's nonce.
    bought: dict[str, str] = field(default_factory=dict)
    checkpoints: set[str] = field(default_factory=set)
    statuses: Counter = field(default_factory=Counter)
    # Attempts at free calls by agent without an answer that says whether they counted.
    unanswered: Counter = field(default_factory=Counter)
    networks: dict[str, str] = field(default_factory=dict)
    # The receipts that were acknowledged last.
    newest: deque = field(default_factory=lambda: deque(maxlen=16))
    # The longest time from a caller's first question to its receipt by the kind of call, in seconds.
    longest_wait: dict[str, float] = field(default_factory=lambda: {"free": 0.0, "paid": 0.0})
    signed_nonces: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self):
        # Whole, as they were answered: `touchstone verify` reads this file.
        self.file = (self.folder / "acknowledged.jsonl").open("wb")
        # A line an answer: when, of what kind, its status, from which replica (through nginx).
        self.answers = (self.folder / "answers.csv").open("w")

    def acknowledge(self, body: bytes, agent: str, network: str, nonce: str | None, asked_at: float) -> None:
        """Notes a receipt that came with status 200."""
        moment = time.monotonic()
        receipt = json.loads(body)
        signed_at = datetime.fromisoformat(receipt["signed_at"]).timestamp()
        got = Acknowledged(receipt["receipt_hash"], agent, network, payload_of(receipt), receipt["proof"], nonce,
                           signed_at - time.time(), 0.0 if nonce else asked_at - signed_at)
        with self.lock:
            self.acknowledged_at.append(moment)
            before = self.bought.setdefault(nonce, got.hash) if nonce else got.hash
            if before != got.hash:
                self.wrong.append(f"the proof {nonce} bought {before} and {got.hash}")
            elif got.hash in self.receipts and not nonce:
                self.wrong.append(f"the receipt {got.hash} was given for two free calls")
            self.receipts.setdefault(got.hash, got)
            self.newest.append(got.hash)
            self.checkpoints.add(got.proof.split("\n\n", 1)[1])
            self.file.write(body.strip() + b"\n")

    def note_wait(self, kind: str, began: float) -> None:
        """Notes how long a caller waited for its receipt, repetitions included."""
        with self.lock:
            self.longest_wait[kind] = max(self.longest_wait[kind], time.monotonic() - began)

    def copy(self) -> "Journal":
        """A copy to spoil: what is spoiled in it stays out of the original."""
        other = copy.copy(self)
        for name in ("receipts", "bought", "checkpoints", "wrong"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def gap(self, since: float, until: float) -> float:
        """The longest time without a receipt between two moments, in seconds."""
        with self.lock:
            return longest_gap(self.acknowledged_at, since, until)


def payload_of(receipt: dict) -> str:
    """The part of a receipt that its hash is of, in one spelling."""
    outside = ("receipt_hash", "signature", "proof")
    return json.dumps({name: value for name, value in receipt.items() if name not in outside}, sort_keys=True)


class Caller:
    """One connection to nginx, made anew where it broke."""

    def __init__(self, port: int = NGINX_PORT):
        self.port = port
        self.connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: dict | None = None, headers: dict | None = None):
        """Returns status, headers and body; None where no answer came."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        given = {"Host": BASE.partition("//")[2], "Content-Type": "application/json"} | (headers or {})
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body), given)
            answer = self.connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            return None


class Load:
    """All callers."""

    def __init__(self, service: Service, folder: Path, with_money: bool):
        self.service = service
        self.journal = Journal(folder)
        self.wallets = payers(with_money)
        self.over = threading.Event()
        self.calls: queue.Queue = queue.Queue(HANDS)
        self.threads: list[threading.Thread] = []
        self.terms: dict | None = None

    def start(self) -> None:
        """Starts all callers, and waits for the first receipt of each kind."""
        answer = Caller().ask("POST", "/commit", {"agent": "asks-for-terms", "content": "?"})
        self.terms = terms_of(answer[1]["payment-required"])
        jobs = [(self.new_agents, ())] + [(self.hand, ())] * HANDS
        jobs += [(self.pay, (number, wallet)) for number, wallet in enumerate(self.wallets)]
        jobs += [(job, (number,)) for number in range(self.service.count) for job in (self.watch_log, self.read_back)]
        for target, arguments in jobs:
            thread = threading.Thread(target=target, args=arguments, name=target.__name__, daemon=True)
            thread.start()
            self.threads.append(thread)
        wait_until("a free and a paid receipt are acknowledged", lambda: self.journal.bought and len(self.journal.receipts) > 3, 30)

    def stop(self) -> None:
        """Lets calls under way end; payments are repeated until they are answered."""
        self.over.set()
        end = time.monotonic() + GIVE_UP_SECONDS + ANSWER_SECONDS + 5
        for thread in self.threads:
            thread.join(max(0.1, end - time.monotonic()))
            if thread.is_alive():
                say(f"a caller did not end: {thread.name}")
        with self.journal.lock:
            self.journal.file.close()
            self.journal.answers.close()

    def new_agents(self) -> None:
        """Has a new agent ask, again and again."""
        number = 0
        while not self.over.is_set():
            number += 1
            # Addresses for benchmarks (RFC 2544), of all /24 in turn, since a /24 has limits too. A name from another network
            # would be another agent.
            network = f"198.{18 + number // 256 % 2}.{number % 256}.{number // 512 % 256}"
            agent = f"free-{number}"
            self.journal.networks[agent] = network
            for call in range(ASKED):
                while not self.over.is_set():
                    try:
                        self.calls.put((agent, network, call), timeout=0.5)
                        break
                    except queue.Full:
                        continue
            self.over.wait(1 / AGENTS_PER_SECOND)

    def hand(self) -> None:
        """Makes free calls that wait."""
        caller = Caller()
        while not (self.over.is_set() and self.calls.empty()):
            try:
                agent, network, call = self.calls.get(timeout=0.5)
            except queue.Empty:
                continue
            self.free_call(caller, agent, network, call)

    def free_call(self, caller: Caller, agent: str, network: str, call: int) -> None:
        """One free call, repeated until it is answered for good."""
        body = {"agent": agent, "claim": f"This key signed the empty message; call {call}.", "resolver": RESOLVER}
        began = time.monotonic()
        end = began + GIVE_UP_SECONDS
        while time.monotonic() < end:
            asked_at = time.time()
            answer = caller.ask("POST", "/claim-verdict", body, {"X-Caller": network})
            self.count("free", answer)
            if answer is not None and answer[0] == 200:
                self.journal.acknowledge(answer[2], agent, network, None, asked_at)
                self.journal.note_wait("free", began)
                return
            if answer is None or not is_problem(answer):
                with self.journal.lock:
                    self.journal.unanswered[agent] += 1
            elif answer[0] != 503:
                return
            if self.over.wait(AGAIN_SECONDS):
                return

    def pay(self, number: int, wallet) -> None:
        """Pays for a commitment, again and again; every fourth is asked for twice, with one proof."""
        caller, count = Caller(), 0
        network = f"203.0.113.{number + 1}"
        while not self.over.is_set():
            count += 1
            body = {"agent": f"payer-{number}", "content": f"commitment {count} of payer {number}"}
            header, nonce = proof(wallet, self.terms)
            with self.journal.lock:
                self.journal.signed_nonces.add(nonce)
            for _ in range(2 if count % 4 == 0 else 1):
                self.paid_call(caller, body, header, nonce, network)
            self.over.wait(PAUSE_OF_PAYER)

    def paid_call(self, caller: Caller, body: dict, header: str, nonce: str, network: str) -> None:
        """One paid call, repeated with the same proof until it is answered for good."""
        began, end = time.monotonic(), None
        while end is None or time.monotonic() < end:
            answer = caller.ask("POST", "/commit", body, {"X-Caller": network, "PAYMENT-SIGNATURE": header})
            self.count("paid", answer)
            if answer is not None and answer[0] == 200:
                self.journal.acknowledge(answer[2], body["agent"], network, nonce, time.time())
                self.journal.note_wait("paid", began)
                return
            if answer is not None and answer[0] in (400, 402, 409) and is_problem(answer):
                problem = json.loads(answer[2])
                text = f"{problem.get('error') or problem.get('code')}: {problem.get('detail')}"
                # A proof that has waited through a long outage may be over: nothing was paid.
                if problem.get("error") != "expired":
                    with self.journal.lock:
                        self.journal.wrong.append(f"{time.strftime('%H:%M:%S')} the proof {nonce} was refused with {answer[0]}: {text}")
                return
            if self.over.is_set() and end is None:
                end = time.monotonic() + GIVE_UP_SECONDS
            time.sleep(1 if answer is not None and answer[0] == 429 else AGAIN_SECONDS)

    def watch_log(self, number: int) -> None:
        """Reads the checkpoint of one replica, again and again: what a witness would be given."""
        caller = Caller(int(self.service.address(number).rpartition(":")[2]))
        while not self.over.is_set():
            answer = caller.ask("GET", "/log/checkpoint")
            if answer is not None and answer[0] == 200:
                with self.journal.lock:
                    self.journal.checkpoints.add(answer[2].decode())
            self.over.wait(0.25)

    def read_back(self, number: int) -> None:
        """Reads what was acknowledged lately from one replica: whoever answered it, it must be there at once.

        A replica may give no answer while the store is away; but none that says that there is no such receipt, such as from
        a primary that stood still and does not know yet that another one leads.
        """
        caller = Caller(int(self.service.address(number).rpartition(":")[2]))
        count = 0
        while not self.over.wait(0.1):
            with self.journal.lock:
                hash = self.journal.newest[count % len(self.journal.newest)] if self.journal.newest else None
            if hash is None:
                continue
            count += 1
            # Reads have limits by address, too.
            answer = caller.ask("GET", f"/receipts/{hash}", headers={"X-Forwarded-For": f"198.51.100.{count % 250}"})
            self.count("read", answer)
            if answer is not None and answer[0] == 404:
                with self.journal.lock:
                    self.journal.wrong.append(f"{time.strftime('%H:%M:%S')} replica {number} did not find the acknowledged receipt {hash}")

    def count(self, kind: str, answer) -> None:
        """Counts an answer by its status."""
        status, replica = (answer[0], answer[1].get("X-Replica", "")) if answer else ("no answer", "")
        with self.journal.lock:
            self.journal.statuses[f"{kind} {status}"] += 1
            if not self.journal.answers.closed:
                self.journal.answers.write(f"{time.strftime('%H:%M:%S')},{kind},{status},{replica}\n")


def is_problem(answer) -> bool:
    """True where the notary itself said why not (a problem document), false where nginx did."""
    return answer[1].get("Content-Type", "").startswith("application/problem+json")
