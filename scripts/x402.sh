#!/usr/bin/env bash
# The four x402 clients, unmodified, pay the real binary; and the contracts' artifact is what their sources compile to.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
. ./scripts/notary.sh
export PATH="$target/peers/bin:$PATH"

serve x402
python3 tests/peers/x402/pay_all.py "$base" "$target/peers"
kill "$server"; wait "$server"

node tests/peers/x402/compile.mjs --check tests/peers/x402/contracts.json
