"""What a policy that fires asks for, as things to do: messages, decisions and escalations (S3 12.2).

An action is written as S3 writes it, `REQUEST cmo "Start a campaign"`, `DECIDE "Raise the price?"`, or in plain words,
which are for whoever reads them. A policy with `escalate` puts its action before a person.
"""

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from mabos.knowledge.rules import PolicyAction

_MESSAGE = re.compile(r"(?P<performative>[A-Z][A-Z_]+)\s+(?P<to>[a-z][a-z0-9-]*)\s+(?P<content>\S.*)", re.DOTALL)
_ALONE = re.compile(r"(?P<verb>DECIDE|ESCALATE|ALERT)\s+(?P<content>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PolicyDeed:
    """One thing to do. `digest` is the same for the same policy over the same facts, so that it is done once."""

    kind: Literal["message", "decision", "note"]
    content: str
    digest: str
    to: str = ""
    performative: str = ""


def deeds(action: PolicyAction) -> tuple[PolicyDeed, ...]:
    """Return what `action` asks for, in order."""
    digest = digest_of(action)
    message, alone = _MESSAGE.fullmatch(action.action), _ALONE.fullmatch(action.action)
    if message is not None:
        first = PolicyDeed("message", _bare(message["content"]), digest, message["to"], message["performative"])
    elif alone is not None:
        return (PolicyDeed("decision", _bare(alone["content"]), digest),)
    else:
        first = PolicyDeed("note", action.action, digest)
    if not action.escalate:
        return (first,)
    escalated = PolicyDeed("decision", first.content, digest)
    return (escalated,) if first.kind == "note" else (first, escalated)


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def digest_of(action: PolicyAction) -> str:
    """Return what is the same for the same policy over the same facts that say the same."""
    given = (f"{name}={value}" for name, value in sorted(action.bindings.items()))
    told = "\x1f".join([action.rule.id, *given, *action.facts, *action.values])
    return blake2b(told.encode(), digest_size=6).hexdigest()
