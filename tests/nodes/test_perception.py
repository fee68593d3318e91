"""What messages and measured numbers mean to their reader."""

from typing import Any

from mabos.configs.settings import load_settings
from mabos.mind.beliefs import revise_beliefs
from mabos.mind.model import Belief
from mabos.nodes.perception.measures import belief_of, build_metric_beliefs, format_number
from mabos.nodes.perception.messages import answer, headline, parse_message
from mabos.society.messages import Message
from mabos.society.metrics import MetricPoint

NOW = "2026-03-02T09:00:00.000Z"


def message(performative: str, content: str = "News", **more: Any) -> Message:
    return Message("MSG-1", "ceo", "cfo", performative, content, NOW, **more)


def test_an_inform_with_metadata_offers_the_belief_it_spells_out() -> None:
    told = parse_message(message("INFORM", metadata={"subject": "churn_rate", "value": "4.2%", "certainty": 0.9}), NOW)
    (belief,) = told.beliefs
    assert (belief.subject, belief.value, belief.certainty) == ("churn_rate", "4.2%", 0.9)
    assert belief.evidence == ("MSG-1",)


def test_an_inform_in_prose_is_hearsay() -> None:
    (belief,) = parse_message(message("INFORM", "The rival lowers prices"), NOW).beliefs
    assert belief.statement == "The rival lowers prices"
    assert belief.certainty < 0.8


def test_a_request_becomes_a_desire_and_a_superiors_weighs_more() -> None:
    (plain,) = parse_message(message("REQUEST", "Review the budget"), NOW).desires
    (superior,) = parse_message(message("REQUEST", "Review the budget"), NOW, superior="ceo").desires
    assert plain.name == "Review the budget"
    assert superior.importance > plain.importance


def test_a_query_asks_and_a_cancel_withdraws_its_request() -> None:
    assert parse_message(message("QUERY"), NOW).asks
    assert parse_message(message("CANCEL", reply_to="MSG-0"), NOW).withdrawn == ("D-MSG-0",)


def test_hearing_twice_makes_the_same_records() -> None:
    one = message("REQUEST", "Review the budget")
    assert parse_message(one, NOW) == parse_message(one, NOW)


def test_a_certainty_out_of_range_is_brought_back() -> None:
    (belief,) = parse_message(message("INFORM", metadata={"subject": "x", "value": "1", "certainty": 7}), NOW).beliefs
    assert belief.certainty == 1.0


def test_an_answer_names_what_is_held_about_the_subject_asked_for() -> None:
    held = [Belief("B-1", "runway is 6", 0.9, subject="runway_months", value="6"), Belief("B-2", "churn", 0.9)]
    question = message("QUERY", metadata={"subject": "runway_months"})
    assert [belief.id for belief in answer(question, held)] == ["B-1"]
    assert [belief.id for belief in answer(message("QUERY", "churn?"), held)] == ["B-2"]


def test_a_headline_is_one_line_cut_at_a_word() -> None:
    assert headline("one two three\nfour") == "one two three"
    assert headline("word " * 40).endswith("word ...")


def test_numbers_are_written_as_people_do() -> None:
    assert [format_number(value) for value in (4.0, 4.25, 310_000.0, 0.00004)] == ["4", "4.25", "310000", "0"]


def test_a_point_that_is_believed_already_brings_nothing() -> None:
    point = MetricPoint("cash", 310_000, NOW, "USD", "market")
    assert build_metric_beliefs([point], {"cash": belief_of(point, NOW)}, NOW) == ()
    assert len(build_metric_beliefs([point], {}, NOW)) == 1


def test_beliefs_that_arrive_together_meet_each_other() -> None:
    rules = load_settings().beliefs
    first = Belief("B-1", "cash is 1", 0.95, source="market", subject="cash", value="1", updated=NOW)
    second = Belief("B-2", "cash is 2", 0.95, source="market", subject="cash", value="2", updated=NOW)
    found = revise_beliefs([], [first, second], NOW, rules)
    assert [belief.id for belief in found.saved] == ["B-1"]
    assert found.saved[0].value == "2"


def test_what_changes_nothing_is_not_written() -> None:
    rules = load_settings().beliefs
    belief = Belief("B-1", "cash is 1", 0.95, source="market", subject="cash", value="1", updated=NOW)
    again = revise_beliefs([belief], [belief], NOW, rules)
    assert again.changed == ()


def test_an_answer_begins_with_the_subject_that_is_asked_for_word_for_word() -> None:
    held = [
        Belief("B-1", "Rates of pay and of churn rise, says the rate board", 0.99, subject="rates"),
        Belief("B-2", "churn_rate is 4%", 0.6, subject="churn_rate", value="4%"),
        Belief("B-3", "rate is 2%", 0.9, subject="rate", value="2%"),
        Belief("B-4", "The corporate office is cold", 0.9, subject="office"),
    ]
    found = [belief.id for belief in answer(message("QUERY", "What is our churn_rate?"), held)]
    assert found == ["B-2", "B-3", "B-1"]


def test_a_part_of_a_word_is_no_match() -> None:
    assert answer(message("QUERY", "What is the rate?"), [Belief("B-1", "corporate", 0.9)]) == ()
    assert answer(message("QUERY", "Who is that?"), [Belief("B-1", "That is what it is", 0.9)]) == ()


def test_a_subject_nobody_knows_is_looked_for_in_words() -> None:
    question = message("QUERY", "How is it going?", metadata={"subject": "runway"})
    held = [Belief("B-1", "runway_months is 6", 0.9, subject="runway_months")]
    assert [belief.id for belief in answer(question, held)] == ["B-1"]
