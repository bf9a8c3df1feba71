"""What logic_v2.py and watchman.py share: the rows that they screen, and the lines that they print.

The lines have the words of the suites `screening-eval`, one a class of labelled queries, a group of innocent names, and a
class of evasions, each starting with `ENGINE list`, `ENGINE innocent` or `ENGINE evasion`. A listed name is found where its
entry is among the ten best hits, and an innocent one alarms where there is any hit.
"""

import argparse
import gzip
import itertools
import json
import re
import time
from collections import defaultdict
from pathlib import Path

# Hits that are looked at, as many as the suites look at.
LIMIT = 10
APART = {"weak-aka"}


def arguments(*files):
    """Those of the command line: these files, DIR, which holds `screening-eval/` and `ofac/current/`, and the sample."""
    parser = argparse.ArgumentParser()
    for name in (*files, "dir"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--sample", type=int, default=300, help="innocent names of each group, the first ones; 0 for all")
    return parser.parse_args()


def listed(folder):
    """The entries of the list."""
    with gzip.open(folder / "ofac/current/ofac-sdn.json.gz") as file:
        return json.load(file)["entries"]


def read(path):
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as lines:
        return [json.loads(line) for line in lines if line.strip()]


def words(name):
    """The words of a name, in order of the alphabet."""
    return tuple(sorted(re.findall(r"[^\W_]+", name.lower())))


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags)


class Report:
    """`screen` gives the scores of the best hits of a row, by the entry's uid as a string."""

    def __init__(self, engine, threshold, screen):
        self.engine, self.threshold, self.screen = engine, threshold, screen

    def run(self, given, entries):
        folder = given.dir / "screening-eval"
        self.labelled(read(folder / "list.jsonl"))
        names = itertools.chain.from_iterable([entry["name"], *entry["alternateNames"]] for entry in entries)
        self.innocent(read(folder / "innocent.jsonl.gz"), given.sample, set(map(words, names)))
        self.evasion(read(folder / "evasion.jsonl"))

    def line(self, text):
        print(f"{self.engine} {text}", flush=True)

    def is_hit(self, score):
        return score >= self.threshold

    def labelled(self, rows):
        classes, unlisted, times = defaultdict(list), [], []
        for row in rows:
            started = time.perf_counter()
            scores = self.screen(row)
            times.append(time.perf_counter() - started)
            if row["expected"] == "no-match":
                unlisted.append(max(scores.values(), default=0.0))
                continue
            right = {str(uid) for uid in row.get("uids", [row.get("uid")])}
            classes[row["class"]].append(max((score for id, score in scores.items() if id in right), default=0.0))
        cut = sorted(unlisted, reverse=True)[len(unlisted) // 100]
        times.sort()
        for name, scores in sorted(classes.items()):
            recall, above = share(map(self.is_hit, scores)), share(score > cut for score in scores)
            self.line(f"list {name}: n={len(scores)} recall={recall:.4f} recall_at_1pct_fpr={above:.4f}")
        headline = [score for name, scores in classes.items() if name not in APART for score in scores]
        hits, wrong = sum(map(self.is_hit, headline)), sum(map(self.is_hit, unlisted))
        precision, recall = hits / ((hits + wrong) or 1), hits / len(headline)
        self.line(
            f"list: n={len(headline)} precision={precision:.4f} recall={recall:.4f} "
            f"f1={2 * precision * recall / ((precision + recall) or 1):.4f} "
            f"recall_at_1pct_fpr={share(score > cut for score in headline):.4f} false_positives={wrong}/{len(unlisted)} "
            f"p50_us={times[len(times) // 2] * 1e6:.0f} p99_us={times[len(times) * 99 // 100] * 1e6:.0f} "
            f"per_s={len(times) / sum(times):.0f}"
        )

    def innocent(self, rows, sample, listed_words):
        groups = defaultdict(list)
        for row in rows:
            # Whose name is a listed one, in any order, is not innocent of it.
            if words(row["query"]) not in listed_words:
                groups[row["group"]].append(row)
        shares = []
        for name, members in sorted(groups.items()):
            members = members[: sample or None]
            shares.append(share(any(map(self.is_hit, self.screen(row).values())) for row in members))
            self.line(f"innocent {name}: n={len(members)} alarms={shares[-1]:.4f}")
        self.line(f"innocent: groups={len(shares)} alarms_mean={sum(shares) / len(shares):.4f}")

    def evasion(self, rows):
        classes = defaultdict(list)
        for row in rows:
            classes[row["class"]].append(self.is_hit(self.screen(row).get(str(row["uid"]), 0.0)))
        for name, found in sorted(classes.items()):
            self.line(f"evasion {name}: n={len(found)} found={share(found):.4f}")
        found = list(itertools.chain.from_iterable(classes.values()))
        self.line(f"evasion: n={len(found)} found={share(found):.4f}")
