"""Fourteen questions about universities, asked of OWL-like rules read from a rule file, answered as an oracle does."""

from functools import cache

import pytest

from bench.inference_loads import Triples, pattern, university, university_rules
from mabos.knowledge.inference.reasoner import Reasoner
from mabos.knowledge.inference.relations import HeldTriple, StatedTriple, Triple
from mabos.knowledge.matching import matches
from mabos.knowledge.model import Fact
from mabos.knowledge.rule_files import read_rules
from tests.knowledge.oracle import closure
from tests.knowledge.written_rules import write_rules

DEPARTMENT = "univ0.dept1"
QUESTIONS = {
    "graduate students of a course": ("?x type GraduateStudent", f"?x takesCourse {DEPARTMENT}.course1"),
    "students of a department with a degree from its university": (
        "?x type GraduateStudent", "?y type University", "?z type Department", "?x memberOf ?z",
        "?z subOrganizationOf ?y", "?x undergraduateDegreeFrom ?y",
    ),
    "publications of a professor": ("?x type Publication", f"?x publicationAuthor {DEPARTMENT}.staff0"),
    "professors of a department": ("?x type Professor", f"?x worksFor {DEPARTMENT}", "?x emailAddress ?e"),
    "persons of a department": ("?x type Person", f"?x memberOf {DEPARTMENT}"),
    "all students": ("?x type Student",),
    "students of a teacher": (
        "?x type Student", "?y type Course", "?x takesCourse ?y", f"{DEPARTMENT}.staff2 teacherOf ?y",
    ),
    "students of departments of a university": (
        "?x type Student", "?y type Department", "?x memberOf ?y", "?y subOrganizationOf univ0", "?x emailAddress ?e",
    ),
    "students who take a course of their advisor": (
        "?x type Student", "?y type Faculty", "?z type Course", "?x advisor ?y", "?y teacherOf ?z", "?x takesCourse ?z",
    ),
    "students of one course": ("?x type Student", f"?x takesCourse {DEPARTMENT}.course3"),
    "research groups of a university": ("?x type ResearchGroup", "?x subOrganizationOf univ0"),
    "chairs": ("?x type Chair", "?y type Department", "?x worksFor ?y", "?y subOrganizationOf univ0"),
    "alumni": ("?x type Person", "univ0 hasAlumnus ?x"),
    "undergraduates": ("?x type UndergraduateStudent",),
}  # fmt: skip
NEED_RULES = 11


def answers(questions: tuple[str, ...], facts: Triples) -> set[str]:
    held = [Fact("F", *triple) for triple in facts]
    by: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in held:
        s, p, o = fact.triple
        for key in ((s, p, o), (s, p, ""), ("", p, o), ("", p, "")):
            by.setdefault(key, []).append(fact)
    conditions = sorted(map(pattern, questions), key=lambda one: one.predicate == "type")
    return {match.bindings["?x"] for match in matches(conditions, lambda *wanted: by.get(wanted, []))}


@cache
def worlds() -> tuple[Triples, Triples, Triples]:
    """Return what is stated, what follows by the rules of a file, and what follows by the oracle."""
    load = university(2500)
    rules = read_rules(write_rules(university_rules()))
    made = Reasoner(rules)
    assert made.change({triple: StatedTriple(sure) for triple, sure in load.facts.items()}).converged
    held: dict[Triple, HeldTriple] = {one.triple: one for one in made.held()}
    return load.facts, {triple: one.confidence for triple, one in held.items()}, closure(load.facts, load.rules)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_every_answer(name: str) -> None:
    _, ours, theirs = worlds()
    found = answers(QUESTIONS[name], ours)
    assert found
    assert found == answers(QUESTIONS[name], theirs)


def test_most_questions_cannot_be_answered_without_rules() -> None:
    stated, ours, _ = worlds()
    lacking = [name for name, asked in QUESTIONS.items() if answers(asked, stated) != answers(asked, ours)]
    assert len(lacking) >= NEED_RULES
