"""Enlarged examples of problems: each list, mapping, number and text in them, and each of their entities."""

import json
from collections.abc import Callable, Iterator
from typing import Any

SIZES = (3000, 1000, 300, 80, 20)
"""Numbers by which a problem is enlarged; the largest that is not refused is measured."""
Problem = dict[str, Any]
Made = Callable[[int], Problem]
NAMES = ("id", "name", "label")


def enlarged(example: Problem) -> Iterator[tuple[str, Made]]:
    """Yield ways to enlarge an example, with the part that grows."""
    told: Problem = json.loads(json.dumps(example))
    for path in sorted({tuple(path) for path in _paths(told, ())}, key=str):
        where = ".".join(map(str, path))
        found = _at(told, path)
        for how, longer in _LONGER:
            if longer(found, 2) is not None:
                yield (
                    f"{where} {how}",
                    lambda size, path=path, longer=longer: _with(  # type: ignore[misc]
                        told, path, longer(_at(told, path), size)
                    ),
                )
    for word in sorted(set(_words(told)) - set(told) - {told["kind"]}):
        yield f"things like {word!r}", lambda size, word=word: _more(told, word, size)  # type: ignore[misc]


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the places of a problem, of the entries of a list or mapping of like things only the last."""
    if path and path != ("kind",):
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from _paths(value[key], (*path, key))
    if isinstance(value, list) and value:
        yield from _paths(value[-1], (*path, len(value) - 1))


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _words(inner)


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a problem with something else in one place."""
    if not path:
        return new
    step, *rest = path
    inner = _with(value[step], tuple(rest), new)
    if isinstance(value, dict):
        return {**value, step: inner}
    return [*value[:step], inner, *value[step + 1 :]]


def _repeated(value: Any, size: int) -> Any:
    return (value * size)[: max(size, len(value))] if isinstance(value, list) and value else None


def _renamed(value: Any, size: int) -> Any:
    """Return a list or mapping with copies of its last entry under names of their own."""
    if isinstance(value, dict) and value:
        last = list(value.values())[-1]
        return {**value, **{f"more {n}": last for n in range(size)}}
    if not isinstance(value, list) or not value:
        return None
    last = value[-1]
    if isinstance(last, str):
        return [*value, *(f"more {n}" for n in range(size))]
    if isinstance(last, dict) and any(name in last for name in NAMES):
        return [*value, *({**last, **{k: f"more {n}" for k in NAMES if k in last}} for n in range(size))]
    return None


def _counting(value: Any, size: int) -> Any:
    return [*value, *range(size)] if isinstance(value, list) and value and isinstance(value[-1], int | float) else None


def _times(value: Any, size: int) -> Any:
    return value * size if isinstance(value, int) and not isinstance(value, bool) else None


def _joined(by: str) -> Callable[[Any, int], Any]:
    return lambda value, size: by.join([value] * size) if isinstance(value, str) else None


_LONGER: tuple[tuple[str, Callable[[Any, int], Any]], ...] = (
    ("repeated", _repeated),
    ("with more names", _renamed),
    ("with more numbers", _counting),
    ("times", _times),
    ("summed", _joined(" + ")),
    ("and itself", _joined(" & ")),
)


def _more(value: Any, word: str, size: int) -> Any:
    """Return a problem with `size` more things like the one called `word`, said the same about wherever it is."""
    if isinstance(value, dict):
        whole = {key: inner if key == word else _more(inner, word, size) for key, inner in value.items()}
        if word in value:
            whole |= {f"{word} {n}": _swapped(value[word], word, f"{word} {n}") for n in range(size)}
        return whole
    if isinstance(value, list):
        found: list[Any] = []
        for inner in value:
            copies = size if word in _words(inner) else 0
            found += [inner, *(_swapped(inner, word, f"{word} {n}") for n in range(copies))]
        return found
    return value


def _swapped(value: Any, word: str, other: str) -> Any:
    if isinstance(value, dict):
        return {other if key == word else key: _swapped(inner, word, other) for key, inner in value.items()}
    if isinstance(value, list):
        return [_swapped(inner, word, other) for inner in value]
    return other if value == word else value
