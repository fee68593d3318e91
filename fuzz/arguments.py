"""Random argument sets for a tool: values allowed by its schema, existing ids, and hostile input."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from mabos.tools.catalogue.declaration import Tool

Schema = Mapping[str, Any]
Anything = st.SearchStrategy[Any]

ESCAPED = "mabos-escaped"
"""The name in every path out of the workspace, by which a trace of it can be found."""

AGENTS = (
    *("cfo",) * 16,
    *("hr", "ceo", "cmo", "knowledge") * 2,
    "",
    "ceo",
    "nobody",
    "../cfo",
    "cfo\x00",
    "CFO",
    "stakeholder",
    "cfö",
)
_DEEP = 300


def _nested(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


HOSTILE: Sequence[Any] = (
    f"../../../../{ESCAPED}", f"/tmp/{ESCAPED}", f"..\\..\\{ESCAPED}", f"a/../../{ESCAPED}", f"~/{ESCAPED}",  # noqa: S108 - never to be written
    f"file:///{ESCAPED}", "con", ".", "..", "./", "-rf", "--help", "a\x00b", "\x00", "\x1b[2J", "\r\n\r\nX: y",
    "\n## Heading\n- **Id:** X", "---\nid: x\n---", "# ", "<!-- -->", "| a | b |", "{{7*7}}", "${HOME}", "%s%n", "{0}",
    "'; DROP TABLE items; --", "MATCH (n) DETACH DELETE n", "<script>alert(1)</script>", "<!ENTITY x SYSTEM 'file:/x'>",
    "(a+)+$", "NEAR(a b)", '"', "*", "?x", "\\", "A" * 70_000, "é" * 3_000, "\ud800", "a\udfffb", "\u202eabc", "\ufeff",
    "İ", "ﬁ", "𝕏", "👩‍👩‍👧", "９", "٣", "ceo", "cmo", "stakeholder", "B-ü-ñ", "G-1\n", " G-1", "g-1", "9999-99-99",
    "2026-02-30", "10000-01-01", "0000-00-00", "-1", "1e999", "NaN", "inf", "P1Y", "R/PT0S",
    "2026-01-01T00:00:00+99:00", "ceo' OR '1'='1", "x >= ", "x >= 1 and", "1/0", "__class__", "lambda: 0", "{", "[",
    "null", "true", "", " ", "\t", 0, -1, 1, 2**31, 2**63 - 1, 2**63, 2**200, -(2**63), 0.0, -0.0, 1e308, 5e-324,
    float("nan"), float("inf"), float("-inf"), True, False, None, [], {}, [None], [[]], [{}], ["", ""], ["../x"],
    [1, "1", 1.0], {"": ""}, {"id": f"../{ESCAPED}"}, {"__proto__": {}}, {"a": {"b": [1, {"d": None}]}},
    {"a": float("nan")}, {"k" * 5_000: 1}, _nested(20), _nested(_DEEP), ["x"] * 3_000,
    {str(number): number for number in range(600)}, {"type": "x", "kind": "y"}, {"status": 7}, {"beliefs": []},
    {"@type": "x"}, {"$ref": "#/x"}, b"bytes", {1, 2}, 3j,
)  # fmt: skip
"""Values that no argument is ready for; the last are not even JSON."""

_PLAUSIBLE = ("churn", "acme", "2026-02-01", "runway >= 6", "churn_rate < 3%", "message", "PT1H", "marketing", "cfo")
"""Words that mean something where a text is asked for."""

_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def values(schema: Schema, shapes: Schema) -> Anything:
    """Return random values that a tool's JSON schema allows; `shapes` are its `$defs`."""
    if "$ref" in schema:
        return st.deferred(lambda: values(shapes[schema["$ref"].rpartition("/")[2]], shapes))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*(values(one, shapes) for one in schema["anyOf"]))
    drawn = _OF_TYPE.get(str(schema.get("type")))
    return drawn(schema, shapes) if drawn else _anything


def _texts(schema: Schema, _: Schema) -> Anything:
    pattern, most = str(schema.get("pattern", "")), min(schema.get("maxLength", 30), 30)
    if pattern.startswith("^"):
        return st.from_regex(pattern, fullmatch=True).filter(lambda text: len(text) <= most)
    words = st.text(min_size=schema.get("minLength", 0), max_size=most) | st.sampled_from(_PLAUSIBLE)
    return words.filter(re.compile(pattern).search) if pattern else words


def _numbers(schema: Schema, _: Schema) -> Anything:
    low, high = schema.get("minimum"), schema.get("maximum")
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


def _whole(schema: Schema, _: Schema) -> Anything:
    low, high = schema.get("minimum"), schema.get("maximum", 2**63 - 1)
    return st.integers(low or 0, min(high, 200)) | st.integers(low if low is not None else -(2**63), high)


def _lists(schema: Schema, shapes: Schema) -> Anything:
    return st.lists(values(schema.get("items", {}), shapes), min_size=schema.get("minItems", 0), max_size=4)


def _objects(schema: Schema, shapes: Schema) -> Anything:
    if "properties" not in schema:
        further = schema.get("additionalProperties")
        inner = values(further, shapes) if isinstance(further, dict) else _anything
        return st.dictionaries(st.text(max_size=8), inner, max_size=4)
    required = set(schema.get("required", ()))
    fields = {name: values(one, shapes) for name, one in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: one for name, one in fields.items() if name in required},
        optional={name: one for name, one in fields.items() if name not in required},
    )


_OF_TYPE: Mapping[str, Callable[[Schema, Schema], Anything]] = {
    "string": _texts,
    "number": _numbers,
    "integer": _whole,
    "boolean": lambda *_: st.booleans(),
    "null": lambda *_: st.none(),
    "array": _lists,
    "object": _objects,
}


def sets(tool: Tool, known: Mapping[str, Sequence[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return argument sets for a tool: valid ones, some with `known` ids, and some with hostile values."""
    schemas = {name: _own(action.schema) for name, action in tool.actions.items()} or {"": _own(tool.schema)}
    valid = {name: values(schema, schema.get("$defs", {})) for name, schema in schemas.items()}

    @st.composite
    def one(draw: Callable[[Any], Any]) -> dict[str, Any]:
        name = draw(st.sampled_from(list(schemas)))
        given: dict[str, Any] = dict(draw(valid[name]))
        names, needed = list(schemas[name]["properties"]), set(schemas[name].get("required", ()))
        if draw(st.booleans()):  # of many that may be left out one is sure to be wrong, and then nothing else is tried
            needed |= draw(st.sets(st.sampled_from(names), max_size=2)) if names else set()
            given = {argument: value for argument, value in given.items() if argument in needed}
        for argument in names:
            ids = known.get(f"{tool.name}.{argument}") or known.get(argument)
            if ids and (argument in given or draw(st.integers(0, 3)) == 0) and draw(st.integers(0, 5)):
                given[argument] = list(ids) if argument == "startNodeIds" else draw(st.sampled_from(ids))
        if name:
            given["action"] = name
        for _ in range(draw(st.sampled_from((0, 0, 1, 1, 2)))):
            argument = draw(st.sampled_from([*names, *names, "agent_id", "unheard_of", "../x"]))
            given[argument] = draw(st.sampled_from(HOSTILE) | _anything)
        return given

    return one()


def _own(schema: Schema) -> dict[str, Any]:
    """Return the schema without `agent_id`, which the call is given apart."""
    return dict(schema) | {"properties": {k: v for k, v in schema["properties"].items() if k != "agent_id"}}
