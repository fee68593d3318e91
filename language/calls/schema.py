"""Operations with their parameters, prepared for the reader of requests from their JSON Schemas alone."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.calls.tokens import CLASS_OF_WORD, split_words, stem, stems
from mabos.language.operation import Operation
from mabos.language.wordlists import order_form

NONE: Final = object()
"""Stands for a default that is not declared, where None could be one."""
_TYPES = {
    "dict": "object", "float": "number", "double": "number", "long": "integer", "int": "integer", "str": "string",
    "tuple": "array", "list": "array", "set": "array", "bool": "boolean", "any": "string", "char": "string",
}  # fmt: skip
_QUOTED = re.compile(r"(?<!\w)['\"‘“`]([^'\"’”`]{1,40})['\"’”`](?!\w)")
_EXAMPLES = re.compile(r"(?i)(?:e\.g\.,?|such as|for example,?|like|i\.e\.,?|examples?:)\s*\(?([^.;()]{2,80})")
_DEFAULT = order_form("claims_schema.default")
_FORMAT = re.compile(r"format|expressed|specified in|in the form", re.IGNORECASE)

MEANINGS: dict[str, str] = packaged_yaml("requests/argument_words.yaml")
_DATE = stem("date")
MEANING_STEMS = {name: frozenset(stem(word) for word in words.split()) for name, words in MEANINGS.items()}
_TIMELY = tuple(list(MEANINGS).index(name) for name in ("date", "time", "year", "duration", "text"))
_EMPTY_STEMS = frozenset(
    stem(word)
    for word in split_words(
        "the a an of to in for is be or and if not default this that which will should can used "
        "use optional required parameter value specified given specific e g i string integer "
        "float boolean list with by from as on at it are such format number example name etc "
        "provided desired you want"
    )
)


@dataclass(frozen=True, eq=False)
class SlotSchema:
    """A slot of an operation; `path` has two names for a field of a nested object."""

    path: tuple[str, ...]
    type: str
    item_type: str
    description: str
    required: bool
    position: int
    choices: tuple[Any, ...]
    listed: tuple[str, ...]
    default: Any
    name_stems: tuple[str, ...]
    own_stems: frozenset[str]
    description_stems: frozenset[str]
    meanings: tuple[float, ...]
    has_format: bool
    format: str

    @property
    def name(self) -> str:
        """The name of the argument, dotted for a nested field."""
        return ".".join(self.path)

    @property
    def is_numeric(self) -> bool:
        """Return whether the value is a number."""
        return self.type in ("integer", "number")

    @property
    def is_year(self) -> bool:
        """Return whether the value is the number of a year."""
        return bool(self.name_stems) and self.name_stems[-1] == "year" and "years" not in self.path[-1]

    @property
    def is_day(self) -> bool:
        """Return whether the value is a date, by name or by format."""
        return (
            self.format in ("date", "date-time")
            or _DATE in self.name_stems
            or bool(re.search(r"YYYY|yyyy|ISO.?8601", self.description))
        )

    @property
    def is_timely(self) -> bool:
        """Return whether the value concerns days or times."""
        return self.is_day or any(self.meanings[at] for at in _TIMELY)

    @property
    def is_mail(self) -> bool:
        """Return whether the value is a mail address."""
        return self.format == "email" or bool(re.search(r"e-?mail (?:address|id)", self.description, re.IGNORECASE))


@dataclass(frozen=True, eq=False)
class OperationForm:
    """An operation, parsed once: its parameters and the stems of its own words."""

    operation: Operation
    parameters: tuple[SlotSchema, ...]
    name_stems: tuple[str, ...]
    description_stems: frozenset[str]
    every_stem: frozenset[str]
    has_opaque_object: bool


def form_of(operation: Operation) -> OperationForm:
    """Return the parsed operation; cached for operations with equal schemas."""
    return _form_of(operation.name, operation.description, json.dumps(dict(operation.parameters), default=str))


@lru_cache(maxsize=1024)
def _form_of(name: str, description: str, schema: str) -> OperationForm:
    parameters: Mapping[str, Any] = json.loads(schema)
    drafts, opaque = _fields(parameters, (), required=True)
    shared = _shared_stems([draft[0][-1] for draft in drafts])
    built = tuple(_parameter(path, spec, required, at, shared) for at, (path, spec, required) in enumerate(drafts))
    name_stems = tuple(stems(name))
    own = frozenset(stems(description)) - _EMPTY_STEMS
    words = own | set(name_stems)
    for parameter in built:
        words |= set(parameter.name_stems) | parameter.description_stems
        words |= {part for choice in parameter.choices for part in stems(str(choice))}
    return OperationForm(Operation(name, description, parameters), built, name_stems, own, frozenset(words), opaque)


def _fields(
    schema: Mapping[str, Any], path: tuple[str, ...], *, required: bool
) -> tuple[list[tuple[tuple[str, ...], Mapping[str, Any], bool]], bool]:
    """Return path, schema and whether it is required of every slot, and whether a required slot is an opaque object."""
    found: list[tuple[tuple[str, ...], Mapping[str, Any], bool]] = []
    wanted = schema.get("required") or ()
    opaque = False
    for name, spec in (schema.get("properties") or {}).items():
        if not isinstance(spec, Mapping):
            continue
        is_required = required and name in wanted
        kind = _type_of(spec)
        items = spec.get("items") or {}
        if kind == "object" and spec.get("properties") and len(path) < 2:
            inner, inner_opaque = _fields(spec, (*path, name), required=is_required)
            found += inner
            opaque |= inner_opaque
        elif kind == "object" or (
            kind == "array" and isinstance(items, Mapping) and _type_of(items) in ("object", "array")
        ):
            opaque |= is_required
            found.append(((*path, name), {**spec, "type": "opaque", "items": {"type": kind}}, is_required))
        else:
            found.append(((*path, name), spec, is_required))
    return found, opaque


def _type_of(spec: Mapping[str, Any]) -> str:
    kind = spec.get("type", "")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        kind = next((name for name in kind if name != "null"), "string")
    if not kind:
        options = spec.get("anyOf") or spec.get("oneOf") or ()
        kind = next((_type_of(option) for option in options if option.get("type") != "null"), "string")
    return _TYPES.get(str(kind).lower(), str(kind).lower())


def _shared_stems(names: Sequence[str]) -> frozenset[str]:
    """Return the stems that occur in the names of several parameters, and so tell none from another."""
    counted: dict[str, int] = {}
    for name in names:
        for part in set(stems(name)):
            counted[part] = counted.get(part, 0) + 1
    return frozenset(part for part, count in counted.items() if count > 1)


def _parameter(
    path: tuple[str, ...], spec: Mapping[str, Any], required: bool, position: int, shared: frozenset[str]
) -> SlotSchema:
    description = str(spec.get("description", ""))
    items = spec.get("items") or {}
    items = items if isinstance(items, Mapping) else {}
    name_stems = tuple(part for part in stems(path[-1]) if len(part) > 1 or len(stems(path[-1])) == 1)
    default = spec.get("default", NONE)
    if default is NONE and (told := _DEFAULT.search(description)):
        default = _default_of(told[1].strip(), _type_of(spec))
    body = _DEFAULT.sub(" ", description)
    described = frozenset(stems(body)) - _EMPTY_STEMS
    listed = tuple(dict.fromkeys(text.strip() for text in [*_QUOTED.findall(body), *_examples(body)] if text.strip()))
    choices = tuple(spec.get("enum") or items.get("enum") or ())
    return SlotSchema(
        path=path, type=_type_of(spec), item_type=_type_of(items) if items else "string", description=description,
        required=required, position=position, choices=choices, listed=listed[:40], default=default,
        name_stems=name_stems, own_stems=frozenset(name_stems) - shared, description_stems=described,
        meanings=_meanings(name_stems, stems(body)[:25]), has_format=bool(_FORMAT.search(description)),
        format=str(spec.get("format", "")),
    )  # fmt: skip


def _default_of(text: str, kind: str) -> Any:
    """Return a default that a description states, in the type of its parameter where it has that form."""
    if kind in ("integer", "number") and re.fullmatch(r"-?\d+", text):
        return int(text)
    if kind == "number" and re.fullmatch(r"-?\d+\.\d+", text):
        return float(text)
    return text.lower() == "true" if kind == "boolean" and text.lower() in ("true", "false") else text


def _examples(description: str) -> list[str]:
    found: list[str] = []
    for match in _EXAMPLES.finditer(description):
        found += [part.strip(" '\"`’“”") for part in re.split(r",| or | and ", match[1]) if 0 < len(part.strip()) < 30]
    return [text for text in found if text and text.lower() not in CLASS_OF_WORD and text.lower() != "etc"]


def _meanings(name: Sequence[str], described: Sequence[str]) -> tuple[float, ...]:
    """Return for each meaning 2 if the name says it, 1 if the description does, else 0."""
    return tuple(
        2.0 if not words.isdisjoint(name) else 1.0 if not words.isdisjoint(described) else 0.0
        for words in MEANING_STEMS.values()
    )
