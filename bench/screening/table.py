"""Prints one Markdown table of what the engines printed: table.py FILE...

Reads Touchstone's lines as the suites `screening-eval` print them, and those of any other engine in the form
`ENGINE innocent GROUP: n=300 alarms=0.0123`, `ENGINE list: n=2339 ... recall=0.86 ...`, `ENGINE evasion: n=71 found=0.45`.
Other lines are passed over; an engine has a column if it has a line.
"""

import re
import sys
from collections import defaultdict

# Other engines' lines, and what follows the suite's name in Touchstone's.
LINE = re.compile(r"(\S+) (list|innocent|evasion)(?: ([^:]+))?: (.*)")
SUITE = re.compile(r"suite screening-eval/([^:]+): (.*)")
GROUP = re.compile(r"  current: (\w+): (n=.*)")
RECALL, EVASIONS, MEAN = "listed names found, without weak aliases", "evasions found", "mean of the groups"


def figures(text):
    return {name: float(value) for name, value in re.findall(r"(\w+)=(\d+(?:\.\d+)?)(?![\d/])", text)}


def lines(path):
    """Engine, kind, group or nothing, and figures of each line."""
    suite = None
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith("suite "):
            found = SUITE.fullmatch(line)
            suite = found and found[1]
            if suite in {"list", "evasion"}:
                yield "Touchstone", suite, None, figures(found[2])
        elif suite == "innocent" and (found := GROUP.fullmatch(line)):
            yield "Touchstone", suite, found[1], figures(found[2])
        elif found := LINE.fullmatch(line):
            yield found[1], found[2], found[3], figures(found[4])


alarms, whole = defaultdict(dict), defaultdict(dict)
names = defaultdict(list)
for path in sys.argv[1:]:
    for engine, kind, group, values in lines(path):
        if kind == "innocent" and group:
            alarms[group][engine] = values["alarms"]
            names[engine].append(int(values["n"]))
        elif kind == "list" and not group:
            whole[RECALL][engine] = values["recall"]
        elif kind == "evasion" and not group:
            whole[EVASIONS][engine] = values["found"]
if not alarms and not whole:
    sys.exit("no line of any engine in these files")

engines = list(dict.fromkeys(engine for row in [*whole.values(), *alarms.values()] for engine in row))
groups = sorted(alarms)


def of(engine):
    if not names[engine]:
        return engine
    least, most = min(names[engine]), max(names[engine])
    return f"{engine} ({least:,} names a group)" if least == most else f"{engine} ({least:,} to {most:,} names a group)"


def row(title, cells):
    shares = (f"{100 * cells[engine]:.2f} %" if engine in cells else "–" for engine in engines)
    return f"| {title} | {' | '.join(shares)} |"


means = {}
for engine in engines:
    # A mean over some of the groups would not compare.
    if groups and all(engine in alarms[group] for group in groups):
        means[engine] = sum(alarms[group][engine] for group in groups) / len(groups)
print(f"| innocent names that alarm | {' | '.join(map(of, engines))} |")
print("|---|" + "--:|" * len(engines))
for group in groups:
    print(row(group, alarms[group]))
print(row(MEAN, means))
for title in (RECALL, EVASIONS):
    print(row(title, whole[title]))
