"""What if: facts as they would be in a context, for the length of one evaluation, without writing any."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.matching import Candidates
from mabos.knowledge.model import Condition, Fact, is_variable

CONTEXT = "context"


def supposed(candidates: Candidates, context: Mapping[str, Any], conditions: Sequence[Condition]) -> Candidates:
    """Return `candidates` with what `context` says in place of the stored values of the same subject and predicate.

    `context` maps a subject to its predicates and values, or a plain name to a value; the name may be
    `subject.predicate`, the subject of a condition, or the predicate of one. Raises `InvalidArgument`.
    """
    facts = [fact for name, value in context.items() for fact in _facts(name, value, conditions)]
    replaced = {(fact.subject, fact.predicate) for fact in facts}

    def with_context(subject: str, predicate: str, object_: str) -> Iterable[Fact]:
        wanted = (subject, predicate, object_)
        yield from (
            fact
            for fact in facts
            if all(not want or want == term for want, term in zip(wanted, fact.triple, strict=True))
        )
        yield from (fact for fact in candidates(*wanted) if (fact.subject, fact.predicate) not in replaced)

    return with_context


def _facts(name: str, value: Any, conditions: Sequence[Condition]) -> list[Fact]:
    if isinstance(value, Mapping):
        return [_fact(name, predicate, one) for predicate, one in value.items()]
    subject, dot, predicate = name.partition(".")
    if dot:
        return [_fact(subject, predicate, value)]
    places = dict.fromkeys(place for one in conditions if (place := _place(name, one)) is not None)
    return [_fact(*place, value) for place in places or [(CONTEXT, name)]]


def _place(name: str, condition: Condition) -> tuple[str, str] | None:
    if condition.subject == name:
        return name, condition.predicate
    if condition.predicate == name:
        anyone = not condition.subject or is_variable(condition.subject)
        return (CONTEXT if anyone else condition.subject), name
    return None


def _fact(subject: str, predicate: str, value: Any) -> Fact:
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str | int | float):
        text = str(value)
    else:
        message = f"context says {subject}.{predicate} is {value!r}; expected a text, a number or true and false"
        raise InvalidArgument(message, argument="context")
    return Fact(
        id=f"{CONTEXT}:{subject}.{predicate}", subject=subject, predicate=predicate, object=text, source=CONTEXT
    )
