"""The description of an operation for a reader of requests: name, purpose, JSON Schema, and wordings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that people can ask for.

    `parameters` is a JSON Schema (`properties`, `required`). `examples` are sentences that ask for it; `synonyms` map
    an argument to the words for its values, as `{"channel": {"search": ["google", "adwords"]}}`; `kinds` map an
    argument to the kind of slot that fills it: money, count, date, duration, name, text, selector, enum.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    synonyms: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
