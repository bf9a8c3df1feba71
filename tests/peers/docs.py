"""Runs every ```sh block of the documentation against a notary, in the order in which it stands.

docs.py BASE_URL DATA_DIR BINARY FILE...; what a reader would do by hand: the blocks of one file share a folder and
a shell, fail at the first command that fails, and see the notary under the address that they name.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

base, data_dir, binary, *files = sys.argv[1:]
root = Path(__file__).resolve().parents[2]
port = base.rsplit(":", 1)[1]
# The most seconds that the blocks of one file may take.
PATIENCE_S = 900

ran = 0
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree(root / "docs", Path(folder) / "docs")
    venv = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{Path(binary).parent}:{venv}:{os.environ['PATH']}",
        "TOUCHSTONE_DATA_DIR": str(Path(data_dir).resolve()),
        "TOUCHSTONE_LISTEN": f"127.0.0.1:{port}",
        "TOUCHSTONE_SERVER": base,
        "NOTARY": base,
    }
    for file in files:
        text = Path(file).read_text().replace("localhost:8402", f"localhost:{port}")
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        if not blocks:
            continue
        script = "set -euxo pipefail\n" + "\n".join(blocks)
        seen = environment
        if Path(file).name == "verifying.md":
            # Who was sent a receipt has not the notary's data.
            seen = environment | {"TOUCHSTONE_DATA_DIR": str(Path(folder) / "none")}
        try:
            done = subprocess.run(
                ["bash", "-c", script], cwd=folder, env=seen, capture_output=True, text=True, timeout=PATIENCE_S
            )
        except subprocess.TimeoutExpired as late:
            said = "\n".join((part or b"").decode(errors="replace") for part in (late.stdout, late.stderr))
            sys.exit(f"{file}: not at its end after {PATIENCE_S} s\n{said}")
        if done.returncode != 0:
            sys.exit(f"{file}: a command failed\n{done.stdout}\n{done.stderr}")
        ran += len(blocks)
if ran == 0:
    sys.exit("no commands were found in the documentation")
print(f"documentation: {ran} blocks ran")
