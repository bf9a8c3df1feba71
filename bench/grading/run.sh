#!/usr/bin/env bash
# 10,000 stationary-bootstrap resamples of 1,000 returns at a mean block of 10, on one core: arch from PyPI and Touchstone,
# one after the other on this machine.
#   bench/grading/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
. ./scripts/tools.sh
need_rust
python_environment "$target/arch" bench/grading/requirements.txt
arch=$(taskset -c 0 "$target/arch/bin/python" bench/grading/arch_bootstrap.py)
name='10,000 resamples of 1,000 returns/10'
cargo bench --locked --quiet --package grading --bench bootstrap -- "^$name\$" >&2
estimates="$target/criterion/$name/new/estimates.json"
"$target/arch/bin/python" - "$arch" "$estimates" <<'REPORT'
import json
import sys

arch = float(sys.argv[1]) * 1e3
with open(sys.argv[2]) as file:
    own = json.load(file)["median"]["point_estimate"] / 1e6
print("| 10,000 resamples of 1,000 returns, block 10, one core | ms |")
print("|---|--:|")
print(f"| arch | {arch:.0f} |")
print(f"| Touchstone | {own:.1f} |")
print(f"| arch / Touchstone | {arch / own:.1f} |")
REPORT
