"""The arguments of a tool: a pydantic model and a JSON schema read from a function, and messages a caller can act
on.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from mabos.configs.errors import InvalidArgument, closest, nearest

Fraction = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1: certainty, confidence, importance."""
Money = Annotated[float, Field(ge=0, le=1e12)]
"""An amount in US dollars, not negative, and small enough that a sum of amounts stays finite."""
_WORDS = r"[^\s\x1c-\x1f\x85\ufeff]"  # what is blank to any reader of regular expressions, who differ in these few
Text = Annotated[str, Field(min_length=1, pattern=_WORDS)]
"""A string with something in it."""
Count = Annotated[int, Field(ge=1)]
"""A whole number of at least 1: a limit, a depth."""

OwnId = Annotated[str, Field(max_length=120, pattern=r"^[^\s/\\\x00-\x1f\x7f]*$")]
"""An id that the caller chooses; "" leaves it to the tool. It stands in headings, keys and references."""

_LARGEST = 2**63 - 1  # what every reader of our JSON can hold as a whole number
_PARAMETER = re.compile(r"^(\w+)(?: \([^)]*\))?: *(.*)$")
_KINDS = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_PLURALS = {"string": "strings", "number": "numbers", "integer": "whole numbers", "object": "objects"}


class _Arguments(BaseModel):
    # Strict as JSON Schema is: an integer is a number, but "5" is not, and nothing unknown passes.
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


def public_name(parameter: str) -> str:
    """Return the public name of `parameter`: a trailing underscore, which avoids Python keywords, is dropped."""
    return parameter.removesuffix("_")


def parameter_notes(docstring: str) -> dict[str, str]:
    """Return the lines of a Google-style `Args:` section by parameter, continuation lines joined."""
    notes: dict[str, str] = {}
    lines = inspect.cleandoc(docstring).splitlines()
    if "Args:" not in lines:
        return notes
    current = ""
    for line in lines[lines.index("Args:") + 1 :]:
        if line and not line.startswith(" "):
            break
        if match := _PARAMETER.match(line[4:]):
            current = match[1]
            notes[current] = match[2].strip()
        elif current and line.strip():
            notes[current] = f"{notes[current]} {line.strip()}"
    return notes


def arguments_model(function: Callable[..., Any]) -> type[BaseModel]:
    """Return the pydantic model of the parameters of `function` after its first, which is the agent."""
    return create_model(function.__name__, __base__=_Arguments, **_fields(function))  # type: ignore[call-overload, no-any-return]  # pydantic types only literal fields


def action_arguments_model(name: str, actions: Mapping[str, Callable[..., Any]]) -> type[BaseModel]:
    """Return the model of an operation with actions: `action`, and all their arguments, each optional."""
    chosen = Field(description=f"What to do: {', '.join(actions)}.")
    fields: dict[str, tuple[Any, Any]] = {"action": (Literal[tuple(actions)], chosen)}
    for function in actions.values():
        for parameter, (hint, info) in _fields(function).items():
            kinds, first = fields.get(parameter, (hint, info))
            # The first to take it describes it; another may take another kind of it.
            described: Any = Field(default=None, alias=info.alias, description=first.description or info.description)
            fields[parameter] = (kinds | hint | None, described)
    return create_model(name, __base__=_Arguments, **fields)  # type: ignore[call-overload, no-any-return]  # as above


def _fields(function: Callable[..., Any]) -> dict[str, tuple[Any, FieldInfo]]:
    hints = get_type_hints(function, include_extras=True)
    notes = parameter_notes(function.__doc__ or "")
    fields: dict[str, tuple[Any, FieldInfo]] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        required = parameter.default is inspect.Parameter.empty
        info: FieldInfo = Field(
            default=... if required else parameter.default,
            alias=public_name(parameter.name),
            description=notes.get(parameter.name) or notes.get(public_name(parameter.name)),
        )
        fields[field_name(parameter.name)] = (hints[parameter.name], info)
    return fields


def field_name(parameter: str) -> str:
    """Return the model field for `parameter`; names that pydantic reserves get an underscore."""
    return f"{parameter}_" if hasattr(BaseModel, parameter) else parameter


def arguments_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the public JSON schema: `properties`, `required`, and `agent_id`, which every tool accepts."""
    raw = model.model_json_schema(by_alias=True)
    shapes = raw.get("$defs", {})
    properties = {name: _plain(_in_place(schema, shapes)) for name, schema in raw.get("properties", {}).items()}
    properties["agent_id"] = {"type": "string", "description": "The agent that acts; by default the caller itself."}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": raw.get("required", [])}
    if "$defs" in raw:
        schema["$defs"] = raw["$defs"]
    return schema | {"additionalProperties": False}


def _in_place(schema: dict[str, Any], shapes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that only refers to another as that other one, so that its type is seen at once."""
    if "$ref" not in schema:
        return schema
    return {
        **shapes[schema["$ref"].rpartition("/")[2]],
        **{name: one for name, one in schema.items() if name != "$ref"},
    }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop pydantic's own additions; an optional value is described by its type, since null means left out."""
    schema = {key: value for key, value in schema.items() if key != "title"}
    if schema.get("default", ...) is None:
        del schema["default"]
    alternatives = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if "anyOf" in schema and len(alternatives) == 1:
        del schema["anyOf"]
        schema = alternatives[0] | schema
    return schema


