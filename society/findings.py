"""The findings in a dropped document: observations, proposed goals, and unreadable lines, each with its line."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentStatement:
    """A statement found in a document, as a triple with its source line (`inbox/metrics.csv:7`).

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
    """A goal found in a document; `target` is a condition (`mrr >= 100000`) where the text contains one."""

    text: str
    target: str
    deadline: str
    source: str


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """A line that could not be read, and the content expected there."""

    source: str
    message: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a document, in the order of its lines.

    `claims` are its unconfirmed statements: its own name is their subject, and no figure follows from them.
    """

    observations: tuple[DocumentStatement, ...] = ()
    goals: tuple[ProposedGoal, ...] = ()
    problems: tuple[DocumentProblem, ...] = ()
    claims: tuple[DocumentStatement, ...] = ()

    @property
    def values(self) -> list[tuple[str, ...]]:
        """The observations without their time and source, to tell news from a repetition."""
        return [(one.subject, one.predicate, one.value, one.unit) for one in self.observations]
