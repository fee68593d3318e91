"""Models that are away, budgets that run out, processes that die: nothing is lost, and no effect happens twice."""

from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Completion
from mabos.configs.errors import Unavailable
from mabos.nodes.action import work as work_node
from mabos.nodes.action.work import BY_RULES
from tests.nodes.work.conftest import Office
from tests.nodes.work.served import DIES, open_office, serving
from tests.nodes.work.working import Working, campaign, orders, performed, session, told, use
from tests.world import WORDS_ALONE, Member, World

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
REPORT = "The campaign 'Spring' is recorded: $90 a week for 3 weeks."


def booked(cmo: Member) -> list[tuple[str, float, int]]:
    return [(one.name, one.weekly_budget_usd, one.weeks) for one in cmo.world.business.campaigns.all()]


def test_where_the_model_is_away_the_message_is_read_as_without_a_model(office: Office, tmp_path: Path) -> None:
    cmo = office(Working(Unavailable("down")))
    cmo.cycle(ORDER)
    with World(tmp_path / "without", settings={**WORDS_ALONE, "models.active": "none"}) as world:
        plain = world.quiet("cmo")
        plain.cycle(ORDER)
        assert booked(cmo) == booked(plain) == [("Spring", 90, 3)]
        assert [(one.act, one.operation, one.status) for one in cmo.handle.requests.all()] == [
            (one.act, one.operation, one.status) for one in plain.handle.requests.all()
        ]
        ((reply,), (made,)), ((same,), (other,)) = (
            (told(one), one.world.business.campaigns.all()) for one in (cmo, plain)
        )
        assert reply == f"{same.replace(other.id, made.id)}\n{BY_RULES.format(why='it did not answer')}"


def test_after_looking_something_up_only_rules_go_on_too(office: Office) -> None:
    cmo = office(Working(use("records", section="campaigns"), Unavailable("down")))
    cmo.cycle(ORDER)
    assert booked(cmo) == [("Spring", 90, 3)]
    assert len(told(cmo)) == 1


@pytest.mark.parametrize("nothing", ["", "{}", Completion("The campaign is", cut_short=True), "4,711 people saw it."])
def test_a_model_that_says_nothing_of_use_is_asked_once_more_and_then_left(
    office: Office, nothing: str | Completion
) -> None:
    model = Working(nothing, nothing)
    cmo = office(model)
    cmo.cycle(ORDER)
    assert len(model.works) == 2
    assert booked(cmo) == [("Spring", 90, 3)], "rules read the message"
    assert len(told(cmo)) == 1


def test_a_message_is_worked_on_again_once_the_model_is_back(office: Office) -> None:
    cmo = office(Working(Unavailable("down"), "No campaign runs. 'Spring' is recorded."))
    cmo.cycle(ORDER)
    cmo.cycle("Which campaigns do we have?")
    assert told(cmo)[-1] == "No campaign runs. 'Spring' is recorded."


def test_answers_for_one_message_are_bounded_and_what_was_done_is_reported(office: Office) -> None:
    look = [use("records", section="campaigns") for _ in range(30)]
    model = Working(campaign(), *look)
    cmo = office(model)
    cmo.cycle(ORDER)
    assert len(model.works) == cmo.services.settings.work.rounds
    assert cmo.world.business.campaigns.all()[0].id in told(cmo)[0]


@pytest.mark.parametrize("calls", [0, 1])
def test_a_budget_that_is_used_up_in_the_middle_leaves_a_report_and_every_effect_once(
    tmp_path: Path, calls: int
) -> None:
    model = Working(campaign(), REPORT)
    limit = {"budgets.cycle.model_calls": calls, **WORDS_ALONE}
    with World(tmp_path / "workspace", model=model, settings=limit) as world:
        cmo = world.quiet("cmo")
        cmo.cycle(ORDER)
        assert booked(cmo) == [("Spring", 90, 3)]
        assert len(model.works) == calls
        replies = [one for one in told(cmo) if "Spring" in one]
        cmo.cycle()
        assert performed(cmo, "ad_campaign_create") == len(replies) == 1
        assert [one for one in told(cmo) if "Spring" in one] == replies


