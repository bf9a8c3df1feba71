#!/usr/bin/env python3
"""The published sources that a notary asks, with made-up records, on a free port.

    sources.py CONFIG

Writes a configuration that names this address for every source, says `listening on ...`, and serves until it is
stopped: EDGAR's tickers, submissions and company facts, CBOE's and the Treasury's files up to today, the Federal Register,
USAspending.
"""

import json
import math
import re
import sys
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SOURCES = ["edgar", "edgar_files", "cboe", "treasury", "federal_register", "usaspending"]
CIK = 7
LABELS = {"RULE": "Rule", "PRORULE": "Proposed Rule", "NOTICE": "Notice", "PRESDOCU": "Presidential Document"}


def business_days(first):
    """Monday to Friday up to yesterday."""
    day = first
    while day < date.today():
        if day.weekday() < 5:
            yield day
        day += timedelta(1)


def wave(day, length):
    return math.sin(day.toordinal() / length)


def vix():
    lines = ["DATE,OPEN,HIGH,LOW,CLOSE"]
    for day in business_days(date(1990, 1, 2)):
        close = f"{19 + 5 * wave(day, 70) + wave(day, 3):.2f}"
        lines.append(f"{day:%m/%d/%Y},{close},{close},{close},{close}")
    return "\n".join(lines)


def yields(year):
    lines = ['Date,"3 Mo","2 Yr","10 Yr"']
    days = [day for day in business_days(date(year, 1, 2)) if day.year == year]
    for day in reversed(days):
        ten = 4 + wave(day, 200) + 0.05 * wave(day, 2)
        lines.append(f"{day:%m/%d/%Y},{ten - 0.5 + wave(day, 90):.2f},{ten - 0.3 + wave(day, 110):.2f},{ten:.2f}")
    return "\n".join(lines)


def years():
    """The last four fiscal years whose reports are filed."""
    return range(date.today().year - 5, date.today().year - 1)


def accession(year):
    return f"{CIK:010}-{year % 100:02}-000001"


def submissions():
    filed = [year + 1 for year in reversed(years())]
    return {
        "cik": f"{CIK:010}",
        "name": "Example Works Inc.",
        "sic": "3571",
        "sicDescription": "Electronic Computers",
        "tickers": ["EXAM"],
        "formerNames": [],
        "filings": {
            "recent": {
                "form": ["10-K" for _ in filed],
                "accessionNumber": [accession(year) for year in filed],
                "filingDate": [f"{year}-12-20" for year in filed],
                "reportDate": [f"{year}-10-31" for year in filed],
            }
        },
    }


def facts():
    pretax = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
    flows = {"Revenues": 1200, "OperatingIncomeLoss": 250, pretax: 240, "NetIncomeLoss": 180}
    stocks = {
        "Assets": 1000,
        "AssetsCurrent": 600,
        "LiabilitiesCurrent": 150,
        "Liabilities": 200,
        "RetainedEarningsAccumulatedDeficit": 500,
        "StockholdersEquity": 800,
    }
    tags = {}
    for tag, value in (flows | stocks).items():
        tags[tag] = {"label": tag, "units": {"USD": []}}
        for at, year in enumerate(years()):
            fact = {
                "end": f"{year + 1}-10-31",
                "val": value * 1_000_000 + at * 1_000_000,
                "accn": accession(year + 1),
                "fy": year + 1,
                "fp": "FY",
                "form": "10-K",
                "filed": f"{year + 1}-12-20",
            }
            if tag in flows:
                fact["start"] = f"{year}-11-01"
            tags[tag]["units"]["USD"].append(fact)
    return {"cik": CIK, "entityName": "Example Works Inc.", "facts": {"us-gaap": tags}}


