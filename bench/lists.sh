#!/usr/bin/env bash
# Starts a notary over all lists of DIR (laid out as the suites read them), and prints the time from before the process is made to
# the first answer from all of them, and the memory that the process has then and after 200 questions.
#   bench/lists.sh DIR [ROUNDS]
set -euo pipefail
data=$(realpath "${1:?usage: bench/lists.sh DIR [ROUNDS]}")
rounds=${2:-5}
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
need_rust
cargo build --release --locked --quiet --package touchstone
touchstone=$target/release/touchstone
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
export TOUCHSTONE_DATA_DIR=$scratch/data TOUCHSTONE_LIMITS=off TOUCHSTONE_LISTEN=127.0.0.1:8499 TOUCHSTONE_LOG=warn
# The EU's acts and the tab-separated list of BIS are tables of others, read by maps of their columns.
cat >"$scratch/eu.json" <<'MAP'
{"list": "Acts of the EU", "name": "name", "aliases": ["alias", "previousName"], "weak_aliases": ["weakAlias"],
 "type": "schema", "types": {"Person": "person", "Organization": "entity", "Vessel": "vessel"}, "birth_dates": ["birthDate"],
 "countries": ["country", "nationality", "jurisdiction", "flag"], "programs": ["programKey"], "imo": "imoNumber",
 "addresses": ["address"], "remarks": "notes", "identifiers": {"passportNumber": "Passport", "idNumber": "ID"}}
MAP
import() {
    local code=0
    "$touchstone" lists import "$@" >"$scratch/import" || code=$?
    # A file without aliases is held, for one.
    if [ "$code" = 2 ]; then
        grep -o '"snapshot":"[0-9a-f]*"' "$scratch/import" | cut -d '"' -f 4 | while read -r id; do
            "$touchstone" lists accept "$id" >/dev/null
        done
    elif [ "$code" != 0 ]; then
        exit "$code"
    fi
    cat "$scratch/import" >>"$scratch/all"
}
import "$data/ofac/current/ofac-sdn.json.gz" "$data"/ofac/crypto/addresses-*.jsonl
import "$data/ofac/consolidated"
import "$data/lists/un/un-consolidated-2026-02-27.xml.gz"
import "$data/lists/uk/ofsi-conlist-2025-04.csv.gz"
import "$data/lists/ch"
import "$data/lists/us/csl-legacy-format-sample.csv"
import --columns "$scratch/eu.json" "$data/lists/eu/eu-journal-consolidated-2026-08.csv.gz"
lists=$(wc -l <"$scratch/all")
grep -o '"entries":[0-9]*\|"list":"[^"]*"' "$scratch/all" | paste -d ' ' - - | tr -d '"'
ask() { curl -sf "http://$TOUCHSTONE_LISTEN/screen-entity" -d "{\"agent\":\"bench\",\"entity\":\"$1\",\"limit\":1}"; }
memory() { awk '/VmRSS/ {printf "%d MB", $2 / 1000}' "/proc/$1/status"; }
for _ in $(seq "$rounds"); do
    began=$(date +%s%N)
    "$touchstone" dev >/dev/null 2>&1 &
    process=$!
    until [ "$(ask 'Nobody Whoever' | grep -o '"published"\|"age_seconds"' | grep -c age_seconds)" -gt "$lists" ]; do sleep 0.01; done
    took=$((($(date +%s%N) - began) / 1000000))
    loaded=$(memory $process)
    for number in $(seq 200); do ask "Nobody Whoever $number" >/dev/null; done
    echo "$lists lists loaded in $took ms with $loaded, $(memory $process) after 200 questions"
    kill $process
    wait $process 2>/dev/null || true
done
