"""Every check names the defect it is for, with file and line, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged
from mabos.knowledge.ontology.checks import CHECKS, defects
from mabos.knowledge.ontology.conformance import check_ontologies
from mabos.knowledge.ontology.definitions import faults, say_the_same
from mabos.knowledge.ontology.vocabulary import install, load
from tests.knowledge.vocabularies import Node, added, node, planted, without

Plant = Callable[[list[Node]], Any]


def definition(text: str) -> Plant:
    return lambda graph: node(graph, "saas:Outage").update({"mabos:sbvr_definition": text})


def of(term: str, **fields: Any) -> Plant:
    told = {name.replace("__", ":"): value for name, value in fields.items()}
    return lambda graph: node(graph, term).update(told)


def shape(**fields: Any) -> Plant:
    told = {"@id": "saas:TierShape", "@type": "sh:NodeShape", "sh:targetClass": {"@id": "saas:Tier"}}
    return lambda graph: graph.append(told | {name.replace("__", ":"): value for name, value in fields.items()})


PLANTED: dict[str, tuple[str, Plant, str]] = {
    "a class twice": ("declared", lambda graph: graph.append(dict(node(graph, "saas:Tier"))), "saas:Tier is declared"),
    "a parent that does not exist": (
        "references", of("saas:Tier", rdfs__subClassOf={"@id": "mabos:Nowhere"}), "mabos:Nowhere, is not a class"),
    "an import that does not exist": (
        "references",
        of("http://mabos.ai/ontology/saas", owl__imports=[{"@id": "http://mabos.ai/ontology/nowhere"}]),
        "imports 'nowhere'"),
    "a relation to nothing": (
        "references", of("saas:holdsSubscription", rdfs__range={"@id": "saas:Gone"}), "the object of saas:holds"),
    "a rule about nothing": (
        "references", of("saas:SeatsWithinPlan", mabos__concerns=[{"@id": "saas:Gone"}]), "the concept of saas:Seats"),
    "a circle of parents": (
        "acyclic", of("saas:SubscriptionPlan", rdfs__subClassOf={"@id": "saas:FreemiumPlan"}), "descends from itself"),
    "no parent": ("rooted", lambda graph: without(graph, "saas:Tier", "rdfs:subClassOf"), "does not descend from"),
    "a class in small letters": ("naming", lambda graph: added(graph, "saas:addOn"), "saas:addOn is not PascalCase"),
    "a property with a capital": (
        "naming", of("saas:holdsSubscription", **{"@id": "saas:HoldsSubscription"}), "is not camelCase"),
    "no label": ("naming", of("saas:Tier", rdfs__label=" "), "saas:Tier has no label"),
    "no definition": (
        "definitions", lambda graph: without(graph, "saas:Outage", "mabos:sbvr_definition"), "has no definition"),
    "a definition of few words": ("definitions", definition("An event that interrupts"), "has 4 words"),
    "a definition of many words": ("definitions", definition("An event that " + "goes on " * 30), "write 8 to 40"),
    "template text": (
        "definitions", definition("An event that stands for the concept of a break in a service"), "says nothing"),
    "no genus": (
        "definitions", definition("Whenever users cannot reach what they pay for"), "does not begin with its kind"),
    "no differentia": (
        "definitions", definition("An unplanned, unwanted, sudden, sad and costly happening"), "nothing more"),
    "the term itself": (
        "definitions", definition("An event that is an outage of a program people pay for"), "uses 'Outage'"),
    "a synonym of the term": (
        "definitions", definition("An event that is a service interruption for paying users"), "the term itself"),
    "two terms by each other": (
        "definitions",
        lambda graph: (
            definition("An event that a later release puts right for the users of a program")(graph),
            of("saas:Release", mabos__sbvr_definition="An event after an outage that makes a program usable again")(
                graph
            ),
        ),
        "are defined by each other"),
    "the words of another definition": (
        "definitions",
        of("saas:Release", mabos__sbvr_definition="An event that keeps users from reaching a program they pay for"),
        "is defined as 'Outage' is"),
    "no synonym": (
        "definitions", lambda graph: without(graph, "saas:Outage", "mabos:sbvr_synonyms"), "has no synonym"),
    "a sentence with other terms": (
        "fact types", of("saas:holdsSubscription", mabos__sbvr_fact_type="User has Subscription"), "its terms make it"),
    "an inverse that turns nothing": (
        "fact types", of("saas:holdsSubscription", mabos__sbvr_inverse="is held by"), "must begin with 'Subscription'"),
    "no role": (
        "fact types", of("saas:holdsSubscription", mabos__object_role=""), "two different roles"),
    "one role twice": (
        "fact types", of("saas:holdsSubscription", mabos__object_role="holder"), "two different roles"),
    "a relation said twice": (
        "fact types",
        lambda graph: graph.append({**node(graph, "saas:holdsSubscription"), "@id": "saas:ownsSubscription"}),
        "says what saas:holdsSubscription says"),
    "a rule that cannot run": (
        "rules",
        lambda graph: node(graph, "saas:SeatsWithinPlan")["mabos:rule_definition"].update(type="inference"),
        "cannot be executed: an inference rule needs a conclusion"),
    "a rule that states nothing": (
        "rules", of("saas:SeatsWithinPlan", mabos__sbvr_statement="Seats and subscription plans"), "needs a statement"),
    "a rule about something else": (
        "rules", of("saas:SeatsWithinPlan", mabos__concerns=[{"@id": "saas:Churn"}]), "does not mention 'Churn'"),
    "a shape for nothing": ("shapes", shape(sh__targetClass={"@id": "saas:Gone"}), "is for saas:Gone"),
    "a shape that looks at nothing": ("shapes", shape(sh__property=[{"sh:minCount": 1}]), "looks at no property"),
    "a shape that looks elsewhere": (
        "shapes", shape(sh__property={"sh:path": {"@id": "saas:rank"}}), "looks at saas:rank, which is not declared"),
    "the same label": ("duplicates", lambda graph: added(graph, rdfs__label="Invoices"), "'Invoices' of saas:AddOn"),
    "a label that is a synonym": ("duplicates", lambda graph: added(graph, rdfs__label="Free Plan"), "'Free Plan'"),
    "almost the same label": (
        "duplicates", lambda graph: added(graph, rdfs__label="Subscription Plant"),
        "too like 'Subscription Plan'"),
    "descent from what is disjoint": (
        "consistent",
        lambda graph: added(graph, rdfs__subClassOf=[{"@id": "mabos:Offering"}, {"@id": "mabos:Agreement"}]),
        "which are disjoint"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_named_where_it_is(name: str, tmp_path: Path) -> None:
    check, plant, words = PLANTED[name]
    vocabulary = load(planted(tmp_path, "saas", plant))
    found = list(CHECKS[check](vocabulary))
    (fitting,) = [one for one in found if words in one.message][:1]
    assert fitting.path == tmp_path / "saas.jsonld"
    assert fitting.line > 0
    if fitting.term != "saas":
        line = fitting.path.read_text("utf-8").splitlines()[fitting.line - 1]
        assert fitting.term.rpartition(":")[2] in line
    assert str(fitting).startswith(f"saas.jsonld:{fitting.line}: ")


@pytest.mark.parametrize("check", CHECKS)
def test_every_check_has_a_planted_defect(check: str) -> None:
    assert check in {wanted for wanted, _, _ in PLANTED.values()}


def test_a_file_that_is_not_json_is_named_with_its_line_and_the_others_are_checked_still(tmp_path: Path) -> None:
    planted(tmp_path, "retail", lambda graph: added(graph, "retail:AddOn", rdfs__label="Invoices"))
    path = tmp_path / "saas.jsonld"
    path.write_text(path.read_text("utf-8").replace('"@graph": [', '"@graph": [,'), "utf-8")
    with pytest.raises(Damaged, match=r"saas\.jsonld:12: not JSON"):
        load(tmp_path)
    found = check_ontologies(tmp_path)
    assert (found[0].check, found[0].path, found[0].line) == ("load", path, 12)
    assert any("Invoices" in one.message for one in found)


def test_a_broken_shape_is_named_where_it_is(tmp_path: Path) -> None:
    planted(tmp_path, "saas", lambda graph: without(graph, "saas:Outage", "mabos:sbvr_definition"))
    found = [one for one in check_ontologies(tmp_path) if one.check == "shapes"]
    assert [(one.term, one.path.name) for one in found] == [("saas:Outage", "saas.jsonld")]
    assert "A concept has exactly one definition" in found[0].message


def test_what_a_reviewer_took_in_stands_as_it_was_approved(tmp_path: Path) -> None:
    words = "Something one may add to a subscription for more money"
    planted(tmp_path, "saas", lambda graph: added(graph, mabos__sbvr_definition=words))
    assert [one.check for one in defects(load(tmp_path))] == ["definitions"]
    planted(tmp_path, "saas", lambda graph: node(graph, "saas:AddOn").update({"mabos:approved_by": "knowledge"}))
    assert defects(load(tmp_path)) == []


def test_terms_of_two_vocabularies_nobody_reads_together_may_be_the_same(tmp_path: Path) -> None:
    install(tmp_path)
    for name in ("north", "south"):
        header = {
            "@id": f"http://mabos.ai/ontology/{name}", "@type": "owl:Ontology",
            "owl:imports": [{"@id": "http://mabos.ai/ontology/business-core"}],
        }  # fmt: skip
        graph: list[Node] = [header]
        added(graph, f"{name}:AddOn")
        context = {name: f"http://mabos.ai/ontology/{name}/", "mabos": "http://mabos.ai/ontology/"}
        (tmp_path / f"{name}.jsonld").write_text(json.dumps({"@context": context, "@graph": graph}), "utf-8")
    assert defects(load(tmp_path)) == []


@pytest.mark.parametrize(
    ("definition", "kinds"),
    [
        ("A record by which a seller asks for payment of what was delivered", []),
        ("Any information object with which a seller asks to be paid", []),
        ("By which a seller asks for payment of what it has delivered", ["genus"]),
        ("A record of a bill that a seller sends to its buyer", ["circular"]),
        ("", ["missing"]),
    ],
)
def test_a_definition_says_what_kind_of_thing_it_is_and_which(definition: str, kinds: list[str]) -> None:
    found = faults("Invoice", ["Bill"], definition, genera=["Information Object", "Record"])
    assert [fault.kind for fault in found] == kinds


def test_definitions_of_almost_the_same_words_say_the_same() -> None:
    assert say_the_same("A fee that sellers pay for a listing", "A fee which sellers pay for a listing") is False
    assert say_the_same("A fee that all sellers pay for each new listing", "A fee all sellers pay for each new listing")
