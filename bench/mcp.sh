#!/usr/bin/env bash
# The time of a call over MCP beside that of the same call over HTTP: questions to /scan-text, one after the other, on two
# connections in turn.
#   bench/mcp.sh                  after `cargo build --release -p touchstone`; BINARY names another one
#   bench/mcp.sh --calls 2000     the number of pairs for each text
# Prints the median times and the median of the pairs' ratios. It fails where that is over the goal.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
. ./scripts/notary.sh
binary=${BINARY:-$target/release/touchstone}
TOUCHSTONE_LIMITS=off serve mcp
python3 - "$base" "$@" <<'PYTHON'
import argparse
import http.client
import json
import random
import socket
import statistics
import sys
import time
from urllib.parse import urlsplit

VERSION, GOAL = "2026-07-28", 1.15
options = argparse.ArgumentParser()
options.add_argument("base")
options.add_argument("--calls", type=int, default=1000)
options = options.parse_args()


class Connection:
    """A connection on which one request after the other is timed, from before it is sent until its answer is read."""

    def __init__(self):
        self.http = http.client.HTTPConnection(urlsplit(options.base).netloc)
        self.http.connect()
        self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def time(self, path, body, headers):
        started = time.perf_counter()
        self.http.request("POST", path, body, headers)
        answer = self.http.getresponse()
        text = answer.read()
        took = time.perf_counter() - started
        assert answer.status == 200, text
        return took, json.loads(text)


def over_http(connection, question):
    took, receipt = connection.time("/scan-text", json.dumps(question), {"Content-Type": "application/json"})
    assert receipt["class"] == "scan-text", receipt
    return took


def over_mcp(connection, question):
    own = "io.modelcontextprotocol"
    meta = {f"{own}/protocolVersion": VERSION, f"{own}/clientCapabilities": {}}
    call = {"name": "scan-text", "arguments": question, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    named = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": "scan-text"}
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    took, answer = connection.time("/mcp", body, accepted | named)
    assert answer["result"]["structuredContent"]["class"] == "scan-text", answer
    return took


def measure(text):
    """The times of pairs of calls, the first ones left out. Which call of a pair comes first is drawn by lot."""
    ways = [(over_http, Connection()), (over_mcp, Connection())]
    times = {over_http: [], over_mcp: []}
    for _ in range(options.calls + 100):
        for way, connection in random.sample(ways, 2):
            times[way].append(way(connection, {"agent": "bench", "text": text}))
    return times[over_http][100:], times[over_mcp][100:]


words = "The weather in Paris was sunny, with 21 degrees and a light wind from the west. "
missed = False
for name, text in [("80 characters", words), ("4,000 characters", words * 50), ("40,000 characters", words * 500)]:
    plain, mcp = measure(text)
    ratio = statistics.median(second / first for first, second in zip(plain, mcp))
    missed |= ratio > GOAL
    plain, mcp = (1000 * statistics.median(times) for times in (plain, mcp))
    print(f"{name:18} HTTP {plain:7.3f} ms   MCP {mcp:7.3f} ms   ratio {mcp / plain:.3f}, of the pairs {ratio:.3f}")
sys.exit(missed)
PYTHON
kill "$server"
