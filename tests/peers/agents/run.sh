#!/usr/bin/env bash
# Has the clients that agents have ask a development notary, and pay it from its own money.
#
#   run.sh BASE_URL TARGET
#
# TARGET is the folder that `need_python_peers`, `need_x402_peers` and `need_agent_peers` of scripts/tools.sh fill.
set -euo pipefail
base=$1 target=$2
cd "$(dirname "$0")"
# The faucet wallet of the development profile: a key that the whole world has.
export PRIVATE_KEY=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
export PATH="$PATH:$target/peers/bin"

# a2a-sdk, and beside it the x402 client.
PYTHONPATH=$(echo "$target"/peers/python-v2/lib/python3*/site-packages) "$target/venv/bin/python" a2a_client.py "$base"
node a2a_client.mjs "$base"
node mpp_client.mjs "$base"
node discovery.mjs "$base"
