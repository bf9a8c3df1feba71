#!/usr/bin/env python3
"""Does a2a-sdk accept the served agent card?

    agent_card.py BASE_URL

The card is parsed strictly into the AgentCard message of A2A 1.0 (an unknown member is an error), and every field
that the protocol requires must be there. Exits 1 with a reason where that does not hold.
"""

import json
import sys
import urllib.request

from a2a.types.a2a_pb2 import AgentCard
from a2a.utils.errors import InvalidParamsError
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import ParseDict, ParseError


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    base_url = sys.argv[1].rstrip("/")
    with urllib.request.urlopen(f"{base_url}/.well-known/agent-card.json", timeout=60) as response:
        document = json.load(response)
    try:
        card = ParseDict(document, AgentCard(), ignore_unknown_fields=False)
        validate_proto_required_fields(card)
    except ParseError as error:
        print(f"agent card: does not parse: {error}", file=sys.stderr)
        return 1
    except InvalidParamsError as error:
        print(f"agent card: required fields are missing: {error.data}", file=sys.stderr)
        return 1
    with urllib.request.urlopen(f"{base_url}/catalog", timeout=60) as response:
        routes = json.load(response)["routes"]
    classes = sorted(route["class"] for route in routes if route["signed"])
    skills = sorted(skill.id for skill in card.skills)
    if skills != classes:
        print(f"agent card: its skills are {skills}, the catalog's verdict routes {classes}", file=sys.stderr)
        return 1
    print(f"agent card: {len(skills)} skills, all required fields are there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
