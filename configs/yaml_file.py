"""Reading of YAML that people write; errors name the file, the line or key, and the nearest known name."""

from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from mabos.configs.errors import Damaged, InvalidArgument, nearest

Model = TypeVar("Model", bound=BaseModel)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where libyaml is there
_DEEPEST = 60  # values within values: libyaml takes the whole process down somewhere beyond
_MOST = 200_000  # values of a file, those that aliases repeat counted each time
_USUAL_BRACKETS, _USUAL_LINE = 200, 1_000  # up to these a text without anchors can be neither
_NO_VALUE = (AttributeError, KeyError, OverflowError, TypeError, ValueError)  # what PyYAML raises for the 45th of March


@cache
def packaged_yaml(name: str) -> dict[str, Any]:
    """Return the mapping in a YAML file of this folder, as "requests/units.yaml"; cached, so do not change it."""
    return read_yaml(Path(__file__).parent / name)


def read_yaml(path: Path, *, missing_is_empty: bool = False) -> dict[str, Any]:
    """Return the mapping in the YAML file at `path`; raises `Damaged` with file and line where it is not one."""
    if path.exists() and not path.is_file():  # a pipe would be waited for, and a device has no end
        raise Damaged(f"{path} is not a file; replace or remove it")
    try:
        content = load_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if missing_is_empty:
            return {}
        raise Damaged(f"{path} does not exist") from None
    except UnicodeDecodeError as error:
        raise Damaged(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        raise Damaged(f"{path}{line} is not valid YAML: {getattr(error, 'problem', error)}") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise Damaged(f"{path}:1 holds a {type(content).__name__}; expected `name: value` lines")
    return {str(key): value for key, value in content.items()}


def load_yaml(text: str) -> Any:
    """Return the content of YAML text, plain values only.

    Raises `yaml.YAMLError`, also for content that grows without bounds and for an invalid date or number.
    """
    brackets = text.count("[") + text.count("{")
    if "&" in text or brackets > _USUAL_BRACKETS or max(map(len, text.splitlines()), default=0) > _USUAL_LINE:
        _measure(text)
    try:
        return yaml.load(text, Loader=_LOADER)  # noqa: S506  both loaders are safe
    except _NO_VALUE as error:
        raise _misread(text, error) from None


def _measure(text: str) -> None:
    """Raise for values too deep within each other, too many of them, or one that holds itself by an alias."""
    sizes: dict[str, int] = {}
    inside: list[tuple[str | None, int]] = [(None, 0)]
    for event in yaml.parse(text, Loader=_LOADER):
        size = 0
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise yaml.YAMLError(f"the alias *{event.anchor} is undefined or refers to itself")
            size = sizes[event.anchor]
        elif isinstance(event, yaml.CollectionStartEvent):
            inside.append((event.anchor, 0))
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionEndEvent):
            anchor, held = inside.pop() if isinstance(event, yaml.CollectionEndEvent) else (event.anchor, 0)
            size = held + 1
            sizes |= {anchor: size} if anchor else {}
        anchor, held = inside[-1]
        inside[-1] = (anchor, held + size)
        if len(inside) > _DEEPEST or held + size > _MOST:
            raise yaml.YAMLError(f"more than {_DEEPEST} levels of nesting, or more than {_MOST:,} values")


def _misread(text: str, error: Exception) -> yaml.YAMLError:
    """Return the error for a value that looks like a date or a number but is invalid."""
    loader = _LOADER(text)
    nodes: list[Any] = [loader.get_single_node()]
    for node in nodes:  # which grow on the way
        if not isinstance(node, yaml.ScalarNode):
            nodes += chain.from_iterable(node.value) if isinstance(node, yaml.MappingNode) else node.value
            continue
        try:
            loader.construct_object(node)
        except _NO_VALUE as said:
            problem = f"{node.value[:40]!r} is invalid ({said}); put it in quotes, or correct it"
            return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
    return yaml.YAMLError(str(error))


def validate_content(model: type[Model], content: Mapping[str, Any], source: str) -> Model:
    """Return `content` as a `model`; raises `InvalidArgument` with `source`, the key and the nearest known one."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        lines = [_complaint(model, problem["loc"], problem["type"], problem["msg"]) for problem in error.errors()]
        raise InvalidArgument(f"{source}: " + "; ".join(lines)) from None


def _complaint(model: type[BaseModel], place: tuple[int | str, ...], kind: str, message: str) -> str:
    where = ".".join(map(str, place)) or "the file"
    if kind != "extra_forbidden":
        return f"{where}: {message}"
    known = _keys(model, place[:-1])
    return f"{where} is not a known key; {nearest(str(place[-1]), known, 'known here:')}"


def _keys(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Return the valid keys at `place` below `model`."""
    current: type[BaseModel] = model
    for part in place:
        field = current.model_fields.get(str(part))
        if field is not None:  # else an index of a list or a key of a mapping: the model is that of an element already
            current = _element(field.annotation) or current
    return sorted(current.model_fields)


def _element(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside `annotation`: itself, or the element of a tuple, list, mapping or optional."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_element(argument) for argument in get_args(annotation))
    return next((model for model in found if model is not None), None)
