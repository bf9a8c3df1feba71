"""Verifies a webhook. pip install cryptography; python webhook.py KEY ID TIMESTAMP SIGNATURE < BODY"""
import base64, sys, time
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as Key
key, message_id, timestamp, signatures = sys.argv[1:]
signed = f"{message_id}.{timestamp}.".encode() + sys.stdin.buffer.read()
# There may be several signatures; those of other kinds are passed over.
signature = next(text[4:] for text in signatures.split(" ") if text.startswith("v1a,"))
Key.from_public_bytes(base64.b64decode(key.removeprefix("whpk_"))).verify(base64.b64decode(signature), signed)
print("valid: sent", int(time.time()) - int(timestamp), "s ago")
