#!/usr/bin/env bash
# Has litewitness cosign our checkpoints, and torchwood verify our proof under our published policy. Another log's witness of
# ours, `touchstone witness`, is the second of the quorum.
#
#   run.sh BINARY FOLDER, where FOLDER takes the data
set -euo pipefail
binary=$(realpath "$1") folder=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/tools.sh"
need_go
mkdir -p "$folder"
# A path of a socket is short.
short=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait; rm -rf "$short"' EXIT

# Waits until a line of a file matches, and prints what is after the match.
await() {
    for _ in $(seq 1200); do
        found=$(sed -n "s|^.*$2||p" "$1" | head -1)
        [ -n "$found" ] && { echo "$found"; return 0; }
        sleep 0.05
    done
    echo "$1 never said $2" >&2
    cat "$1" >&2
    return 1
}

# The notary: first without a policy, which needs its key.
serve() {
    "$binary" dev --listen 127.0.0.1:0 --data-dir "$folder/notary" --base-url https://notary.example "$@" \
        >"$folder/notary.out" 2>"$folder/notary.err" &
    notary=$!
    started+=("$notary")
    base=$(await "$folder/notary.out" "listening on ")
}
mkdir -p "$folder/notary"
printf '[trust]\nname_servers = "127.0.0.1:1"\n' >"$folder/notary/touchstone.toml"
serve
vkey=$("$binary" keys log --data-dir "$folder/notary" --base-url https://notary.example)
kill "$notary"; wait "$notary" || true
: >"$folder/notary.out"

# litewitness, whose key is in an ssh-agent.
ssh-keygen -q -t ed25519 -N '' -C witness -f "$short/key"
ssh-agent -a "$short/agent" -D >/dev/null 2>&1 &
started+=("$!")
for _ in $(seq 1200); do [ -S "$short/agent" ] && break; sleep 0.05; done
[ -S "$short/agent" ] || { echo "ssh-agent makes no socket" >&2; exit 1; }
SSH_AUTH_SOCK=$short/agent ssh-add -q "$short/key"
fingerprint=$(ssh-keygen -l -f "$short/key.pub" | cut -d' ' -f2)
# Its tool for that, witnessctl, is of more modules, which not every mirror has.
python3 - "$short/db" "$vkey" <<'PYTHON'
import sqlite3, sys

path, vkey = sys.argv[1:]
with sqlite3.connect(path) as store:
    store.execute("CREATE TABLE log (origin TEXT PRIMARY KEY, tree_size INTEGER NOT NULL, tree_hash TEXT NOT NULL)")
    store.execute("CREATE TABLE key (origin TEXT NOT NULL, key TEXT NOT NULL, FOREIGN KEY(origin) REFERENCES log(origin))")
    # The root of the empty tree: the SHA-256 of nothing.
    empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    store.execute("INSERT INTO log (origin, tree_size, tree_hash) VALUES ('notary.example/log', 0, ?)", (empty,))
    store.execute("INSERT INTO key (origin, key) VALUES ('notary.example/log', ?)", (vkey,))
store.close()
PYTHON
# Starts it on a port that is free; fails where it ends, as it does if another process has taken the port meanwhile.
start_litewitness() {
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$target/go/bin/litewitness" -db "$short/db" -ssh-agent "$short/agent" -name litewitness.example/w -key "$fingerprint" \
        -listen "127.0.0.1:$port" >"$folder/litewitness.out" 2>&1 &
    local process=$!
    started+=("$process")
    for _ in $(seq 1200); do
        sleep 0.05
        kill -0 "$process" 2>/dev/null || return 1
        curl --silent "http://127.0.0.1:$port/" | grep -q litewitness.example/w && return 0
    done
    return 1
}
start_litewitness || start_litewitness || { cat "$folder/litewitness.out" >&2; exit 1; }
lite=$(await "$folder/litewitness.out" 'vkey=')
lite=${lite//\"/}

# And ours.
echo "log $vkey" >"$folder/logs"
"$binary" witness --logs "$folder/logs" --name ours.example --key-file "$folder/key" --store "$folder/store" \
    --listen 127.0.0.1:0 >"$folder/witness.out" 2>"$folder/witness.err" &
started+=("$!")
ours=$(await "$folder/witness.out" 'listening on ')
our_vkey=$(sed -n 's/^witness ours.example \([^ ]*\) .*/\1/p' "$folder/witness.out")

cat >"$folder/policy" <<POLICY
witness lite $lite http://127.0.0.1:$port/
witness ours $our_vkey $ours/
group both all lite ours
quorum both
POLICY
serve --log-policy "$folder/policy"
curl --silent --show-error --fail --json '{"agent": "peer", "claim": "it is signed", "resolver": {"type": "ed25519_signature",
    "message": "72", "message_encoding": "hex",
    "signature": "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    "signature_encoding": "hex", "public_key": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "public_key_encoding": "hex"}}' "$base/claim-verdict" >"$folder/receipt.json"
hash=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["receipt_hash"])' "$folder/receipt.json")
curl --silent --show-error --fail --retry 60 --retry-delay 1 "$base/receipts/$hash.tlog-proof" >"$folder/proof"
curl --silent --show-error --fail "$base/log/policy" >"$folder/published"
grep -q '^— litewitness.example/w ' "$folder/proof"
(cd "$here" && go build -o "$folder/witnessed" ../../../docs/verify/witnessed.go)
"$folder/witnessed" "$folder/published" "$folder/receipt.json" "$folder/proof"
# And it refuses a proof that one of the two has not cosigned.
grep -v '^— ours.example ' "$folder/proof" >"$folder/half"
if "$folder/witnessed" "$folder/published" "$folder/receipt.json" "$folder/half" 2>/dev/null; then
    echo "half of a quorum was taken for one" >&2
    exit 1
fi
# The script of docs/verify says the same: 0 for a quorum, 2 for half of it, 1 for a cosignature that is not of its witness.
python=$target/venv/bin/python
if [ -x "$python" ]; then
    says() {
        local code=0
        "$python" "$here/../../../docs/verify/witnesses.py" "$1" "$folder/published" >"$folder/said" 2>&1 || code=$?
        [ "$code" = "$2" ] || { echo "witnesses.py says $code of $1:" >&2; cat "$folder/said" >&2; return 1; }
    }
    says "$folder/proof" 0
    says "$folder/half" 2
    # One key under two names would be two witnesses.
    sed "/^witness ours /p; s/^witness ours /witness again /" "$folder/published" >"$folder/doubled"
    mv "$folder/published" "$folder/honest"
    mv "$folder/doubled" "$folder/published"
    says "$folder/proof" 2
    # Policies that are none: a group that needs nobody, two quorums, a witness in two groups.
    for change in 's/^quorum .*/group zero 0 ours\nquorum zero/' 's/^quorum .*/quorum ours\nquorum ours/' \
        's/^quorum .*/group a any ours\ngroup b any ours\nquorum b/'; do
        sed -e '/^group /d' -e "$change" "$folder/honest" >"$folder/published"
        says "$folder/proof" 2
    done
    mv "$folder/honest" "$folder/published"
    # The signature of ours, with one digit of its base64 changed.
    python3 - "$folder/proof" >"$folder/forged" <<'PYTHON'
import re, sys

proof = open(sys.argv[1], encoding="utf-8").read()
other = lambda digit: "B" if digit == "A" else "A"
sys.stdout.reconfigure(encoding="utf-8")
print(re.sub("(\u2014 ours.example .{50})(.)", lambda line: line[1] + other(line[2]), proof), end="")
PYTHON
    says "$folder/forged" 1
fi
echo "litewitness: it has cosigned our checkpoint"
