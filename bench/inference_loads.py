"""Inference workloads: triples and rules of a known shape and any size, deterministic by seed."""

from dataclasses import dataclass
from random import Random
from typing import Any

from mabos.knowledge.model import Condition, Rule

Triples = dict[tuple[str, str, str], float]


@dataclass(frozen=True)
class Load:
    """Stated triples with their confidence, and inference rules."""

    name: str
    facts: Triples
    rules: tuple[Rule, ...]


def inference(rule_id: str, conclusion: str, *conditions: str, factor: float = 1.0, **more: Any) -> Rule:
    """Return a rule from patterns like `?x type Person` or `?x revenue gt 10000`."""
    return Rule(
        rule_id, rule_id, "inference", tuple(map(pattern, conditions)), conclusion=pattern(conclusion),
        confidence_factor=factor, **more,
    )  # fmt: skip


def pattern(text: str) -> Condition:
    """Return the condition in `text`; `_` matches anything."""
    subject, predicate, *operator, object_ = text.split()
    return Condition(predicate, "" if subject == "_" else subject, "" if object_ == "_" else object_, *operator)  # type: ignore[arg-type]  # the rule checks it


SUBCLASSES = """
AssistantProfessor Professor; AssociateProfessor Professor; FullProfessor Professor; Chair Professor;
Professor Faculty; Lecturer Faculty; PostDoc Faculty; Faculty Employee; AdministrativeStaff Employee;
ClericalStaff AdministrativeStaff; SystemsStaff AdministrativeStaff; Employee Person; Student Person;
GraduateStudent Person; UndergraduateStudent Student; ResearchAssistant Person; TeachingAssistant Person;
Director Person; GraduateCourse Course; Course Work; Research Work; Article Publication; Book Publication;
ConferencePaper Article; JournalArticle Article; TechnicalReport Article; Software Publication; College Organization;
Department Organization; Institute Organization; Program Organization; ResearchGroup Organization;
University Organization
"""
SUBPROPERTIES = """
headOf worksFor; worksFor memberOf; doctoralDegreeFrom degreeFrom; mastersDegreeFrom degreeFrom;
undergraduateDegreeFrom degreeFrom
"""
DOMAINS = """
advisor Person; affiliateOf Organization; degreeFrom Person; doctoralDegreeFrom Person; emailAddress Person;
mastersDegreeFrom Person; member Organization; publicationAuthor Publication; researchProject ResearchGroup;
teacherOf Faculty; teachingAssistantOf TeachingAssistant; telephone Person; undergraduateDegreeFrom Person
"""
RANGES = """
advisor Professor; degreeFrom University; doctoralDegreeFrom University; mastersDegreeFrom University; member Person;
publicationAuthor Person; teacherOf Course; teachingAssistantOf Course; undergraduateDegreeFrom University
"""


def university_rules(factor: float = 1.0) -> tuple[Rule, ...]:
    """Return the class, property and restriction axioms of a university ontology, as rules."""

    def pairs(text: str) -> list[list[str]]:
        return [entry.split() for entry in text.split(";")]

    made: list[tuple[str, ...]] = []
    made += [(f"?x type {upper}", f"?x type {lower}") for lower, upper in pairs(SUBCLASSES)]
    made += [(f"?x {upper} ?y", f"?x {lower} ?y") for lower, upper in pairs(SUBPROPERTIES)]
    made += [(f"?x type {kind}", f"?x {name} _") for name, kind in pairs(DOMAINS)]
    made += [(f"?y type {kind}", f"_ {name} ?y") for name, kind in pairs(RANGES)]
    made += [
        ("?y hasAlumnus ?x", "?x degreeFrom ?y"),
        ("?x degreeFrom ?y", "?y hasAlumnus ?x"),
        ("?y member ?x", "?x memberOf ?y"),
        ("?x memberOf ?y", "?y member ?x"),
        ("?x subOrganizationOf ?z", "?x subOrganizationOf ?y", "?y subOrganizationOf ?z"),
        ("?x type Chair", "?x type Person", "?x headOf ?y", "?y type Department"),
        ("?x type Employee", "?x type Person", "?x worksFor ?y", "?y type Organization"),
        ("?x type Student", "?x type Person", "?x takesCourse ?y", "?y type Course"),
        ("?x type TeachingAssistant", "?x type Person", "?x teachingAssistantOf ?y", "?y type Course"),
        ("?x worksFor ?z", "?x headOf ?y", "?y subOrganizationOf ?z"),
    ]
    return tuple(inference(f"U-{n:03d}", *one, factor=factor) for n, one in enumerate(made, start=1))


