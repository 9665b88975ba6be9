"""Whether the examples in openapi.yaml keep to the schemas beside them."""

import sys

import checks


def contents(node, where=""):
    """Every media type with examples, and where it stands."""
    for name, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        place = f"{where}/{name}"
        if isinstance(child, dict) and "schema" in child and "examples" in child:
            yield place, child
        yield from contents(child, place)


count = wrong = 0
for place, content in contents(checks.SPECIFICATION):
    for name, example in content["examples"].items():
        count += 1
        for error in checks.validator(content["schema"]).iter_errors(example["value"]):
            wrong += 1
            print(f"{place}/{name}: {error.json_path}: {error.message}")
print(f"{count} examples, {wrong} mistakes")
sys.exit(wrong > 0 or count == 0)
