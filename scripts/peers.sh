#!/usr/bin/env bash
# Runs the real binary with peers, most of them in Python: the documentation's own lines, deploy/, verifiers, the MCP and A2A SDKs,
# schemathesis. Two rows of parts run side by side, since most parts wait; the time of each part is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
. ./scripts/notary.sh
python=$target/venv/bin/python
server=
# The sources of records know days without a zone, and a notary's days are those of UTC.
export TZ=UTC

stop() { kill "$@"; wait "$@" || true; }

# The documentation's own lines.
documentation() {
    TOUCHSTONE_CONFIG=$work/sources.toml serve docs
    "$python" tests/peers/docs.py "$base" "$work/docs" "$binary" README.md docs/*.md
    "$python" tests/peers/questions.py "$base"
    stop "$server"
}

# The recipes, as a reader runs them; then against a notary that must not be believed.
recipes() {
    [ -e "$target/recipes/requirements.txt" ] || return 0
    serve recipes
    "$target/recipes/bin/python" tests/peers/docs.py "$base" "$work/recipes" "$binary" docs/recipes.md docs/recipes/*.md
    stop "$server"
    TOUCHSTONE_LIMITS=off serve other
    other=$base others=$server
    TOUCHSTONE_LIMITS=off serve believed
    "$target/recipes/bin/python" tests/peers/recipes.py "$base" "$other" "$work/believed" "$binary"
    stop "$server" "$others"
}

# Other forms of a receipt, as the libraries of their formats read them.
forms() {
    [ -e "$target/forms/installed-lock.json" ] || return 0
    TOUCHSTONE_LIMITS=off serve forms
    "$target/forms/python/bin/python" tests/peers/forms/cose.py "$base"
    PATH="$PATH:$target/peers/bin" node tests/peers/forms/credential.mjs "$base"
    if [ -d "$target/peers/node_modules/viem" ]; then
        PATH="$PATH:$target/peers/bin" node tests/peers/x402/erc8004.mjs "$base"
    fi
    stop "$server"
}

# The clients of the Model Context Protocol.
mcp() {
    [ -e "$target/mcp/python/requirements.txt" ] && [ -e "$target/mcp/installed-lock.json" ] || return 0
    sdk() { PYTHONPATH=$target/mcp/python "$target/peers/python-v2/bin/python" "$@"; }
    TOUCHSTONE_CONFIG=$work/sources.toml serve mcp
    sdk tests/peers/mcp/client.py "$base" "$binary"
    sdk tests/peers/mcp/paying.py "$base" "$binary"
    PATH="$target/peers/bin:$PATH" tests/peers/mcp/inspector.sh "$base" "$target/mcp/node_modules"
    stop "$server"
}

# Metrics, systemd's notifications, and two replicas as the README starts them.
operating() {
    TOUCHSTONE_METRICS=127.0.0.1:0 serve deploy
    "$python" tests/peers/deploy.py "$base" "$(sed -n 's/^metrics on //p' "$work/deploy.out")" "$work"
    stop "$server"
    "$python" tests/peers/service_manager.py "$binary" "$work"
    if need_postgres; then
        "$python" tests/peers/replicas.py README.md "$binary" "$work"
    fi
}

# Another log's witness, which cosigns our checkpoints, and its verifier, which takes our proof.
witness() {
    need_litewitness || return 0
    tests/peers/witness/run.sh "$binary" "$work/witness"
}

# Another implementation of logs: its check of ours, and a log of its that our monitor follows.
tessera() {
    need_tessera || return 0
    TOUCHSTONE_LIMITS=off serve tessera
    tests/peers/tessera/run.sh "$binary" "$work/tessera-log" "$base"
    stop "$server"
}

# The clients that agents have. A client believes the keys of the address that it asks, which is the one that the notary names.
agents() {
    [ -e "$target/agents/installed-lock.json" ] || return 0
    TOUCHSTONE_CONFIG=$work/sources.toml serve agents
    tests/peers/agents/run.sh "http://localhost:${base##*:}" "$target"
    stop "$server"
}

# The other verifiers, and clients made from the OpenAPI document.
verifiers() {
    serve verifier
    "$python" tests/peers/verifier.py "$base" "$work/verifier" "$binary"
    # The pages' verifier, which is JavaScript: by the machine's Node.js, or by that of the x402 clients.
    PATH="$PATH:$target/peers/bin" node tests/peers/web/verify.mjs "$work/verifier/held.jsonl" "$work/verifier/held.jwks" \
        "$(cat "$work/verifier/held.vkey")"
    if [ -d "$target/pages/node_modules" ]; then
        need_go || true
        tests/peers/clients.sh "$base" "$work/clients"
    fi
    stop "$server"
}

# The interface: forged receipts, the agent card, the OpenAPI document and what schemathesis makes of it.
interface() {
    TOUCHSTONE_CONFIG=$work/sources.toml TOUCHSTONE_LIMITS=off serve wire
    if need_verifiers; then
        PATH="$PATH:$target/peers/bin" "$python" tests/peers/verify_kit.py "$base" "$work/wire" "$binary" "$work/kit"
    fi
    "$python" tests/peers/agent_card.py "$base"
    "$python" tests/peers/openapi.py "$base"
    PATH="$target/venv/bin:$PATH" tests/peers/schemathesis.sh "$base"
    kill "$server"; wait "$server"
}

# The sources' own body of company facts, and recorded ones where they are beside the checkout.
company_facts() {
    curl --silent --show-error --fail "$(sed -n 's/^listening on //p' "$work/sources.out")/api/xbrl/companyfacts/CIK0000000007.json" \
        --output "$work/company_facts.json"
    recorded=(../shared/data/market/companyfacts_*_trim.json)
    [ -e "${recorded[0]}" ] || recorded=()
    "$target/edgar/bin/python" tests/peers/edgar_facts.py "$target/debug/facts" "$work/company_facts.json" \
        ${recorded[@]+"${recorded[@]}"}
}

# Runs parts one after the other. A part is called as a plain command, or bash would ignore `set -e` in it.
row() {
    local part started
    for part in "$@"; do
        started=$SECONDS
        "$part"
        printf '== %s: %d s\n' "$part" $((SECONDS - started))
    done
}

serve_sources
(
    trap 'kill $server $others 2>/dev/null || true' EXIT
    row documentation recipes verifiers
) >"$work/row.out" 2>&1 &
row=$!
# The output of the other row is shown at the end, also where this one has failed.
trap 'kill $server $sources $row 2>/dev/null || true; cat "$work/row.out"; rm -rf "$work"' EXIT
row mcp agents operating forms witness tessera company_facts interface
failed=0
wait "$row" || failed=$?
exit "$failed"
