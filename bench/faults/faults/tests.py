"""Tests of what the harness judges by: target/faults/venv/bin/python -m unittest faults.tests, in bench/faults."""

import base64
import hashlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import tlog
from .report import spread
from .verify import find, short_hash
from .writer import longest_gap


def root_by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, word by word."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return tlog.node_hash(root_by_definition(leaves[:split]), root_by_definition(leaves[split:]))


class Log(unittest.TestCase):
    leaves = [tlog.leaf_hash(str(number).encode()) for number in range(70)]

    def test_the_root_of_each_size_is_that_of_the_rfc(self):
        roots = tlog.roots_of(self.leaves)
        self.assertEqual(roots, [root_by_definition(self.leaves[:size]) for size in range(len(self.leaves) + 1)])

    def test_paths_of_tiles_are_those_of_the_specification(self):
        self.assertEqual(tlog.tile_path("0", 1_234_067, 256), "tile/0/x001/x234/067")
        self.assertEqual(tlog.tile_path("entries", 1_000, 5), "tile/entries/x001/000.p/5")
        self.assertEqual(tlog.tiles_of(513), [(0, 256), (1, 256), (2, 1)])
        self.assertEqual(tlog.tiles_of(513, 1), [(0, 2)])

    def test_a_tile_of_level_1_holds_the_roots_of_full_tiles(self):
        leaves = self.leaves * 10
        self.assertEqual(tlog.tile_hashes(leaves, 1), [root_by_definition(leaves[:256]), root_by_definition(leaves[256:512])])

    def test_a_bundle_that_is_cut_off_is_refused(self):
        self.assertEqual(tlog.entries_of(b"\0\1a\0\2bc"), [b"a", b"bc"])
        with self.assertRaises(ValueError):
            tlog.entries_of(b"\0\1a\0\2b")

    def test_a_checkpoint_counts_under_the_key_of_its_log_alone(self):
        key = Ed25519PrivateKey.generate()
        public = b"\1" + key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        origin, root = "notary.example/log", base64.b64encode(bytes(32)).decode()
        key_id = hashlib.sha256(origin.encode() + b"\n" + public).digest()[:4]
        text = f"{origin}\n7\n{root}\n"
        signature = base64.b64encode(key_id + key.sign(text.encode())).decode()
        vkey = f"{origin}+{key_id.hex()}+{base64.b64encode(public).decode()}"
        note = f"{text}\n\u2014 {origin} {signature}\n"
        self.assertEqual(tlog.read_checkpoint(note, vkey), tlog.Checkpoint(7, bytes(32)))
        for spoiled in (note.replace("\n7\n", "\n8\n"), note.replace("\u2014 notary", "\u2014 other"), note.replace("notary", "other")):
            with self.assertRaises(ValueError):
                tlog.read_checkpoint(spoiled, vkey)


class Figures(unittest.TestCase):
    def test_a_gap_that_is_still_open_counts_to_the_end(self):
        self.assertEqual(longest_gap([0, 1, 2, 10, 11], 1, 11), 8)
        self.assertEqual(longest_gap([0, 1, 2], 2, 7), 5)
        self.assertEqual(longest_gap([], 2, 7), 5)

    def test_a_gap_that_began_before_the_fault_counts_whole(self):
        self.assertEqual(longest_gap([0, 4], 3, 5), 4)

    def test_a_spread_is_the_median_with_its_ends(self):
        self.assertEqual(spread([3, 1, 2]), "2.0 (1.0 to 3.0)")

    def test_budgets_of_free_calls_are_named_as_the_ledger_names_them(self):
        text = b"".join(len(part).to_bytes(8, "big") + part for part in (b"free", b"claim-verdict", b"198.18.0.1/32", b"a"))
        self.assertEqual(short_hash("free", "claim-verdict", "198.18.0.1/32", "a"), hashlib.sha256(text).digest()[:16])

    def test_a_member_is_found_however_deep(self):
        self.assertEqual(find({"a": [{"b": 1}, {"vkey": "k"}]}, "vkey"), "k")


class Throttle(unittest.TestCase):
    def test_a_connection_is_as_slow_as_the_file_says(self):
        server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=echo, args=(server,), daemon=True).start()
        port = free_port()
        with tempfile.TemporaryDirectory() as folder:
            bounds = Path(folder) / "throttle"
            bounds.write_text("0 0")
            command = [sys.executable, "-m", "faults.throttle", bounds, str(port), f"127.0.0.1:{server.getsockname()[1]}"]
            proxy = subprocess.Popen(command)
            try:
                time.sleep(1)
                fast = seconds_of_echo(port)
                bounds.write_text("0 0.3")
                time.sleep(1)
                slow = seconds_of_echo(port)
            finally:
                proxy.kill()
                proxy.wait()
        # Late once in each direction.
        self.assertLess(fast, 0.3)
        self.assertGreaterEqual(slow, 0.6)


def echo(server: socket.socket) -> None:
    """Sends back what comes first on each connection."""
    while True:
        with server.accept()[0] as connection:
            connection.sendall(connection.recv(100))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def seconds_of_echo(port: int) -> float:
    """The time of a few bytes through the proxy and back."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"hello")
        assert connection.recv(100) == b"hello"
    return time.monotonic() - began


if __name__ == "__main__":
    unittest.main()
