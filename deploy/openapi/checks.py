"""What deploy/test-openapi adds to schemathesis: bodies as clients send them, and the checks that its own
cannot make.

schemathesis asks that a request which breaks its schema be refused as a whole. This service refuses item by
item and drops what it cannot read, so the check here goes further and asks of every item: was it taken where,
and only where, the schema's core says so?
"""

import gzip
import itertools
import json
import pathlib
import re
import time

import jsonschema
import schemathesis
import yaml

SPECIFICATION = yaml.safe_load((pathlib.Path(__file__).parent.parent / "openapi.yaml").read_text())
COMPONENTS = SPECIFICATION["components"]


def pattern(validator, expression, value, schema):
    # JSON Schema's `$` is the end alone; Python's also stands before a last line break.
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", expression), value):
        yield jsonschema.ValidationError(f"{value!r} does not match {expression!r}")


def max_bytes(validator, limit, value, schema):
    # An integer is taken by its digits.
    text = str(value) if validator.is_type(value, "integer") else value
    if isinstance(text, str) and len(text.encode()) > limit:
        yield jsonschema.ValidationError(f"{value!r} is longer than {limit} bytes")


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": pattern, "x-max-bytes": max_bytes},
    # 1.0 is none, as an id is taken by its digits.
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def validator(schema):
    return Validator({"allOf": [schema], "components": COMPONENTS}, format_checker=jsonschema.FormatChecker())


def component(name):
    return validator({"$ref": f"#/components/schemas/{name}"})


TIME = component("Time")
CORES = {"receipts": component("ReceiptCore"), "sends": component("SendCore")}
# What random ids seldom are: taken or refused, the schema has to know.
ODD_IDS = itertools.cycle([
    " ", "\u3000\u2028", "", " a ", "null", "undefined", "NULL", "a\0", "a\n", "\x7f", "\x85", "\u200b", "\ufeff",
    "\U0001f680", "\u20ac" * 85, "\u20ac" * 86, "x" * 256, "x" * 257, "00000000-0000-0000-0000-00000000000A", "1e400",
    -1, 2**63, 2**64, 10**255, 10**256, 1.0, 1.5, 1e300, True, None, [], ["a"], {}, {"a": "b"},
])
ELSEWHERE = {404: "NotFound", 405: "MethodNotAllowed"}


def member(case):
    """`receipts` or `sends`; None for an operation that takes no posts."""
    name = case.operation.path.removeprefix("/v1/")
    return name if name in CORES and case.operation.method.upper() == "POST" else None


@schemathesis.serializer("application/json", "text/plain")
def as_json(context, value):
    case = context.case
    # Both ways to write what is not ASCII.
    is_escaped = case.media_type == "application/json"
    data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=is_escaped).encode()
    return gzip.compress(data) if (case.headers or {}).get("Content-Encoding") == "gzip" else data


@schemathesis.hook
def before_call(context, case, kwargs):
    name = member(case)
    items = case.body.get(name) if isinstance(case.body, dict) else None
    if not isinstance(items, list):
        return
    if name == "sends":
        items = [
            {**item, "sentAt": recent(item["sentAt"])} if isinstance(item, dict) and "sentAt" in item else item
            for item in items
        ]
    if 0 < len(items) < 1000 and isinstance(items[0], dict):
        items = [*items, {**items[0], "eventId": next(ODD_IDS)}]
    case.body = {**case.body, name: items}


def recent(value):
    """A schema cannot say that a send must be recent: what is a time at all becomes a recent one."""
    if value is None or not TIME.is_valid(value):
        return value
    moment = int(time.time()) - 3600
    if not isinstance(value, str):
        return moment
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) if "-" in value else str(moment)


def as_sent(response):
    """The JSON that went out."""
    data = response.request.body or b""
    data = data.encode() if isinstance(data, str) else data
    if response.request.headers.get("Content-Encoding") == "gzip":
        data = gzip.decompress(data)
    return json.loads(data)


def with_context(item, context):
    if not isinstance(item, dict):
        return item
    fields = dict(context) if isinstance(context, dict) else {}
    fields.update((name, value) for name, value in item.items() if value is not None)
    return {name: value for name, value in fields.items() if value is not None}


@schemathesis.check
class items_are_judged_as_the_core_says:
    def __init__(self):
        self.judged = {(name, verdict): 0 for name in CORES for verdict in ("taken", "refused")}

    def after_response(self, ctx, response, case):
        name = member(case)
        if name is None or response.request.method != "POST" or response.status_code not in (200, 400):
            return
        answer = response.json()
        try:
            post = as_sent(response)
        except ValueError:
            assert "error" in answer, "what is not JSON was taken for a post"
            return
        items = post.get(name) if isinstance(post, dict) else None
        if not isinstance(items, list):
            assert "error" in answer, f"a body without an array {name} was taken for a post"
            return
        assert "error" not in answer, f"the post was refused as a whole: {answer}"
        context = post.get("context") if name == "receipts" else None
        wrong = [i for i, item in enumerate(items) if not CORES[name].is_valid(with_context(item, context))]
        refused = [rejection["index"] for rejection in answer["rejected"]]
        assert refused == wrong, f"refused {refused}, while {wrong} break the schema: {answer}"
        taken = answer["accepted"] + answer["duplicates"]
        assert taken == len(items) - len(refused), f"{len(items)} items were sent, and counted: {answer}"
        assert (response.status_code == 400) == (taken == 0 < len(refused)), f"{response.status_code}: {answer}"
        self.judged[name, "taken"] += taken
        self.judged[name, "refused"] += len(refused)

    def after_run(self, ctx):
        assert min(self.judged.values()) >= 50, f"too few to prove anything: {self.judged}"


def resolved(node, kind):
    return COMPONENTS[kind][node["$ref"].rpartition("/")[2]] if "$ref" in node else node


@schemathesis.check
def other_methods_and_paths_are_answered_as_described(ctx, response, case):
    if response.status_code not in ELSEWHERE:
        return
    described = COMPONENTS["responses"][ELSEWHERE[response.status_code]]
    if response.request.method != "HEAD":
        validator(described["content"]["application/json"]["schema"]).validate(response.json())
    for name, header in described["headers"].items():
        schema = resolved(header, "headers")["schema"]
        validator(schema).validate(response.headers.get(name.lower(), [None])[0])


@schemathesis.check
def texts_are_as_described(ctx, response, case):
    """schemathesis looks at JSON alone."""
    operation = SPECIFICATION["paths"][case.operation.path].get(response.request.method.lower(), {})
    described = resolved(operation.get("responses", {}).get(str(response.status_code), {}), "responses")
    if "text/plain" in described.get("content", {}):
        validator(described["content"]["text/plain"]["schema"]).validate(response.text)
