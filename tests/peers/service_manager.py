"""Starts a notary as systemd starts a unit of `Type=notify`, and reads what it says on the socket.

service_manager.py BINARY WORK_DIR
"""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

binary, work = sys.argv[1], Path(sys.argv[2])
data = work / "service_manager"
data.mkdir()
(data / "touchstone.toml").write_text('[trust]\nname_servers = "127.0.0.1:1"\n')
path = str(work / "notify")
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(path)
manager.settimeout(120)
command = [binary, "dev", "--listen", "127.0.0.1:0", "--data-dir", str(data)]
notary = subprocess.Popen(command, env=os.environ | {"NOTIFY_SOCKET": path}, stdout=subprocess.PIPE, text=True)
try:
    said = manager.recv(4096).decode().split()
    assert said == ["READY=1"], said
    address = next(line for line in notary.stdout if line.startswith("listening on ")).split()[-1]
    with urllib.request.urlopen(f"{address}/health", timeout=30) as answer:
        assert answer.status == 200
    notary.send_signal(signal.SIGTERM)
    said = manager.recv(4096).decode().split()
    assert said == ["STOPPING=1"], said
    assert notary.wait(60) == 0
finally:
    notary.kill()
    notary.wait()
print("service manager: it is told when the notary is ready and when it stops")
