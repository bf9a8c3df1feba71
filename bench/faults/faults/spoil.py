"""Ways to spoil a run on purpose, each of which the verifier must find: a check that cannot fail proves nothing."""

import base64
import re
from dataclasses import replace

from cryptography.hazmat.primitives.serialization import load_pem_private_key

from .load import Journal
from .service import Service
from .verify import Store


A_TRANSFER = "name = (SELECT name FROM local_transfers ORDER BY name LIMIT 1)"


def lost(journal: Journal, store: Store, service: Service) -> None:
    """A receipt was acknowledged that nobody has."""
    receipt = next(iter(journal.receipts.values()))
    journal.receipts["0" * 64] = replace(receipt, hash="0" * 64)


def altered(journal: Journal, store: Store, service: Service) -> None:
    """A receipt is served with another payload than the acknowledged one."""
    hash, receipt = next(iter(journal.receipts.items()))
    journal.receipts[hash] = replace(receipt, payload=receipt.payload.replace(receipt.agent, "another"))


def ahead(journal: Journal, store: Store, service: Service) -> None:
    """A replica signed in a time that was not yet."""
    hash, receipt = next(iter(journal.receipts.items()))
    journal.receipts[hash] = replace(receipt, ahead=3600.0)


def forked(journal: Journal, store: Store, service: Service) -> None:
    """The log's own key signed another root for a size."""
    key = load_pem_private_key((service.keys / "log.pem").read_bytes(), None)
    text, _, signatures = next(note for note in journal.checkpoints if "\n0\n" not in note).partition("\n\n")
    origin, size, _ = text.split("\n")
    text = f"{origin}\n{size}\n{base64.b64encode(bytes(32)).decode()}"
    _, name, signature = signatures.strip().split(" ")
    key_id = base64.b64decode(signature)[:4]
    signed = base64.b64encode(key_id + key.sign(text.encode() + b"\n")).decode()
    journal.checkpoints.add(f"{text}\n\n\u2014 {name} {signed}\n")


def unpaid(journal: Journal, store: Store, service: Service) -> None:
    """A payment was acknowledged that the store does not have."""
    journal.bought["0" * 64] = next(iter(journal.receipts))


def money(journal: Journal, store: Store, service: Service) -> str:
    """The store moved money that no claim explains. Returns the statement that undoes it, as the next ones do."""
    store.change(f"UPDATE local_transfers SET amount = amount + 1 WHERE {A_TRANSFER}")
    return f"UPDATE local_transfers SET amount = amount - 1 WHERE {A_TRANSFER}"


def counted(journal: Journal, store: Store, service: Service) -> str:
    """A free call was counted twice."""
    store.change("UPDATE uses SET amount = 1003 WHERE amount = 3")
    return "UPDATE uses SET amount = 3 WHERE amount = 1003"


def given(journal: Journal, store: Store, service: Service) -> str:
    """A free call was given that was not counted."""
    store.change("UPDATE uses SET amount = -2 WHERE amount = 3")
    return "UPDATE uses SET amount = 3 WHERE amount = -2"


SPOILS = {spoil.__name__: spoil for spoil in (lost, altered, ahead, forked, unpaid, money, counted, given)}

# What the verifier must say of each.
FOUND = {
    "lost": r"is not there",
    "altered": r"has another payload",
    "ahead": r"is 3600.0 s off",
    "forked": r"two roots were signed|is not of the log",
    "unpaid": r"the store has None",
    "money": r"sums of payments differ",
    "counted": r"free calls of",
    "given": r"free calls of",
}


def is_found(name: str, wrong: list[str]) -> bool:
    """True where the verifier found what was spoiled."""
    return any(re.search(FOUND[name], line) for line in wrong)
