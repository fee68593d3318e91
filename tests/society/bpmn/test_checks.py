"""The checks of workflows: the five of the document, and the rules of good modelling against their public cases."""

import json
from pathlib import Path

import pytest

from mabos.society.bpmn.checks.lint import RULES, USUAL, sizes
from mabos.society.bpmn.checks.structure import structure
from mabos.society.bpmn.checks.validation import validate_document
from mabos.society.bpmn.document import read
from mabos.society.bpmn.editing import add_node, blank, connect
from tests.society.bpmn.flows import model_of, node
from tests.society.bpmn.test_document import DATA, PUBLIC
from tests.society.bpmn.test_editing import sales

EXPECTED = json.loads((DATA / "MANIFEST.json").read_text())["lint_expect_for_own_rule"] if DATA.is_dir() else {}
EXAMPLES = sorted(one.name for one in (DATA / "bpmnlint-examples").glob("*.bpmn"))
CONFIGURED = "standard-size/valid-config.bpmn"  # clean only where tasks of 120 by 80 are the usual ones
START, END = node("startEvent", "s"), node("endEvent", "e")


def broken(path: Path, rule: str) -> bool:
    return any(RULES[rule](read(path.read_bytes(), path.name)))


@PUBLIC
@pytest.mark.parametrize("case", sorted(set(EXPECTED) - {CONFIGURED}))
def test_a_rule_says_of_its_public_case_what_it_should(case: str) -> None:
    rule = case.partition("/")[0]
    assert broken(DATA / "bpmnlint-rules" / case, rule) == (EXPECTED[case] == "violates")


@PUBLIC
def test_another_usual_size_may_be_named() -> None:
    path = DATA / "bpmnlint-rules" / CONFIGURED
    document = read(path.read_bytes(), path.name)
    assert list(sizes(document))
    assert not list(sizes(document, {**USUAL, "task": (120.0, 80.0)}))


@PUBLIC
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_tells_its_documented_examples_apart(name: str) -> None:
    rule, _, verdict = name.removesuffix(".bpmn").rpartition("-")
    assert broken(DATA / "bpmnlint-examples" / name, rule) == (verdict == "incorrect")


@pytest.mark.parametrize(
    ("nodes", "flows", "shown"),
    [
        ((node("userTask", "a"), node("userTask", "b")), "s>a; a>e", ("orphan", "b")),
        ((node("userTask", "a"), node("userTask", "b")), "s>a; a>e; s>b", ("dead-end", "b")),
        ((node("userTask", "a"), node("userTask", "b")), "s>a; a>e; b>e", ("unreachable", "b")),
        ((node("parallelGateway", "f"), node("userTask", "a"), node("userTask", "b")), "s>f; f>a; f>b; a>e; b>e",
         ("gateway-mismatch", "f")),
        ((node("userTask", "a"),), "s>a; a>e", ("lane-gap", "a")),
    ],
)  # fmt: skip
def test_each_of_the_five_checks_finds_its_fault(nodes: tuple[str, ...], flows: str, shown: tuple[str, str]) -> None:
    found = {(one.rule, one.element): one for one in structure(model_of(START, *nodes, END, flows=flows))}
    assert shown in found
    assert found[shown].mend
    others = {rule for rule, _ in found} - {shown[0], "lane-gap"}
    assert not others


def test_a_workflow_that_is_as_it_should_be_has_no_finding_of_structure() -> None:
    assert structure(sales().model) == []
    assert [one for one in validate_document(sales()) if one.severity == "error"] == []


def test_a_finding_names_the_mend_and_errors_come_first() -> None:
    document = blank("Half done")
    for one in ("A", "B"):
        document = add_node(document, one, "userTask", f"Task {one}")
    document = connect(add_node(document, "S", "startEvent", "Go"), "F1", "S", "A")
    found = validate_document(document)
    severities = [one.severity for one in found]
    assert severities == sorted(severities, key=("error", "warning", "info").index)
    assert {("orphan", "B"), ("end-event-required", "Process_1")} <= {(one.rule, one.element) for one in found}
    assert all(one.mend for one in found)
