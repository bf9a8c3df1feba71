#!/usr/bin/env bash
# Scans labelled texts and secrets one after the other on this machine: Touchstone, gitleaks, detect-secrets, vard.
#   bench/safety/run.sh DIR     DIR holds safety/, as the suites read it; needs Rust, Go, Node and Python 3
set -euo pipefail
data=$(realpath "${1:?usage: bench/safety/run.sh DIR}")/safety
cd "$(dirname "$0")/../.."
. ./scripts/tools.sh
gitleaks_version=v8.30.0 vard_version=1.2.0
peers=$target/safety-peers
mkdir -p "$peers"
[ -x "$peers/gitleaks-$gitleaks_version" ] || {
    GOBIN=$peers go install "github.com/zricethezav/gitleaks/v8@$gitleaks_version"
    mv "$peers/gitleaks" "$peers/gitleaks-$gitleaks_version"
}
python_environment "$target/detect-secrets" bench/safety/requirements.txt
[ "$(node -p "require('$peers/node_modules/@andersmyrmel/vard/package.json').version" 2>/dev/null)" = "$vard_version" ] ||
    npm install --prefix "$peers" --ignore-scripts --no-audit --no-fund --loglevel error "@andersmyrmel/vard@$vard_version"
rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT

cargo run --release --quiet -p suites -- "$data/.." | grep '^suite safety/'
cargo bench --quiet -p safety
python="$target/detect-secrets/bin/python"
"$python" bench/safety/secrets.py rows "$data/secrets.jsonl" "$rows"
started=$(date +%s%N)
# Its status says whether it has found something.
"$peers/gitleaks-$gitleaks_version" dir "$rows" --no-banner --log-level error --exit-code 0 \
    --report-format json --report-path "$rows.json"
"$python" bench/safety/secrets.py gitleaks "$data/secrets.jsonl" "$rows.json" $(($(date +%s%N) - started))
rm -f "$rows.json"
"$python" bench/safety/secrets.py detect-secrets "$data/secrets.jsonl" "$rows"
ln -sfn "$peers/node_modules" "$rows/node_modules"
cp bench/safety/vard.mjs "$rows/"
node "$rows/vard.mjs" "$data"
