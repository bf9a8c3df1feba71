"""Screens labelled queries, innocent names and evasions with nomenklatura's logic-v2, for comparison:
logic_v2.py [--sample N] DIR

DIR holds `screening-eval/` and `ofac/current/`, as the suites read them. Candidates are the entries that share the most
telling of nomenklatura's own blocking tokens with the query, up to 50; each is scored by logic-v2. rows.py says what is
printed.
"""

import itertools
import math
from collections import defaultdict

import rows
from followthemoney import Dataset, StatementEntity, model
from nomenklatura.blocker.tokenizer import tokenize_entity
from nomenklatura.matching import LogicV2

SCHEMATA = {"person": "Person", "individual": "Person", "vessel": "Vessel", "aircraft": "Airplane"}
CANDIDATES = 50
# What the engine's authors recommend as the threshold of a hit.
THRESHOLD = 0.7

dataset = Dataset.make({"name": "bench", "title": "bench"})


def entity(schema, id, names):
    return StatementEntity.from_data(dataset, {"id": id, "schema": schema, "properties": {"name": names}}, cleaned=False)


def schema_of(kind):
    return kind if kind in model.schemata else SCHEMATA.get(kind, "LegalEntity")


def tokens(proxy):
    return {(field, token) for field, token in tokenize_entity(proxy)}


arguments = rows.arguments()
entries = rows.listed(arguments.dir)
listed, postings = {}, defaultdict(list)
for entry in entries:
    proxy = entity(schema_of(entry["type"]), str(entry["uid"]), [entry["name"], *entry["alternateNames"]])
    listed[proxy.id] = proxy
    for token in tokens(proxy):
        postings[token].append(proxy.id)

numbers = itertools.count()
config = LogicV2.default_config()


def screen(row):
    # What it finds is cached by the entity's id, so each query has its own.
    proxy = entity(schema_of(row["schema"]), f"query {next(numbers)}", [row["query"]])
    weights = defaultdict(float)
    for token in tokens(proxy):
        found = postings.get(token, ())
        for id in found:
            weights[id] += math.log(len(entries) / len(found)) + 0.01
    candidates = sorted(weights, key=lambda id: (-weights[id], id))[:CANDIDATES]
    scores = {id: LogicV2.compare(proxy, listed[id], config).score for id in candidates}
    return dict(sorted(scores.items(), key=lambda scored: -scored[1])[: rows.LIMIT])


rows.Report("logic-v2", THRESHOLD, screen).run(arguments, entries)
