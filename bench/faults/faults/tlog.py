"""A reader of the log: tiles (C2SP tlog-tiles), the Merkle tree (RFC 6962), checkpoints (C2SP signed-note, tlog-checkpoint)."""

import base64
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

WIDTH = 256


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def roots_of(leaves: list[bytes]) -> list[bytes]:
    """The root of the tree of each size, from 0 to all leaves."""
    roots = [hashlib.sha256(b"").digest()]
    # The perfect subtrees from left to right, each with its height.
    edge: list[tuple[int, bytes]] = []
    for leaf in leaves:
        edge.append((0, leaf))
        while len(edge) > 1 and edge[-2][0] == edge[-1][0]:
            (height, left), (_, right) = edge[-2:]
            edge[-2:] = [(height + 1, node_hash(left, right))]
        root = edge[-1][1]
        for _, left in reversed(edge[:-1]):
            root = node_hash(left, root)
        roots.append(root)
    return roots


def tile_path(level: str, index: int, width: int) -> str:
    """The path of a tile below the log's prefix: tile/LEVEL/x001/x234/067.p/WIDTH."""
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return f"tile/{level}/{'/'.join(groups)}" + (f".p/{width}" if width < WIDTH else "")


def entries_of(bundle: bytes) -> list[bytes]:
    """The entries of a bundle, each after its length of two bytes."""
    entries, at = [], 0
    while at < len(bundle):
        length = int.from_bytes(bundle[at : at + 2], "big")
        entry = bundle[at + 2 : at + 2 + length]
        if len(entry) != length:
            raise ValueError(f"the bundle ends within entry {len(entries)}")
        entries.append(entry)
        at += 2 + length
    return entries


def tiles_of(size: int, level: int = 0) -> list[tuple[int, int]]:
    """Index and width of each tile of a level, in a tree of a size."""
    count = size >> (8 * level)
    full, rest = divmod(count, WIDTH)
    return [(index, WIDTH) for index in range(full)] + ([(full, rest)] if rest else [])


def tile_hashes(leaves: list[bytes], level: int) -> list[bytes]:
    """The hashes of a tile level: the roots of full subtrees of 256 to the power of `level` leaves."""
    hashes = leaves
    for _ in range(level):
        hashes = [roots_of(hashes[at : at + WIDTH])[-1] for at in range(0, len(hashes) - WIDTH + 1, WIDTH)]
    return hashes


@dataclass(frozen=True)
class Checkpoint:
    """A signed tree head, whose signature holds."""

    size: int
    root: bytes


def read_checkpoint(note: str, vkey: str) -> Checkpoint:
    """Reads a checkpoint under the log's verifier key; raises ValueError where it is none."""
    origin, key_id, key = vkey.split("+", 2)
    public = base64.b64decode(key)
    text, _, signatures = note.partition("\n\n")
    named, size, root = text.split("\n")[:3]
    if named != origin:
        raise ValueError(f"the checkpoint is of {named}, not of {origin}")
    for line in signatures.splitlines():
        _, name, signature = line.split(" ")
        signed = base64.b64decode(signature)
        if name == origin and signed[:4].hex() == key_id:
            try:
                Ed25519PublicKey.from_public_bytes(public[1:]).verify(signed[4:], text.encode() + b"\n")
            except InvalidSignature as error:
                raise ValueError("the signature of the checkpoint does not hold") from error
            return Checkpoint(int(size), base64.b64decode(root))
    raise ValueError("the checkpoint has no signature of the log")
