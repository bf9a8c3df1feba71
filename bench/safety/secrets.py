"""Labelled secrets for other scanners, and what these find.

secrets.py rows SECRETS.jsonl FOLDER               writes the text of each row to FOLDER/NUMBER.txt
secrets.py gitleaks SECRETS.jsonl REPORT.json NS   counts the findings of a report that took so many nanoseconds
secrets.py detect-secrets SECRETS.jsonl FOLDER     scans the files, each by itself, and counts

A row with the label 1 is right where anything is found in it. One with the label 0 is wrong where the rule is found that it
was written against, and counted apart where any rule is.
"""

import base64
import json
import os
import sys
import time
from collections import defaultdict


def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def told(name, rows, found, seconds):
    true = [found[number] for number, row in enumerate(rows) if row["label"] == 1]
    false = [(row["rule"], found[number]) for number, row in enumerate(rows) if row["label"] == 0]
    by_own = sum(rule in rules for rule, rules in false)
    by_any = sum(bool(rules) for _, rules in false)
    print(
        f"{name} secrets: {sum(map(bool, true))} of {len(true)} true found; {by_own} of {len(false)} false alarmed by their "
        f"own rule, {by_any} by any; rows_per_s={len(rows) / seconds:.0f}"
    )


def number_of(path):
    return int(os.path.basename(path).split(".")[0])


def main():
    task, path, *rest = sys.argv[1:]
    labelled = rows(path)
    if task == "rows":
        for number, row in enumerate(labelled):
            with open(os.path.join(rest[0], f"{number}.txt"), "wb") as file:
                file.write(base64.b64decode(row["text_b64"]))
        return
    found = defaultdict(set)
    if task == "gitleaks":
        for finding in json.load(open(rest[0])) or []:
            found[number_of(finding["File"])].add(finding["RuleID"])
        told("gitleaks", labelled, found, int(rest[1]) / 1e9)
        return
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings

    started = time.perf_counter()
    with default_settings():
        for number in range(len(labelled)):
            secrets = SecretsCollection()
            secrets.scan_file(os.path.join(rest[0], f"{number}.txt"))
            found[number] = {secret.type for _, secret in secrets}
    told("detect-secrets", labelled, found, time.perf_counter() - started)


main()