def university(size: int, *, seed: int = 1, factor: float = 1.0, sure: bool = True) -> Load:
    """Return about `size` triples of universities, departments, people, courses and publications."""
    random, facts = Random(seed), Triples()

    def say(subject: str, predicate: str, object_: str) -> None:
        facts[subject, predicate, object_] = 1.0 if sure else random.choice((0.5, 0.7, 0.8, 0.9, 1.0))

    number = 0
    while len(facts) < size:
        number += 1
        _department(random, say, f"univ{number // 15}", f"univ{number // 15}.dept{number % 15}")
    return Load(f"universities, {len(facts):,} facts", facts, university_rules(factor))


def _department(random: Random, say: Any, school: str, department: str) -> None:
    say(school, "type", "University")
    say(department, "type", "Department")
    say(department, "subOrganizationOf", school)
    for n in range(10):
        say(f"{department}.group{n}", "type", "ResearchGroup")
        say(f"{department}.group{n}", "subOrganizationOf", department)
    staff = _staff(random, say, department)
    courses = [f"{department}.course{n}" for n in range(60)]
    for n, course in enumerate(courses):
        say(course, "type", "GraduateCourse" if n % 2 else "Course")
        say(random.choice(staff), "teacherOf", course)
    for n in range(300):
        student = f"{department}.student{n}"
        say(student, "type", "GraduateStudent" if n % 4 == 0 else "UndergraduateStudent")
        say(student, "memberOf", department)
        for course in random.sample(courses, random.randint(2, 4)):
            say(student, "takesCourse", course)
        if n % 4 == 0:
            say(student, "advisor", random.choice(staff))
            say(student, "undergraduateDegreeFrom", f"univ{random.randrange(30)}")
            say(student, "emailAddress", f"{student}@mail")
        if n % 20 == 0:
            say(student, "teachingAssistantOf", random.choice(courses))


def _staff(random: Random, say: Any, department: str) -> list[str]:
    staff = []
    for n in range(35):
        person = f"{department}.staff{n}"
        staff.append(person)
        say(person, "type", ("FullProfessor", "AssociateProfessor", "AssistantProfessor", "Lecturer")[n % 4])
        say(person, "headOf" if n == 0 else "worksFor", department)
        for degree in ("doctoralDegreeFrom", "mastersDegreeFrom", "undergraduateDegreeFrom"):
            say(person, degree, f"univ{random.randrange(30)}")
        say(person, "emailAddress", f"{person}@mail")
        say(person, "telephone", f"tel-{person}")
        for m in range(random.randint(3, 8)):
            say(f"{person}.paper{m}", "type", "JournalArticle" if m % 2 else "ConferencePaper")
            say(f"{person}.paper{m}", "publicationAuthor", person)
    return staff


def business(size: int, *, seed: int = 1) -> Load:
    """Return about `size` triples of customers, plans and regions, of uneven confidence, with joins and chains."""
    random, facts = Random(seed), Triples()
    customers = size // 4
    for n in range(customers):
        for predicate, value in (
            ("has_status", random.choice(("enterprise", "team", "free"))),
            ("subscription_value_usd", str(random.randrange(100, 30_000, 50))),
            ("located_in", f"region{random.randrange(20)}"),
            ("referred_by", f"c{random.randrange(max(1, customers))}"),
        ):
            facts[f"c{n}", predicate, value] = random.randint(40, 100) / 100
    for n in range(20):
        facts[f"region{n}", "part_of", f"market{n % 5}"] = 0.9
    rules = (
        inference(
            "B-1", "?c is_strategic_account true", "?c has_status enterprise", "?c subscription_value_usd gt 10000",
            factor=0.9,
        ),
        inference("B-2", "?c in_market ?m", "?c located_in ?r", "?r part_of ?m", factor=0.95),
        inference("B-3", "?d brings_strategic true", "?c is_strategic_account true", "?c referred_by ?d", factor=0.8),
        inference("B-4", "?d is_advocate true", "?d brings_strategic true", "?d has_status ?s", factor=0.9),
        inference("B-5", "?c worth_a_visit true", "?c is_strategic_account true", factor=0.7),
        inference("B-6", "?c worth_a_visit true", "?c is_advocate true", factor=0.9),
        inference("B-7", "?c knows ?d", "?c referred_by ?d", factor=0.9),
        inference("B-8", "?d knows ?c", "?c knows ?d", factor=1.0),
        inference("B-9", "?c focus_of ?m", "?c worth_a_visit true", "?c in_market ?m", factor=0.9),
    )  # fmt: skip
    return Load(f"customers, {len(facts):,} facts", facts, rules)
