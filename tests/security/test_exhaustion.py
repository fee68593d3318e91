"""A few words that would keep a processor busy for hours, or a number nobody can reckon with: cut, or refused."""

from pathlib import Path

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.surfaces.given import parse_arguments
from mabos.knowledge.values import number
from mabos.mind.conditions import check_amount, fault, parse
from mabos.mind.model import Belief
from mabos.mind.procedures.held import term_of
from mabos.society.bpmn.engine.catching import due, repetitions
from mabos.society.bpmn.engine.expressions import run_script, value_of
from mabos.society.bpmn.model import EventDefinition
from mabos.society.intake import LARGEST, content, read_document
from tests.security.work import bounded
from tests.tools.catalogue.house import MONDAY, house

NEVER = "9" * 5_000
"""A whole number that Python refuses to read."""


@pytest.mark.parametrize(
    "expression",
    [
        "round(5, -1000000000)",
        "[[0 for b in list] for a in list]",
        "'x' * 99999999999",
        "9 ** 9 ** 9",
        "(" * 900 + "1" + ")" * 900,
    ],
)
def test_no_expression_of_a_workflow_takes_more_than_its_words(expression: str) -> None:
    with bounded(), pytest.raises(InvalidArgument):
        value_of(expression, {"list": [1] * 9_999})


def test_no_script_of_a_workflow_grows_what_it_holds_beyond_bounds() -> None:
    for script in ("a = [1]\n" + "a = [a, a]\n" * 60, "a = 'x'\n" + "a = a + a\n" * 60, "a = 2\n" + "a = a * a\n" * 60):
        with bounded(), pytest.raises(InvalidArgument):
            run_script(script, {})


@pytest.mark.parametrize(
    "when", [f"P{NEVER}Y", f"P{'9' * 400}Y", f"PT{NEVER}S", "P1Y" * 3_000, f"R{NEVER}/P{NEVER}D", NEVER]
)
def test_a_timer_of_too_many_digits_is_no_moment(when: str) -> None:
    with pytest.raises(InvalidArgument):
        due(EventDefinition("timer", when=when), MONDAY)


@pytest.mark.parametrize("count", [NEVER, "²", "٣" * 20])
def test_repetitions_that_are_no_number_are_those_without_end(count: str) -> None:
    assert repetitions(EventDefinition("timer", when=f"R{count}/PT1H")) is None


@pytest.mark.parametrize(
    "said", ["-" * 100_000 + "1", "(" * 400, "9" * 100_000, "9" * 400, "1e999", "1\x00", "1*" * 90_000]
)
def test_no_sum_of_a_plan_is_deeper_or_longer_than_people_write(said: str) -> None:
    with bounded(), pytest.raises(InvalidArgument):
        check_amount(said)


@pytest.mark.parametrize(
    "condition",
    [
        "x >= 1 and " * 40_000,
        " " * 400_000 + "x",
        "a" + " " * 400_000 + "b",
        '"' * 200_000,
        "x" * 400_000,
        "is " * 99_000,
    ],
    ids=["joined", "led", "parted", "quoted", "long", "worded"],
)
def test_a_condition_is_read_once_however_long_it_is(condition: str) -> None:
    with bounded():
        parse(condition)
        fault(condition)


def test_an_object_with_a_field_given_twice_among_very_many_is_refused_at_once() -> None:
    fields = ",".join(f'"k{number}":1' for number in range(200_000))
    with bounded(), pytest.raises(InvalidArgument, match="'k199999' twice"):
        parse_arguments(f'{{{fields},"k199999":2}}')


@pytest.mark.parametrize("value", ["[" * 100_000, NEVER, '{"b":' * 100_000])
def test_json_that_is_too_deep_or_too_long_a_number_is_refused(value: str) -> None:
    with pytest.raises(InvalidArgument, match=r"nested too deep|not JSON"):
        parse_arguments(f'{{"a":{value}}}')


@pytest.mark.parametrize(
    "line", ["[", "[a](", "![a](", "by 1 ", "in 3 ", "within 3 ", " ", "a ", "(", "|-", "**", "$1", "1,", "a:"]
)
def test_a_dropped_document_is_read_once_however_long_its_lines_are(line: str) -> None:
    text = f"# Goals\n- {line * (400_000 // len(line))}\n- Reach 60 customers\nChurn: 5%\n"
    with bounded():
        found = read_document("inbox/brief.md", text.encode())
        read_document("inbox/metrics.csv", f"Month,{text}\n2026-01,{text}\n".encode())
    assert [goal.text for goal in found.goals][-1:] == ["Reach 60 customers"]
    assert any("only the first" in one.message for one in found.problems)


def test_a_table_that_names_a_new_metric_in_every_line_stays_a_table_of_its_size() -> None:
    lines = "\n".join(f"Metric {number};1;2026-01" for number in range(20_000))
    with bounded():
        found = read_document("inbox/x.csv", f"Metric;Value;Month\n{lines}\n".encode())
    assert len(found.observations) == 200
    assert [one.message for one in found.problems] == ["more than 200 metrics; those from 'Metric 200' on are not read"]


def test_a_document_beyond_all_measure_is_not_read_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "brief.md"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(OSError, match="bytes; split it"):
        content(path)


def test_an_amount_that_no_arithmetic_holds_is_no_number() -> None:
    assert number(NEVER) is None
    assert number("$" + "9" * 400) is None
    assert number("1e99") == 1e99


def test_a_belief_in_a_number_of_five_thousand_digits_is_a_text(tmp_path: Path) -> None:
    belief = Belief("B-1", f"runway is {NEVER}", subject="runway", value=NEVER)
    assert term_of(belief) == ("runway", NEVER)
    with house(tmp_path / "workspace") as home:
        home.do("belief_update", "cfo", description="x", certainty=0.9, source="x", subject="runway", value=NEVER)
        home.do("bdi_cycle", "cfo")


def test_no_message_however_long_or_odd_stops_the_agent_that_reads_it(tmp_path: Path) -> None:
    texts = (NEVER, f"runway is {NEVER}", "x >= 1 and " * 9_000, "\n- " * 30_000, "because " * 9_000, "(" * 90_000)
    with house(tmp_path / "workspace") as home, bounded():
        for text in texts:
            home.do("agent_message", to="cfo", performative="INFORM", content=text)
        home.do("bdi_cycle", "cfo")
