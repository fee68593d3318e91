"""The findings in a dropped document: observations, proposed goals, and unreadable lines, with line numbers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentStatement:
    """A statement in a document, as a triple with its source line (`inbox/metrics.csv:7`).

    A metric has its name as subject and an empty predicate; anything else is about `company` or the section's heading.
    `value` is a plain number (`12500`, `3.2%`) or the text as written; `at` is ISO 8601, empty if no date is known.
    """

    subject: str
    predicate: str
    value: str
    at: str
    source: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ProposedGoal:
    """A goal in a document; `target` is a condition (`mrr >= 100000`) if the text contains one."""

    text: str
    target: str
    deadline: str
    source: str


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """An unreadable line, and the content expected there."""

    source: str
    message: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a document, in the order of its lines.

    `claims` are its unconfirmed statements: their subject is its own name, and no figure follows from them.
    """

    observations: tuple[DocumentStatement, ...] = ()
    goals: tuple[ProposedGoal, ...] = ()
    problems: tuple[DocumentProblem, ...] = ()
    claims: tuple[DocumentStatement, ...] = ()

    @property
    def values(self) -> list[tuple[str, ...]]:
        """The observations without time and source, to distinguish news from repetition."""
        return [(one.subject, one.predicate, one.value, one.unit) for one in self.observations]
