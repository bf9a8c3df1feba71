"""Runs every command that a document quotes with its output, and compares the two; `--write` puts the present output in.

quoted.py FILE... [--write]. A quotation is a block ```text whose first line is `$ COMMAND`; the command runs in the checkout.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
files = [Path(name) for name in sys.argv[1:] if name != "--write"]
write = "--write" in sys.argv
BLOCK = re.compile(r"^```text\n\$ ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
differ, ran = [], 0


def printed(command):
    return subprocess.run(shlex.split(command), cwd=root, check=True, capture_output=True, text=True).stdout


for file in files:
    text = file.read_text()

    def fresh(found):
        global ran
        command, quoted = found.groups()
        output = printed(command)
        ran += 1
        if output != quoted:
            differ.append(f"{file}: {command} prints\n{output}")
        return f"```text\n$ {command}\n{output}```"

    fresh_text = BLOCK.sub(fresh, text)
    if write:
        file.write_text(fresh_text)
if ran == 0:
    sys.exit("no document quotes a command with its output")
if differ and not write:
    sys.exit("\n".join([*differ, f"python tests/peers/quoted.py {' '.join(map(str, files))} --write puts it in"]))
print(f"quoted: {ran} commands print what the documents say")
