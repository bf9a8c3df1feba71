#!/usr/bin/env bash
# Does the command line of the MCP inspector speak with the notary?
#
#   inspector.sh BASE_URL NODE_MODULES
#
# In each revision: lists tools, with a strict look at their schemas, guides and prompts; reads one, fills one in; calls a free
# tool, one that costs, one with a field too few, and one that does not exist.
set -euo pipefail
base=$1 inspector=$2/@modelcontextprotocol/inspector/clients/launcher/build/index.js
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# Asks, and compares the exit code with the expected one: 0, or 5 where the tool fails or does not exist.
ask() {
    local expected=$1 status=0
    shift
    HOME=$home node "$inspector" --cli "$base/mcp" --transport http --protocol-era "$era" --format json --quiet "$@" \
        >"$home/out" 2>"$home/err" || status=$?
    [ "$status" = "$expected" ] || failed "$*: exit $status, not $expected"
}

failed() {
    { echo "inspector, $era: $1"; cat "$home/err" "$home/out"; } >&2
    exit 1
}

# Evaluates JavaScript on the answer, which has a `result`.
of_answer() {
    node -e 'const { result } = JSON.parse(require("fs").readFileSync(process.argv[1])); console.log(eval(process.argv[2]))' \
        "$home/out" "$1"
}

has() { [ "$(of_answer "$1")" = true ] || failed "not so: $1"; }

call() { ask "$1" --method tools/call --tool-name "$2" --tool-args-json "$3"; }

for era in legacy modern; do
    [ "$era" = modern ] && version=2026-07-28 || version=2025-11-25
    ask 0 --method initialize
    has "result.protocolVersion === '$version'"
    ask 0 --method tools/list --strict
    has 'result.tools.length > 2 && result.tools.every((tool) => tool.outputSchema.type === "object")'
    call 0 scan-text "{\"agent\": \"inspector-$era\", \"text\": \"Hello there.\"}"
    has 'result.structuredContent.class === "scan-text"'
    has 'JSON.parse(result.content[0].text).receipt_hash === result.structuredContent.receipt_hash'
    call 5 commit '{"agent": "inspector", "content": "unpaid"}'
    has 'result.isError && result.structuredContent.x402Version === 2'
    call 5 scan-text '{"agent": "inspector"}'
    has 'result.isError && result.structuredContent.status === 400'
    call 5 no-such-tool '{}'
    ask 0 --method resources/list
    ask 0 --method resources/read --uri "$(of_answer 'result.resources[0].uri')"
    has 'result.contents[0].text.length > 0'
    ask 0 --method prompts/list
    has 'result.prompts.length === 3'
    name=$(of_answer 'result.prompts[0].name') argument=$(of_answer 'result.prompts[0].arguments[0].name')
    ask 0 --method prompts/get --prompt-name "$name" --prompt-args "$argument=a value"
    has 'result.messages[0].content.text.endsWith("a value")'
    echo "inspector, $version: tools, guides and prompts"
done
