"""Fault harness for the notary on several machines: see ../README.md."""
