#!/usr/bin/env bash
# The fault harness: three PostgreSQL nodes under Patroni, three replicas of the notary, nginx, and what goes wrong with them.
#
#     bench/faults/run.sh writer short        a stand-in writer alone, 3 failovers in 5 minutes
#     bench/faults/run.sh service short       the notary itself
#     bench/faults/run.sh service long        50 failovers in 40 minutes
#     bench/faults/run.sh --help              all options
#
# All processes, networks and mounts are in namespaces of this run, and end with it, however it ends. Results: target/faults.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ./scripts/tools.sh
. ./bench/faults/needs.sh

need_faults
folder=$target/faults
mkdir -p "$folder"
export PYTHONPATH=$PWD/bench/faults PYTHONDONTWRITEBYTECODE=1
# A PID namespace of its own: when its first process ends, the kernel ends all others in it. --ipc: PostgreSQL's shared memory.
# --pdeathsig: also where this shell is killed.
setpriv --pdeathsig KILL unshare --mount --net --ipc --uts --pid --fork --kill-child --mount-proc \
    "$folder/venv/bin/python" -m faults --folder "$folder" "$@" &
child=$!
# unshare itself ignores SIGINT and SIGTERM; the process below it ends the run.
trap 'pkill -TERM -P "$child" || true' INT TERM HUP
code=0
# `wait` ends early at a trapped signal; it gives the harness's own code once that has ended.
while kill -0 "$child" 2>/dev/null; do
    wait "$child" && code=0 || code=$?
done
exit "$code"
