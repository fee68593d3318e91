"""The interaction protocols as data: the transition for each act of each side.

Sources: FIPA SC00026H (Request), SC00027H (Query), SC00035H (Subscribe), SC00036H (Propose), SC00029H (Contract Net),
and the Cancel meta-protocol that all of them contain. AGREE may be omitted if the result follows at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["initiator", "participant"]
Act = tuple[Role, str]

NEW = "new"
ASKED = "asked"
"""The state after the opening message, which the participant answers by its `reply_by`."""
LATE = "late"

_I: Role = "initiator"
_P: Role = "participant"


@dataclass(frozen=True, slots=True)
class Protocol:
    """A protocol between an initiator and each participant; a state without steps is an end."""

    name: str
    steps: Mapping[str, Mapping[Act, str]]
    acts: frozenset[Act] = field(init=False)
    performatives: frozenset[str] = field(init=False)
    openings: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Precompute the lookups for every message: all acts, their words, and the opening ones."""
        acts = frozenset(act for acts in self.steps.values() for act in acts)
        object.__setattr__(self, "acts", acts)
        object.__setattr__(self, "performatives", frozenset(performative for _, performative in acts))
        object.__setattr__(self, "openings", frozenset(performative for _, performative in self.steps[NEW]))


_RESULT: Mapping[Act, str] = {(_P, "INFORM"): "done", (_P, "FAILURE"): "failed"}
_ANSWER: Mapping[Act, str] = {(_P, "AGREE"): "agreed", (_P, "REFUSE"): "refused", **_RESULT}

_ALL = (
    Protocol("request", {NEW: {(_I, "REQUEST"): ASKED}, ASKED: _ANSWER, "agreed": _RESULT}),
    Protocol("query", {NEW: {(_I, "QUERY"): ASKED, (_I, "QUERY_REF"): ASKED}, ASKED: _ANSWER, "agreed": _RESULT}),
    Protocol(
        "subscribe",
        {
            NEW: {(_I, "SUBSCRIBE"): ASKED},
            ASKED: {**_ANSWER, (_P, "AGREE"): "streaming", (_P, "INFORM"): "streaming"},
            "streaming": {(_P, "INFORM"): "streaming", (_P, "FAILURE"): "failed"},
        },
    ),
    Protocol(
        "propose", {NEW: {(_I, "PROPOSE"): ASKED}, ASKED: {(_P, "ACCEPT"): "accepted", (_P, "REJECT"): "rejected"}}
    ),
    Protocol("cancel", {NEW: {(_I, "CANCEL"): ASKED}, ASKED: _RESULT}),
    Protocol(
        "contract-net",
        {
            NEW: {(_I, "CFP"): ASKED},
            ASKED: {(_P, "PROPOSE"): "proposed", (_P, "REFUSE"): "refused"},
            "proposed": {(_I, "ACCEPT"): "accepted", (_I, "REJECT"): "rejected"},
            LATE: {(_I, "REJECT"): "rejected"},  # a proposal after the deadline does not count and is turned down
            "accepted": _RESULT,
        },
    ),
)
PROTOCOLS: Mapping[str, Protocol] = {one.name: one for one in _ALL}


def protocol_named(name: str) -> Protocol | None:
    """Return the protocol that a message states, also in FIPA's spelling; None if it is not monitored.

    >>> protocol_named("fipa-contract-net").name
    'contract-net'
    """
    return PROTOCOLS.get(name) or PROTOCOLS.get(name.strip().lower().replace("_", "-").removeprefix("fipa-"))
