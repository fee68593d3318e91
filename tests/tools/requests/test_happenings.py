"""What happened in some days: from the ledgers, goals and decisions, and never from an older letter."""

from collections.abc import Iterator

import pytest

from tests.world import World

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with World(tmp_path_factory.mktemp("days") / "workspace") as opened:
        opened.cycle("cmo", ORDER)
        opened.later(hours=1)
        opened.cycle("cmo", "Make the campaign 'Spring' 80 dollars a week.")
        opened.cycle("cmo", ORDER.replace("Spring", "Big").replace("90", "2500"))
        body = {"tool": "email_send", "arguments": {}, "ok": False, "error": "no mail server answers"}
        opened.services.ledger.append("cmo", "call", body, at=opened.now, cycle="C-x")
        yield opened


def ask(world: World, agent: str, said: str) -> tuple[str, set[str]]:
    """Return the reply of an agent and the records that it rests on."""
    reply = world.cycle(agent, said).reply
    message = world.services.inbox("stakeholder").messages()[-1]
    return reply, {str(one["record"]) for one in message.metadata.get("claims", ())}


@pytest.mark.parametrize("said", ["What did everybody do today?", "Summarise the week", "Sum up the day, please."])
@pytest.mark.parametrize("agent", ["ceo", "cmo"])
def test_the_days_are_summed_up_from_the_records(agent: str, said: str, world: World) -> None:
    reply, records = ask(world, agent, said)
    (asked,) = world.questions()
    calls = {one.id for one in world.services.ledger.entries("cmo") if one.body.get("tool") == "ad_campaign_create"}
    assert calls & records
    assert asked.id in records
    assert "$90" not in reply, "what is no longer so is not told as if it were"
    assert not [one for one in world.agent(agent).mind.goals if said in one.description]


@pytest.mark.parametrize("said", ["What went wrong today?", "Did anything go wrong this week?", "What failed?"])
def test_what_went_wrong_names_the_failed_calls(said: str, world: World) -> None:
    reply, records = ask(world, "ceo", said)
    (failed,) = [one.id for one in world.services.ledger.entries("cmo") if one.body.get("ok") is False]
    assert "no mail server answers" in reply
    assert failed in records


def test_a_day_without_anything_says_so(world: World) -> None:
    reply, records = ask(world, "hr", "What went wrong last month?")
    assert "no mail server" not in reply
    assert not {one for one in records if one.startswith("L-")}


def test_what_went_wrong_with_a_thing_is_another_question(world: World) -> None:
    _, records = ask(world, "cmo", "What went wrong with the campaign 'Spring'?")
    assert not {one for one in records if one.startswith("G-")}
