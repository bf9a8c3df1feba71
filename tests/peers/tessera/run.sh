#!/usr/bin/env bash
# Has Tessera's fsck verify our log over HTTP, and our monitor follow a log that Tessera's posix example makes.
#
#   run.sh BINARY FOLDER BASE, where FOLDER takes the data, and BASE is the address of a notary with receipts
set -euo pipefail
binary=$(realpath "$1") folder=$2 base=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/tools.sh"
tools=$target/go/bin
mkdir -p "$folder"
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait' EXIT

# Runs fsck on a log: it says what is wrong, and ends with 0 all the same.
fsck() {
    timeout 120 "$tools/fsck" --storage_url "$1" --public_key "$folder/vkey" --ui=false --N 4 --v=1 \
        >"$folder/fsck.out" 2>&1 && ! grep -q 'fsck failed' "$folder/fsck.out" && grep -q 'Completed ranges' "$folder/fsck.out"
}

# Our log, of more than a full tile; and the same with a bundle of another log's, which fsck must not take.
cat >"$folder/question.json" <<'JSON'
{"agent": "tessera", "claim": "it is signed", "resolver": {"type": "ed25519_signature", "message": "72", "message_encoding": "hex",
 "signature": "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
 "signature_encoding": "hex", "public_key": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
 "public_key_encoding": "hex"}}
JSON
seq 300 | xargs -P 4 -I {} curl --silent --show-error --fail --json "@$folder/question.json" --output /dev/null \
    "$base/claim-verdict"
curl --silent --show-error --fail "$base/.well-known/service.json" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["log"]["vkey"], end="")' >"$folder/vkey"
fsck "$base/log/" || { cat "$folder/fsck.out" >&2; exit 1; }
"$binary" mirror "$base/log" --log-key "$(cat "$folder/vkey")" --to "$folder/mirror" --quiet >/dev/null
fsck "file://$folder/mirror/" || { cat "$folder/fsck.out" >&2; exit 1; }
bundle=$folder/mirror/tile/entries/000
chmod u+w "$bundle"
python3 - "$bundle" <<'PYTHON'
import sys

with open(sys.argv[1], "r+b") as bundle:
    bundle.seek(20)
    byte = bundle.read(1)
    bundle.seek(20)
    bundle.write(bytes([byte[0] ^ 1]))
PYTHON
if fsck "file://$folder/mirror/"; then
    echo "fsck took a log with a changed entry" >&2
    exit 1
fi

# A foreign log: a key as golang.org/x/mod/sumdb/note reads it, and entries that are no receipts.
openssl genpkey -algorithm ed25519 -outform DER -out "$folder/key.der" 2>/dev/null
openssl pkey -in "$folder/key.der" -inform DER -pubout -outform DER -out "$folder/public.der" 2>/dev/null
python3 - "$folder" <<'PYTHON'
import base64, hashlib, pathlib, sys

folder, name = pathlib.Path(sys.argv[1]), "tessera.example/log"
seed = (folder / "key.der").read_bytes()[-32:]
public = b"\x01" + (folder / "public.der").read_bytes()[-32:]
key_hash = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4].hex()
encoded = lambda key: base64.b64encode(key).decode()
(folder / "foreign.key").write_text(f"PRIVATE+KEY+{name}+{key_hash}+{encoded(bytes([1]) + seed)}")
(folder / "foreign.vkey").write_text(f"{name}+{key_hash}+{encoded(public)}")
for batch, size in [("first", 300), ("second", 7), ("other", 320)]:
    (folder / batch).mkdir(exist_ok=True)
    for number in range(size):
        (folder / batch / f"{number:04}").write_text(f"{batch} entry {number}")
PYTHON
add() {
    "$tools/posix-oneshot" --storage_dir "$folder/foreign" --private_key "$folder/foreign.key" --entries "$folder/$1/*" \
        >"$folder/oneshot.out" 2>&1 || { cat "$folder/oneshot.out" >&2; return 1; }
}
monitor() {
    "$binary" monitor "http://127.0.0.1:$port" --opaque --log-key "$(cat "$folder/foreign.vkey")" --state "$folder/state" --quiet
}
add first
python3 -u -m http.server --bind 127.0.0.1 --directory "$folder/foreign" 0 >"$folder/http.out" 2>&1 &
started+=("$!")
for _ in $(seq 1200); do
    port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$folder/http.out")
    [ -n "$port" ] && break
    sleep 0.05
done
[ -n "$port" ] || { echo "the server of the foreign log does not listen" >&2; cat "$folder/http.out" >&2; exit 1; }
monitor | grep -q 'verified: 300 leaves, 300 of them new'
add second
monitor | grep -q 'verified: 307 leaves, 7 of them new'
# Another log under the same key is an alarm, with a proof.
rm -r "$folder/foreign"
add other
if monitor >"$folder/alarm.out"; then
    echo "the monitor took another log for the one that it knows" >&2
    exit 1
fi
"$binary" monitor --check "$folder"/state/contradiction-*.json --log-key "$(cat "$folder/foreign.vkey")" >/dev/null
echo "Tessera: fsck holds our log, and our monitor follows one of its"