def validate_arguments(
    tool: str, model: type[BaseModel], schema: Mapping[str, Any], given: Mapping[str, Any]
) -> BaseModel:
    """Return `given` as the tool's argument model.

    null for an optional argument means that it is missing, and 3.0 is an integer, as in JSON Schema. Raises
    `InvalidArgument` with the argument, the expected value, and the nearest valid name or value.
    """
    values = {
        public_name(name): _whole(value, schema["properties"].get(public_name(name), {}))
        for name, value in given.items()
        if value is not None or public_name(name) in schema["required"]
    }
    try:
        return model.model_validate_json(_as_json(tool, values))
    except ValidationError as error:
        raise _readable(tool, error, schema, values) from None


def _whole(value: object, schema: Mapping[str, Any]) -> object:
    if isinstance(value, float) and value.is_integer() and schema.get("type") == "integer":
        return int(value)
    return value


def _as_json(tool: str, values: Mapping[str, Any]) -> bytes:
    if (found := _json(values)) is not None:
        return found
    argument = next((name for name, value in values.items() if _json({name: value}) is None), "")
    message = (
        f"{tool}: {argument!r} is not a JSON value; numbers must be finite, whole ones of at most 64 bits, "
        "and text valid Unicode"
    )
    raise InvalidArgument(message, argument=argument.encode(errors="replace").decode())


def _json(values: Mapping[str, Any]) -> bytes | None:
    """Return `values` as JSON, or None if some cannot be encoded."""
    try:
        text = _STRICT.encode(values)
        _BOUNDED.decode(text)
        return text.encode()
    except (TypeError, ValueError, RecursionError):
        return None


def _parse_bounded_int(digits: str) -> int:
    if abs(number := int(digits)) > _LARGEST:
        raise ValueError(digits)
    return number


_STRICT = json.JSONEncoder(allow_nan=False, ensure_ascii=False)
_BOUNDED = json.JSONDecoder(parse_int=_parse_bounded_int)


def _readable(
    tool: str, error: ValidationError, schema: Mapping[str, Any], values: Mapping[str, Any]
) -> InvalidArgument:
    # A misspelt name explains the missing one beside it, so unknown names come first.
    problems = sorted(error.errors(include_url=False), key=lambda problem: problem["type"] != "extra_forbidden")
    said = dict.fromkeys(_sentence(problem, schema, values) for problem in problems)
    message = f"{tool}: " + "; ".join(list(said)[:4])
    return InvalidArgument(message, argument=str(problems[0]["loc"][0]) if problems[0]["loc"] else None)


def _sentence(problem: Any, schema: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    if not problem["loc"]:
        return f"the arguments cannot be read: {problem['msg'][0].lower()}{problem['msg'][1:]}"
    argument, known = str(problem["loc"][0]), schema["properties"]
    if argument not in known:
        return f"there is no argument {argument!r}; {nearest(argument, known, 'it takes')}"
    if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
        return f"{argument!r} names who acts, and is not an argument of the step: leave it out"
    wanted = describe_schema(known[argument])
    if problem["type"] == "missing" and len(problem["loc"]) == 1:
        note = known[argument].get("description")
        return f"{argument!r} is missing; expected {wanted}" + (f" ({note})" if note else "")
    if len(problem["loc"]) > 1 and "anyOf" not in known[argument]:
        where = argument + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"][1:])
        return f"{where!r}: {problem['msg'][0].lower()}{problem['msg'][1:]}, got {_short(problem['input'])}"
    given = values[argument]
    hint = ""
    if isinstance(given, str) and (choices := known[argument].get("enum")):
        close = closest(given, map(str, choices))
        hint = f"; did you mean {close!r}?" if close else ""
    note = known[argument].get("description") if problem["type"] == "string_pattern_mismatch" else ""
    return f"{argument!r} must be {wanted}" + (f" ({note})" if note else "") + f", got {_short(given)}{hint}"


def describe_schema(schema: Mapping[str, Any]) -> str:
    """Describe the value that a JSON schema requires: `a number from 0 to 1`, `one of approve, reject`."""
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(describe_schema(one) for one in schema["anyOf"])
    kind = str(schema.get("type", ""))
    if kind == "array":
        items = schema.get("items", {})
        return f"a list of {_PLURALS.get(items.get('type', ''), 'values')}" if items else "a list"
    text = _KINDS.get(kind, "a JSON value")
    if schema.get("minLength"):
        text = "a non-empty string"
    if schema.get("maxLength"):
        return f"an id without spaces and slashes, of at most {schema['maxLength']} characters"
    if schema.get("pattern", _WORDS) != _WORDS:
        text = f"{text} that matches {schema['pattern']}"
    return text + _range(schema)


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    words = {"of at least": low, "of at most": high, "above": above, "below": below}
    return "".join(f" {word} {bound:g}" for word, bound in words.items() if bound is not None)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
