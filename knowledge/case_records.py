"""Cases in `cases.json`, in the forms of S0 and S3."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

import orjson

from mabos.backends.graph.mapping import Link, graph_node
from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.similarity import situation as names
from mabos.workspace.field_types import stored_as
from mabos.workspace.indexer import TextRow
from mabos.workspace.records import Document, declaration, record

Outcome = Literal["success", "open", "partial_failure", "failure"]
"""The outcome of an episode; `open` means that its steps are done but its result is unknown."""
OUTCOMES: tuple[str, ...] = get_args(Outcome)
SECTION = "cases"
KIND = "cbr_case"
"""The kind under which cases stand in the index, by its name in S0 section 12."""


def _outcome(outcome: Mapping[str, Any] | str | bool) -> tuple[Outcome, dict[str, Any]]:
    given = dict(outcome) if isinstance(outcome, Mapping) else {"status": outcome}
    status, success = given.pop("status", None), given.pop("success", None)
    if status is None or isinstance(status, bool):
        stated = success if status is None else status
        if not isinstance(stated, bool):
            message = f"outcome says neither status nor success; use one of {', '.join(OUTCOMES)}"
            raise InvalidArgument(message, argument="outcome")
        return ("success" if stated else "failure"), given
    for known in get_args(Outcome):
        if known == status:
            return known, given
    raise InvalidArgument(f"outcome is {status!r}; use one of {', '.join(OUTCOMES)}", argument="outcome")


def _side(situation: Mapping[str, Any], side: str) -> dict[str, Any]:
    given = situation.get(side)
    if given is None or (isinstance(given, Iterable) and not isinstance(given, str)):
        return names(given)
    raise InvalidArgument(f"situation.{side} is {given!r}; expected a list of ids or a mapping", argument="situation")


def _pack_side(side: Mapping[str, Any]) -> list[str] | dict[str, Any]:
    return list(side) if all(value is None for value in side.values()) else dict(side)


def _unpack_case(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a case from the form of the document; raises `InvalidArgument` that names the argument."""
    situation = told.get("situation") or {}
    if told.get("outcome") is None:
        raise InvalidArgument("it has no outcome", argument="outcome")
    status, results = _outcome(told["outcome"])
    plain = {name: told[name] for name in ("id", "case_id", "stored_at", "agent_id") if told.get(name) is not None}
    return plain | {
        "beliefs": _side(situation, "beliefs"),
        "desires": _side(situation, "desires"),
        "context": str(situation.get("context") or ""),
        "outcome": status,
        "solution": dict(told.get("solution") or {}),
        "results": results,
    }


def as_record(case: "Case") -> dict[str, Any]:
    """Return `case` in our own form: id, situation, solution, outcome with `status` and `success`."""
    situation = {"beliefs": _pack_side(case.beliefs), "desires": _pack_side(case.desires), "context": case.context}
    return {
        "id": case.id,
        "situation": situation,
        "solution": dict(case.solution),
        "outcome": {"status": case.outcome, "success": case.success, **case.results},
        "stored_at": case.stored_at,
        "agent_id": case.agent_id,
    }


@graph_node(
    KIND,
    name=("context", "id"),
    properties=("id", "outcome", "success", "stored_at"),
    links=(Link("derived_from", "plan_id"),),
)
@record(Document("cases.json", (SECTION,), root="array"), SECTION, noun="case", unpack=_unpack_case, pack=as_record)
@dataclass(frozen=True, slots=True)
class Case:
    """A past episode: the beliefs and desires, the actions, and the outcome.

    Beliefs and desires are names, with their values if known.
    """

    id: Annotated[str, stored_as("id", "case_id")]
    beliefs: Mapping[str, Any]
    desires: Mapping[str, Any]
    outcome: Outcome
    context: str = ""
    solution: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    stored_at: str = ""
    agent_id: str = ""

    @property
    def success(self) -> bool:
        """Return whether the acceptance check of its goal passed."""
        return self.outcome == "success"

    @property
    def negative(self) -> bool:
        """Return whether it is a warning: a failure or a partial one (S3 7.4)."""
        return self.outcome in ("partial_failure", "failure")

    @property
    def plan_id(self) -> str:
        """The executed plan, or an empty text."""
        return str(self.solution.get("plan_id", ""))


CASES = declaration(Case)


def rows(agent_id: str) -> Callable[[str, str, Any], TextRow | None]:
    """Return a function from an agent's cases to index rows; an unreadable case gives none."""

    def row(collection: str, key: str, record: Any) -> TextRow | None:  # noqa: ARG001  # there is one collection
        with suppress(Damaged):
            case = CASES.read(key, record)
            told = " ".join(map(str, (case.context, *case.beliefs, *case.desires)))
            return TextRow(KIND, case.id, agent_id, told, (case.outcome,))
        return None

    return row


def case_of(
    case_id: str, situation: Mapping[str, Any], solution: Mapping[str, Any], outcome: Mapping[str, Any] | str | bool
) -> Case:
    """Return the case with these fields; raises `InvalidArgument` with the argument."""
    told = {"situation": situation, "solution": solution, "outcome": outcome}
    return Case(id=case_id, **_unpack_case(told))


def content_of(case: Case) -> bytes:
    """Return the content that distinguishes the episodes of two cases."""
    told = {name: value for name, value in as_record(case).items() if name in ("situation", "solution", "outcome")}
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
