#!/usr/bin/env bash
# Holds deploy/ and packaging/ against the programs that read them: systemd-analyze, kubeconform, promtool, nginx. Nothing of the
# notary is started, and a program that is not there is passed over; ./test names what then stays untested.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
python=$target/venv/bin/python
PATH=$target/go/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What systemd says of our unit; fails where it says nothing. It reads the units of this machine too, which may have faults of
# their own.
complaints() { systemd-analyze verify --man=no "$1" 2>&1 | grep -F touchstone.service; }

# The unit: hardened to 2.0 of 10 at most, and without a line that systemd does not know.
if command -v systemd-analyze >/dev/null; then
    systemd-analyze security --offline=true --no-pager --threshold=20 packaging/touchstone.service >"$work/security" ||
        { cat "$work/security" >&2; exit 1; }
    grep -ao 'Overall exposure level.*: [0-9.]*' "$work/security" | sed 's/^Overall/systemd: overall/'
    # The program that the unit starts is installed by the package, so another one stands for it.
    sed 's#^ExecStart=.*#ExecStart=/bin/true#' packaging/touchstone.service >"$work/touchstone.service"
    if said=$(complaints "$work/touchstone.service"); then
        echo "$said" >&2
        exit 1
    fi
    # Silence about a line that systemd does not know would mean that nothing was read.
    mkdir "$work/wrong"
    sed 's#^\[Service\]#&\nNoSuchSetting=1#' "$work/touchstone.service" >"$work/wrong/touchstone.service"
    complaints "$work/wrong/touchstone.service" >/dev/null || { echo "systemd-analyze takes an unknown setting" >&2; exit 1; }
fi

if command -v kubeconform >/dev/null; then
    for version in "${kubernetes_versions[@]}"; do
        echo "kubernetes $version: $(kubeconform -strict -summary -skip Kustomization \
            -schema-location "$target/kubernetes/$version/{{.ResourceKind}}{{.KindSuffix}}.json" deploy/kubernetes/*.yaml)"
    done
fi

if command -v promtool >/dev/null; then
    promtool check rules deploy/prometheus/alerts.yml deploy/prometheus/database.yml
    promtool check config deploy/prometheus/prometheus.yml deploy/prometheus/replicas.yml
    promtool test rules deploy/prometheus/rules_test.yml
fi

# What no such program says: alarms and their paragraphs, the rules that the notary's promises need of the others.
"$python" tests/peers/deployment.py "$work"

# The numbers that docs/scale.md quotes are those that its commands print.
"$python" tests/peers/quoted.py docs/scale.md
