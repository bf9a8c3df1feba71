"""Screens the labelled queries with nomenklatura's logic-v2, for comparison: logic_v2.py LIST.json.gz QUERIES.jsonl

Candidates are the entries that share the most telling of nomenklatura's own blocking tokens with the query, up to 50;
each is scored by logic-v2. Prints one line a class and one for all, with the words of the suite `screening-eval`.
"""

import gzip
import itertools
import json
import math
import sys
import time
from collections import defaultdict

from followthemoney import Dataset, StatementEntity, model
from nomenklatura.blocker.tokenizer import tokenize_entity
from nomenklatura.matching import LogicV2

SCHEMATA = {"person": "Person", "individual": "Person", "vessel": "Vessel", "aircraft": "Airplane"}
CANDIDATES = 50
# What the engine's authors recommend as the threshold of a hit.
THRESHOLD = 0.7
APART = {"weak-aka"}

dataset = Dataset.make({"name": "bench", "title": "bench"})


def entity(schema, id, names):
    return StatementEntity.from_data(dataset, {"id": id, "schema": schema, "properties": {"name": names}}, cleaned=False)


def tokens(proxy):
    return {(field, token) for field, token in tokenize_entity(proxy)}


list_file, query_file = sys.argv[1:]
entries = json.load(gzip.open(list_file))["entries"]
listed, postings = {}, defaultdict(list)
for entry in entries:
    proxy = entity(SCHEMATA.get(entry["type"], "LegalEntity"), str(entry["uid"]), [entry["name"], *entry["alternateNames"]])
    listed[proxy.id] = proxy
    for token in tokens(proxy):
        postings[token].append(proxy.id)

numbers = itertools.count()
config = LogicV2.default_config()


def screen(query, schema):
    # What it finds is cached by the entity's id, so each query has its own.
    proxy = entity(schema, f"query {next(numbers)}", [query])
    weights = defaultdict(float)
    for token in tokens(proxy):
        found = postings.get(token, ())
        for id in found:
            weights[id] += math.log(len(entries) / len(found)) + 0.01
    best = sorted(weights, key=lambda id: (-weights[id], id))[:CANDIDATES]
    return {id: LogicV2.compare(proxy, listed[id], config).score for id in best}


rows = [json.loads(line) for line in open(query_file)]
classes, unlisted, times = defaultdict(list), [], []
for row in rows:
    started = time.perf_counter()
    scores = screen(row["query"], row["schema"] if row["schema"] in model.schemata else "LegalEntity")
    times.append(time.perf_counter() - started)
    if row["expected"] == "no-match":
        unlisted.append(max(scores.values(), default=0.0))
        continue
    right = {str(uid) for uid in row.get("uids", [row.get("uid")])}
    classes[row["class"]].append(max((score for id, score in scores.items() if id in right), default=0.0))

cut = sorted(unlisted, reverse=True)[len(unlisted) // 100]
times.sort()


def line(name, scores):
    hits = sum(score >= THRESHOLD for score in scores)
    above = sum(score > cut for score in scores)
    return f"nomenklatura {name}: n={len(scores)} recall={hits / len(scores):.4f} recall_at_1pct_fpr={above / len(scores):.4f}"


for name, scores in sorted(classes.items()):
    print(line(name, scores))
headline = [score for name, scores in classes.items() if name not in APART for score in scores]
hits, wrong = sum(score >= THRESHOLD for score in headline), sum(score >= THRESHOLD for score in unlisted)
precision, recall = hits / (hits + wrong), hits / len(headline)
print(
    f"nomenklatura: precision={precision:.4f} recall={recall:.4f} f1={2 * precision * recall / (precision + recall):.4f} "
    f"recall_at_1pct_fpr={sum(score > cut for score in headline) / len(headline):.4f} false_positives={wrong}/{len(unlisted)} "
    f"p50_us={times[len(times) // 2] * 1e6:.0f} p99_us={times[len(times) * 99 // 100] * 1e6:.0f} "
    f"per_s={len(times) / sum(times):.0f}"
)