class Killed(BaseException):
    """The end of a process."""


@pytest.mark.parametrize("before", ["looked_up", "carry_out", "with_result", "next_answer", "check_reply", "speak"])
def test_a_process_that_dies_anywhere_goes_on_and_has_every_effect_once(
    office: Office, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    model = Working(campaign(), REPORT, REPORT)
    cmo = office(model)
    with monkeypatch.context() as patched:

        def die(*_: Any, **__: Any) -> Any:
            raise Killed

        patched.setattr(work_node, before, die)
        with pytest.raises(Killed):
            cmo.cycle(ORDER)
    cmo.world.restart()
    cmo.cycle()
    assert booked(cmo) == [("Spring", 90, 3)]
    assert (performed(cmo, "ad_campaign_create"), [one.status for one in orders(cmo)]) == (1, ["done"])
    assert told(cmo) == [REPORT]
    assert session(cmo).status == "done"
    cmo.cycle()
    assert len(told(cmo)) == 1


@pytest.mark.parametrize("after", ["carry_out", "speak", "with_reply"])
def test_a_process_that_dies_right_after_goes_on_too(
    office: Office, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    model = Working(campaign(), REPORT, REPORT)
    cmo = office(model)
    done = getattr(work_node, after)
    with monkeypatch.context() as patched:

        def die(*given: Any, **named: Any) -> Any:
            done(*given, **named)
            raise Killed

        patched.setattr(work_node, after, die)
        with pytest.raises(Killed):
            cmo.cycle(ORDER)
    cmo.world.restart()
    cmo.cycle()
    assert (booked(cmo), performed(cmo, "ad_campaign_create")) == ([("Spring", 90, 3)], 1)
    assert told(cmo) == [REPORT]
    assert session(cmo).status == "done"


# --- over HTTP ----------------------------------------------------------------


def test_a_whole_session_over_http(tmp_path: Path) -> None:
    with serving(campaign(), REPORT) as (address, seen), open_office(tmp_path, address) as cmo:
        cmo.cycle(ORDER)
        assert booked(cmo) == [("Spring", 90, 3)]
        assert told(cmo) == [REPORT]
        roles = [one["role"] for one in seen[1]["messages"]]
        assert roles == ["system", "user", "assistant", "tool"]
        assert seen[1]["messages"][-1]["tool_call_id"] == "call-1"


def test_an_endpoint_that_dies_in_its_first_answer_leaves_the_message_to_rules(tmp_path: Path) -> None:
    with serving(DIES) as (address, seen), open_office(tmp_path, address) as cmo:
        cmo.cycle(ORDER)
        assert seen
        assert booked(cmo) == [("Spring", 90, 3)]
        (reply,) = told(cmo)
        assert cmo.world.business.campaigns.all()[0].id in reply
        assert BY_RULES.format(why="it did not answer") in reply
        assert "127.0.0.1" not in reply
        errors = [one.body.get("error", "") for one in cmo.services.ledger.entries("cmo") if one.kind == "model"]
        assert any("127.0.0.1" in one for one in errors)


def test_an_endpoint_that_dies_after_an_effect_leaves_the_records_to_report(tmp_path: Path) -> None:
    with serving(campaign(), DIES) as (address, _), open_office(tmp_path, address) as cmo:
        cmo.cycle(ORDER)
        assert booked(cmo) == [("Spring", 90, 3)]
        (reply,) = told(cmo)
        assert cmo.world.business.campaigns.all()[0].id in reply
        assert "127.0.0.1" not in reply
        cmo.cycle()
        assert (performed(cmo, "ad_campaign_create"), len(told(cmo)), session(cmo).status) == (1, 1, "done")
