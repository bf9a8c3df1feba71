#!/usr/bin/env python3
"""Is the served OpenAPI document one, by the specification's own schema?

    openapi.py BASE_URL

Also: every example of a request is valid under the schema beside it. Exits 1 with a reason where that does not hold.
"""

import json
import sys
import urllib.request

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012


def examples(document):
    """Every media type's examples, with where they stand."""
    holders = [(f"response {name}", response) for name, response in document["components"]["responses"].items()]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            place = f"{method.upper()} {path}"
            holders += [(f"{place}, {status}", response) for status, response in operation["responses"].items()]
            holders += [(place, operation.get("requestBody", {}))]
    for place, holder in holders:
        for media in holder.get("content", {}).values():
            values = [example["value"] for example in media.get("examples", {}).values()]
            values += [media["example"]] if "example" in media else []
            for value in values:
                yield place, media["schema"], value


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with urllib.request.urlopen(f"{sys.argv[1].rstrip('/')}/openapi.json", timeout=60) as response:
        document = json.load(response)
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in OpenAPIV31SpecValidator(document).iter_errors()]
    base = "urn:openapi"
    registry = Registry().with_resource(base, Resource(contents=document, specification=DRAFT202012))
    count = 0
    for place, schema, value in examples(document):
        count += 1
        text = json.dumps(schema).replace('"#/', f'"{base}#/')
        validator = Draft202012Validator(json.loads(text), registry=registry)
        errors += [f"example of {place}: {error.message}" for error in validator.iter_errors(value)]
    for error in errors:
        print(f"openapi: {error}", file=sys.stderr)
    if not errors:
        print(f"openapi: valid, {len(document['paths'])} paths, {count} examples")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
