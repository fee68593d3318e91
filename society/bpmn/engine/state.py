"""The stored state of a running workflow: tokens, their scopes, and variables. None of it is derived."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from mabos.configs.errors import Damaged

Status = Literal["running", "completed", "terminated", "failed"]
Waiting = Literal[
    "", "user", "manual", "service", "script", "rule", "send", "call", "task", "message", "timer", "signal",
    "conditional", "race", "join", "scope", "several", "trouble",
]  # fmt: skip
OUTSIDE: frozenset[Waiting] = frozenset({"user", "manual", "service", "script", "rule", "send", "call", "task"})
"""The external work for which a token waits, answered with `complete` or `fail`."""
_CONFIG = ConfigDict(extra="forbid")


@with_config(_CONFIG)
@dataclass(slots=True)
class Token:
    """A position in the workflow. `wait` is what it waits for; "" means that it moves.

    `via` is the flow it arrived by, `due` when each of its timers is due, by event, `of` the token that this one
    repeats, `turn` the number of the repetition, and `left` how often each timer may still fire. `visit` counts the
    nodes it reached, and its errors.
    """

    id: int
    node: str
    scope: int
    wait: Waiting = ""
    via: str = ""
    why: str = ""
    due: dict[str, str] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    of: int = 0
    turn: int = 0
    visit: int = 0
    since: str = ""

    @property
    def occasion(self) -> str:
        """The identifier of this wait, unique in the workflow."""
        return occasion(self.id, self.visit, self.turn)


@with_config(_CONFIG)
@dataclass(slots=True)
class Scope:
    """A running process or sub-process. `token` is the one that waits for its end; 0 for a top-level process.

    `due` has the times of its event sub-processes' timers.
    """

    id: int
    node: str
    token: int = 0
    parent: int = 0
    due: dict[str, str] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)


@with_config(_CONFIG)
@dataclass(slots=True)
class ExecutionState:
    """A running workflow. `outcome` is how it ended; `next` is the number of the next token or scope.

    `mail` counts messages that arrived at a node before it waits for them; `undo` lists completed activities with a
    compensation, oldest first.
    """

    id: str
    status: Status = "running"
    variables: dict[str, Any] = field(default_factory=dict)
    tokens: dict[int, Token] = field(default_factory=dict)
    scopes: dict[int, Scope] = field(default_factory=dict)
    mail: dict[str, int] = field(default_factory=dict)
    undo: list[str] = field(default_factory=list)
    next: int = 1
    started: str = ""
    outcome: str = ""

    def waits(self) -> list[Token]:
        """Return the tokens that wait for outside input: work, a message, a time, or help."""
        return [one for one in self.tokens.values() if one.wait not in ("", "scope", "several", "join")]

    def work(self) -> list[Token]:
        """Return the tokens that wait for work."""
        return [one for one in self.tokens.values() if one.wait in OUTSIDE]

    def troubles(self) -> list[Token]:
        """Return the tokens that are stuck, each with the reason."""
        return [one for one in self.tokens.values() if one.wait == "trouble"]

    def within(self, scope: int) -> Iterator[int]:
        """Yield a scope and all that run inside it, outermost first."""
        yield scope
        for one in list(self.scopes.values()):
            if one.parent == scope:
                yield from self.within(one.id)

    def number(self) -> int:
        """Return a new number for a token or scope."""
        self.next += 1
        return self.next - 1

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {name: getattr(self, name) for name in _PLAIN} | {
            "tokens": [_serialize_record(one) for one in self.tokens.values()],
            "scopes": [_serialize_record(one) for one in self.scopes.values()],
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "ExecutionState":
        """Return the state from an `as_json` record, without sharing data with it.

        Raises `Damaged` for an invalid record.
        """
        try:
            told = {name: {one["id"]: one for one in record[name]} for name in ("tokens", "scopes")}
            return _STATE.validate_python({**record, **told, "variables": deepcopy(record.get("variables", {}))})
        except (KeyError, TypeError, ValidationError) as wrong:
            state = f"the state of {record.get('id', 'a run')!s:.60} holds no tokens and scopes as they are written"
            raise Damaged(f"workflows.json: {state} ({wrong}); restore it") from None


def occasion(token: int, visit: int, turn: int) -> str:
    """Return the identifier of a wait."""
    return f"{token}-{visit}-{turn}"


_STATE = TypeAdapter(ExecutionState)
_PLAIN = ("id", "status", "variables", "mail", "undo", "next", "started", "outcome")


def _serialize_record(one: Token | Scope) -> dict[str, Any]:
    """Return a record's values that differ from the defaults; nothing of it is shared with the record."""
    said = {name: getattr(one, name) for name in one.__slots__}
    told = {name: value for name, value in said.items() if value not in ("", 0, {}) or name in ("id", "node")}
    return {name: dict(value) if isinstance(value, dict) else value for name, value in told.items()}