def documents(query):
    """One document that every search finds, with the query in the register's words."""

    def asked(name):
        return query.get(f"conditions[{name}]", [None])[0]

    clauses = []
    if (term := asked("term")) is not None:
        clauses.append(f"matching '{' '.join(term.split())}'")
    day = {bound: asked(f"publication_date][{bound}") for bound in ("is", "gte", "lte")}
    written = {bound: f"{value[5:7]}/{value[8:]}/{value[:4]}" for bound, value in day.items() if value}
    if "is" in written:
        clauses.append(f"published on {written['is']}")
    elif len(written) == 2:
        clauses.append(f"published from {written['gte']} to {written['lte']}")
    elif "gte" in written:
        clauses.append(f"published on or after {written['gte']}")
    elif "lte" in written:
        clauses.append(f"published on or before {written['lte']}")
    agencies = query.get("conditions[agencies][]", [])
    if agencies:
        clauses.append("from " + " and ".join(slug.replace("-", " ").title() for slug in agencies))
    types = [LABELS[code] for code in query.get("conditions[type][]", [])]
    if types:
        clauses.append("of type " + " or ".join(types))
    if (docket := asked("docket_id")) is not None:
        clauses.append(f"filed under agency docket {docket}")
    if asked("significant") is not None:
        clauses.append("whose Associated Unified Agenda Deemed Significant Under EO 12866")
    number = "2026-00001"
    document = {
        "document_number": number,
        "title": "Standards of an example",
        "type": (types or ["Rule"])[0],
        "publication_date": day["is"] or day["lte"] or day["gte"] or str(date.today() - timedelta(1)),
        "html_url": f"https://www.federalregister.gov/documents/{number}",
        "agencies": [{"name": slug.title(), "slug": slug} for slug in agencies],
    }
    description = "Documents " + ", ".join(clauses) if clauses else "All Documents"
    return {"count": 1, "description": description, "total_pages": 1, "results": [document]}


def award_types():
    codes = {
        "contracts": "A B C D",
        "idvs": "IDV_A IDV_B IDV_B_A IDV_B_B IDV_B_C IDV_C IDV_D IDV_E",
        "grants": "02 03 04 05",
        "direct_payments": "06 10",
        "loans": "07 08",
        "other_financial_assistance": "09 11 -1",
    }
    return {group: {code: f"type {code}" for code in of.split()} for group, of in codes.items()}


def agencies():
    names = {"Department of Energy": ("DOE", "089"), "National Aeronautics and Space Administration": ("NASA", "080")}
    rows = []
    for number, (name, (short, code)) in enumerate(names.items(), 1):
        slug = name.lower().replace(" ", "-")
        rows.append({"agency_id": number, "toptier_code": code, "abbreviation": short, "agency_name": name, "agency_slug": slug})
    return {"results": rows}


def awards(page):
    award = {
        "internal_id": 1,
        "Award ID": "80NSSC1",
        "Recipient Name": "Example Works Inc.",
        "Awarding Agency": "Department of Energy",
        "Award Amount": 1250.5,
        "generated_internal_id": "CONT_AWD_80NSSC1",
    }
    end = {"page": page, "hasNext": False, "last_record_unique_id": None, "last_record_sort_value": "None"}
    return {"spending_level": "awards", "limit": 10, "results": [award], "messages": [], "page_metadata": end}


COUNTS = {"contracts": 1, "idvs": 1, "grants": 1, "direct_payments": 1, "loans": 1, "other": 1}


class Sources(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body_of(self, path, query, sent):
        """The document at a path, or None."""
        if path == "/files/company_tickers.json":
            return {"0": {"cik_str": CIK, "ticker": "EXAM", "title": "Example Works Inc."}}
        if path == f"/submissions/CIK{CIK:010}.json":
            return submissions()
        if path == f"/api/xbrl/companyfacts/CIK{CIK:010}.json":
            return facts()
        if path.endswith("/VIX_History.csv"):
            return vix()
        if year := re.search(r"/daily-treasury-rates\.csv/(\d{4})/all$", path):
            return yields(int(year[1]))
        if path == "/api/v1/documents.json":
            return documents(query)
        if path == "/api/v2/references/award_types/":
            return award_types()
        if path == "/api/v2/references/toptier_agencies/":
            return agencies()
        if path == "/api/v2/search/spending_by_award/":
            return awards(json.loads(sent).get("page", 1))
        if path == "/api/v2/search/spending_by_award_count/":
            return {"results": COUNTS, "messages": []}
        return None

    def answer(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        address = urlsplit(self.path)
        body = self.body_of(address.path, parse_qs(address.query, keep_blank_values=True), sent)
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sources)
    address = f"http://127.0.0.1:{server.server_port}"
    settings = ['contact = "Example Ltd. data@example.com"', *(f'{name} = "{address}"' for name in SOURCES)]
    Path(sys.argv[1]).write_text("\n".join(["[market]", *settings, "[trust]", 'name_servers = "127.0.0.1:1"', ""]))
    print(f"listening on {address}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
