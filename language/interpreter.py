"""From a message to readings: the protocol, with and without a chat model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from mabos.backends.embed import Embedder
from mabos.language.operation import Operation
from mabos.language.request import Reading, Request


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a business's own records, for names and selectors.

    `metrics` are the names of its series and facts, `tags`, `segments` and `companies` those of its contacts,
    `names` maps the name of a record to its section and id, `fields` a field of contacts to its values.
    """

    metrics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a message: the time, the available operations, the colleagues, and the earlier requests.

    `colleagues` maps an agent's id to its title, `earlier` has the sender's requests, newest first; `is_person` says
    whether the sender is a person. `embedder` refines the trained classifiers.
    """

    now: datetime
    operations: Sequence[Operation] = ()
    colleagues: Mapping[str, str] = field(default_factory=dict)
    vocabulary: Vocabulary = Vocabulary()
    earlier: Sequence[Request] = ()
    is_person: bool = True
    embedder: Embedder | None = None


class Interpreter(Protocol):
    """A parser of messages into requests."""

    def read(self, text: str, context: Context) -> tuple[Reading, ...]:
        """Return a reading for each thing that is asked for or said, in order."""
        ...
