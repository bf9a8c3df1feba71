"""Hands on the output of a tool, if the notary finds nothing against it: python scan_output.py < OUTPUT"""
import sys
import notary

output = sys.stdin.read()
try:
    notary.ask("scan-text", {"agent": "my-agent", "context": "tool_output", "text": output}, "NO_FINDING")
except notary.Refused as why:
    sys.exit(f"withheld: {why}")
print(output)
