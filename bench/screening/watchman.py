"""Screens labelled queries, innocent names and evasions with Moov's Watchman, for comparison:
watchman.py [--sample N] SERVER DIR

SERVER is Watchman's server, built from `cmd/server` of github.com/moov-io/watchman. DIR holds `screening-eval/` and
`ofac/current/`, as the suites read them. The names and aliases of the list become OFAC's legacy files, which the server
reads from a folder; it has its default settings otherwise, listens on 127.0.0.1, and is given nothing to fetch. Each query
is asked over HTTP with its type. rows.py says what is printed.
"""

import csv
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

import rows

# The `minMatch` of Watchman's guides to Docker and to its Go library.
THRESHOLD = 0.75
LIST = "us_ofac"
# What is neither of these is a business to Watchman, as in OFAC's files, which leave its type out.
TYPES = {"person": "person", "individual": "person", "vessel": "vessel", "aircraft": "aircraft"}
# OFAC's absent value.
NULL = "-0-"
# In seconds: of the start until the list is loaded, of an answer, and of the end.
START, ANSWER, END = 300, 60, 10


def write_list(folder, entries):
    """The list as OFAC's legacy files, without what the JSON does not have."""

    def write(file, lines):
        with open(folder / file, "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(lines)

    # Key, name, type, programs; title, call sign, type, tonnage, gross tonnage, flag and owner of vessels, remarks.
    kinds = {entry["uid"]: entry["type"] if entry["type"] in TYPES else NULL for entry in entries}
    write("sdn.csv", ([e["uid"], e["name"], kinds[e["uid"]], "] [".join(e["programs"]), *[NULL] * 8] for e in entries))
    # Key, number, kind, name, remarks.
    aliases = ((entry["uid"], name) for entry in entries for name in entry["alternateNames"])
    write("alt.csv", ([uid, number, "aka", name, NULL] for number, (uid, name) in enumerate(aliases, 1)))
    # Key, number, street, city, country, remarks; and key, rest of long remarks. A row without either, as an empty file
    # might pass for one that is broken.
    write("add.csv", [[entries[0]["uid"], 1, *[NULL] * 4]])
    write("sdn_comments.csv", [[entries[0]["uid"], NULL]])


def free_ports(count):
    """Ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def settings(folder, port, admin):
    """Watchman's configuration. JSON is YAML."""
    servers = {"BindAddress": f"127.0.0.1:{port}", "AdminAddress": f"127.0.0.1:{admin}"}
    download = {"InitialDataDirectory": str(folder), "IncludedLists": [LIST], "RefreshInterval": "1000h"}
    return json.dumps({"Watchman": {"Servers": servers, "Download": download}})


class Server:
    def __init__(self, binary, scratch, entries):
        data, config, self.log = scratch / "data", scratch / "config.yml", scratch / "log"
        data.mkdir()
        write_list(data, entries)
        port, admin = free_ports(2)
        config.write_text(settings(data, port, admin))
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER)
        # Watchman reads settings from the environment too, so it gets none but these. A file that it misses, it cannot fetch.
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "APP_CONFIG": str(config),
            "OFAC_DOWNLOAD_TEMPLATE": f"http://127.0.0.1:{port}/absent/%s",
        }
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [binary], cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )

    def wait(self, expected):
        """Until the list is loaded, whole."""
        until = time.monotonic() + START
        while time.monotonic() < until:
            if self.process.poll() is not None:
                self.fail(f"the server ended with {self.process.returncode}")
            try:
                loaded = (self.get("/v2/listinfo").get("lists") or {}).get(LIST)
            except OSError:
                # It does not listen yet.
                self.connection.close()
                loaded = None
            if loaded:
                if loaded != expected:
                    self.fail(f"the server has {loaded} of {expected} entries")
                return
            time.sleep(0.2)
        self.fail(f"the list was not loaded within {START} s")

    def get(self, path):
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            self.fail(f"GET {path}: {answer.status} {body[:500].decode(errors='replace')}")
        return json.loads(body)

    def screen(self, row):
        kind = TYPES.get(row["schema"].lower(), "business")
        query = {"name": row["query"], "type": kind, "limit": rows.LIMIT, "minMatch": 0}
        try:
            found = self.get(f"/v2/search?{urllib.parse.urlencode(query)}")["entities"] or ()
        except (OSError, http.client.HTTPException) as error:
            self.fail(f"the server did not answer: {error}")
        return {hit["sourceID"]: hit["match"] for hit in found}

    def fail(self, why):
        last = self.log.read_text(errors="replace").splitlines()[-20:]
        sys.exit("\n".join([f"watchman: {why}; the end of its log:", *last]))

    def stop(self):
        self.connection.close()
        self.process.terminate()
        try:
            self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    arguments = rows.arguments("server")
    entries = rows.listed(arguments.dir)
    # So that the server is stopped then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(arguments.server.resolve(), Path(scratch), entries)
        try:
            server.wait(len(entries))
            rows.Report("watchman", THRESHOLD, server.screen).run(arguments, entries)
        finally:
            server.stop()


main()
