#!/usr/bin/env bash
# Latencies of the four routes over published records, whose sources have answered before: 300 questions each, one after the other.
#   bench/market.sh      after `cargo build --release -p touchstone`; prints p50 and p95 in milliseconds, as GET /stats has them
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
. ./scripts/notary.sh
need_python_peers
binary=$target/release/touchstone
serve_sources
TOUCHSTONE_CONFIG=$work/sources.toml TOUCHSTONE_LIMITS=off serve market
"$target/venv/bin/python" - "$base" <<'PYTHON'
import http.client
import json
import sys
from urllib.parse import urlsplit

connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc)
questions = {
    "distress-score": {"ticker": "EXAM", "supplement": {"market_value": "2500000000"}},
    "composite": {},
    "federal-register": {"term": "ozone", "types": ["RULE"]},
    "awards": {"group": "contracts", "agency": "DOE"},
}
for name, question in questions.items():
    for _ in range(300):
        connection.request("POST", f"/{name}", json.dumps({"agent": "bench", **question}))
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
connection.request("GET", "/stats")
by_class = json.load(connection.getresponse())["by_class"]
for name in questions:
    print(f"{name:18} p50 {by_class[name]['p50_ms']:8.1f} ms   p95 {by_class[name]['p95_ms']:8.1f} ms")
PYTHON
kill "$server"
