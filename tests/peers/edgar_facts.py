#!/usr/bin/env python3
"""Does edgartools read the same facts from recorded bodies of EDGAR, and choose the same annual values?

    edgar_facts.py FACTS FILE...

FACTS is the program `facts` of the crate `suites`. Every fact of a mapped tag must be read by both, with the same period, value
and filing. Each amount of an annual report that is one reported fact is then compared with `get_annual_fact` of the same tag, and
the items of the newest report with edgartools' own standard items. A difference must be of a kind that is named here, and the
counts are printed. Exits 1 where it is of none.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from datetime import date
from decimal import Decimal

# It makes a folder of its own when it is imported.
scratch = tempfile.TemporaryDirectory()
os.environ |= {"EDGAR_IDENTITY": "Example Ltd. data@example.com", "EDGAR_LOCAL_DATA_DIR": scratch.name}
from edgar.entity.parser import EntityFactsParser  # noqa: E402

warnings.simplefilter("ignore")
DAY = "2199-12-31"


def theirs_of(body, mapped):
    """edgartools' facts of the mapped tags, as the program prints them; its numbers are doubles."""
    facts = EntityFactsParser.parse_company_facts(body)
    rows = set()
    for fact in facts:
        taxonomy, tag = fact.concept.split(":", 1)
        if (taxonomy, tag) in mapped:
            start = str(fact.period_start) if fact.period_start else None
            row = (start, str(fact.period_end), fact.numeric_value, fact.accession, fact.form_type, str(fact.filing_date))
            rows.add((taxonomy, tag, fact.unit, *row))
    return facts, rows


def kind_of(ours, theirs, end):
    """The reason why the annual value differs; None for a reason that is not known."""
    if theirs is None:
        return "it has no value that is marked as annual"
    if str(theirs.period_end) != end:
        return "it goes by fiscal_year, which is the filing's: another period of that filing"
    if ours["start"] != (str(theirs.period_start) if theirs.period_start else None):
        return "it goes by fp, which is the filing's: another length that ends on the day"
    if theirs.accession != ours["accession"]:
        return "it takes the newest filing whatever the day of judging"
    return None


# Items of a report, and the methods that give the same of the newest year.
STANDARD = {
    "revenue": "get_revenue",
    "net_income": "get_net_income",
    "total_assets": "get_total_assets",
    "total_liabilities": "get_total_liabilities",
    "equity": "get_shareholders_equity",
    "ebit": "get_operating_income",
    "gross_profit": "get_gross_profit",
}


def standard_kind(facts, value, item, report):
    """The reason why a standard item of edgartools differs; None for a reason that is not known."""
    if item is None:
        return "it makes an item of tags that are not mapped"
    if value is None:
        return "it has no such item"
    ends = {str(fact.period_end) for fact in facts if fact.numeric_value == value}
    if ends and report["end"] not in ends:
        return "it takes another year for the newest"
    tags = {fact.concept for fact in facts if fact.numeric_value == value and str(fact.period_end) == report["end"]}
    if tags.isdisjoint(f"{part['taxonomy']}:{part['tag']}" for part in item["parts"]):
        return "it takes another tag, or a sum of others, for the item"
    return None


def compare(program, file):
    with open(file, encoding="utf-8") as opened:
        body = json.load(opened)
    done = subprocess.run([program, file, DAY], check=True, capture_output=True, text=True)
    ours = json.loads(done.stdout)
    mapped = {tuple(tag) for tag in ours["mapped"]}
    kept = {
        (taxonomy, tag, unit, start, end, float(Decimal(value)), *filing)
        for taxonomy, tag, unit, start, end, value, *filing in ours["facts"]
    }
    facts, known = theirs_of(body, mapped)
    for row in sorted(kept ^ known, key=str)[:20]:
        print(f"{file}: only {'here' if row in kept else 'in edgartools'}: {row}", file=sys.stderr)
    kinds = Counter()
    unexplained = len(kept ^ known)
    for report in ours["reports"]:
        for item in report["inputs"]:
            if item["year"] != "current" or len(item["parts"]) != 1:
                continue
            part = item["parts"][0]
            year = next((int(fact.fiscal_year) for fact in facts if fact.accession == part["accession"]), None)
            theirs = facts.get_annual_fact(f"{part['taxonomy']}:{part['tag']}", year)
            is_same = theirs is not None and theirs.numeric_value == float(Decimal(part["value"]))
            if is_same:
                kinds["equal"] += 1
                continue
            kind = kind_of(part, theirs, part["end"])
            if kind is None:
                unexplained += 1
                print(f"{file}: {report['end']} {item['item']}: {part} and {theirs}", file=sys.stderr)
            else:
                kinds[kind] += 1
    if ours["reports"]:
        report = ours["reports"][-1]
        items = {item["item"]: item for item in report["inputs"] if item["year"] == "current"}
        for name, method in STANDARD.items():
            item, value = items.get(name), getattr(facts, method)(annual=True)
            if item is None and value is None:
                continue
            if item is not None and value == float(Decimal(item["amount"])):
                kinds["equal"] += 1
            elif kind := standard_kind(facts, value, item, report):
                kinds[kind] += 1
            else:
                unexplained += 1
                print(f"{file}: {report['end']} {name}: {item} and {value}", file=sys.stderr)
    return len(kept), kinds, unexplained


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, *files = sys.argv[1:]
    facts, kinds, unexplained = 0, Counter(), 0
    for file in files:
        count, of_kinds, of_unexplained = compare(program, file)
        facts, unexplained = facts + count, unexplained + of_unexplained
        kinds += of_kinds
    if facts == 0 or kinds["equal"] == 0:
        sys.exit("edgartools: nothing was compared")
    print(f"edgartools: {facts} facts are read alike; of the annual values")
    for kind, count in kinds.most_common():
        print(f"  {count:4} {kind}")
    if unexplained:
        sys.exit(f"edgartools: {unexplained} differences are not explained")


if __name__ == "__main__":
    main()
