"""What a model is shown: the right tool for what people ask, only what the agent may use, and a way to find more."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mabos.language.catalogue import wordings
from mabos.tools.gate.identity import allowed
from mabos.tools.runtime.services import Caller
from mabos.tools.work.office import ORDERS
from mabos.tools.work.reads import READS
from mabos.tools.work.toolbox import ALWAYS, FIND, REPLACED, Toolbox
from tests.tools.work.office_sentences import IN_VIEW, UNSEEN
from tests.world import WORDS_ALONE, World

SHOWN = 15
Sentences = Sequence[tuple[str, str, str]]


@pytest.fixture(scope="module", params=["with an embedder", "by words alone"])
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return an office with the records that the sentences speak of."""
    settings = WORDS_ALONE if request.param == "by words alone" else {}
    world = World(tmp_path_factory.mktemp("office"), settings=settings)
    world.do("stakeholder_profile", approval_threshold_usd=100_000)
    for name, channel in (("Yoga retreat", "social"), ("Open kitchen", "search"), ("Advent", "search")):
        campaign = {"name": name, "channel": channel, "segment": "all", "weekly_budget_usd": 30, "weeks": 4}
        world.do("ad_campaign_create", "cmo", **campaign)
    for title in ("Repaint the railings", "Translate the brochure", "Clean the gutters"):
        world.do("work_package_create", "coo", title=title, description=title, required_skills=[], budget_usd=100)
    for name in ("Nadia Okoye", "Piotr Wolny"):
        world.do("contractor_add", "hr", name=name, skills=["paint"], hourly_rate_usd=38)
    for name in ("Gift card", "Organ check-up", "Lessons"):
        world.do("stripe_create_product", "cfo", name=name)
    for name in ("takings", "meals", "energy"):
        world.do("metrics_record", "cfo", name=name, value=5)
    return world


def missed(office: World, sentences: Sentences) -> list[tuple[str, str]]:
    """Return the sentences whose tool is not shown to an agent that may use it."""
    return [
        (tool, text)
        for role, tool, text in sentences
        if tool not in ALWAYS and tool not in Toolbox(office.services.agent(role), text, SHOWN).names()
    ]


@pytest.mark.parametrize("sentences", [IN_VIEW, UNSEEN], ids=["in view", "unseen"])
def test_the_tool_that_does_what_is_asked_is_shown(office: World, sentences: Sentences) -> None:
    """At least 95 % of the sentences.

    Measured with an embedder: 58 of 58 in view, 60 of 60 unseen; by words alone: 56 of 58 and 58 of 60. The unseen ones
    had 55 of 60 when they were first measured, before words were weighed by what a text can reach.
    """
    assert len(missed(office, sentences)) <= 0.05 * len(sentences), missed(office, sentences)


def test_the_examples_of_the_catalogue_find_their_operations(office: World) -> None:
    examples = [
        (office.business.manifest.agents[role], REPLACED.get(name, name), example)
        for name, wording in wordings().items()
        for example in wording.examples
        for role in [
            next(one for one in office.business.manifest.agents if _may(office, one, REPLACED.get(name, name)))
        ]
    ]
    assert len(missed(office, examples)) <= 0.05 * len(examples), missed(office, examples)


def _may(office: World, role: str, tool: str) -> bool:
    return Toolbox(office.services.agent(role), "", SHOWN).may(tool)


def test_at_most_so_many_are_shown_and_some_always(office: World) -> None:
    for limit in (6, 10, 15):
        names = Toolbox(office.services.agent("coo"), "Book a painter and remind me on Friday", limit).names()
        assert len(names) == limit
        assert {FIND, *ALWAYS} <= names


def test_only_what_the_agent_may_use_is_shown(office: World) -> None:
    text = "Start a search campaign, write to our customers, set a price and add a contractor"
    for role in ("ceo", "cmo", "cfo", "hr"):
        agent = office.services.agent(role, caller=Caller("agent", role))
        for name in Toolbox(agent, text, 40).names() - {FIND, *READS}:
            needs = ORDERS[name].needs if name in ORDERS else name
            if needs:
                allowed(agent, office.services.tools.tool(needs))
    assert "write_letter" not in Toolbox(office.services.agent("ceo"), text, 40).names()
    assert "write_letter" in Toolbox(office.services.agent("cmo"), text, 40).names()


def test_operations_that_an_order_of_the_office_replaces_are_not_shown(office: World) -> None:
    names = Toolbox(office.services.agent("cmo"), "Send an email campaign to all customers, agent_message", 60).names()
    assert not names & set(REPLACED)


def test_schemas_are_whole_and_name_no_agent(office: World) -> None:
    for one in Toolbox(office.services.agent("cmo"), "Start a campaign", 60).specs():
        assert one.parameters["type"] == "object"
        assert not {"agent_id", "business_id"} & set(one.parameters["properties"])
        assert set(one.parameters["required"]) <= set(one.parameters["properties"])
        assert "$ref" not in str(one.parameters)
        assert one.description


def test_what_a_search_found_is_shown_from_then_on(office: World) -> None:
    box = Toolbox(office.services.agent("cfo"), "Hello", SHOWN)
    assert "workflow_inspect" not in box.names()
    assert "workflow_inspect" in box.names(found=["workflow_inspect", "no_such_tool"])


def test_a_search_says_which_colleague_may_use_an_operation(office: World) -> None:
    box = Toolbox(office.services.agent("ceo"), "", SHOWN)
    found = box.find_operations("start an advertising campaign")
    line = next(one for one in found.splitlines() if "ad_campaign_create" in one)
    assert "CMO" in line
    assert "cmo" in line
    assert "ad_campaign_create" not in box.usable(box.found_by("start an advertising campaign"))
    assert "remind" in box.usable(["remind"])


def test_orders_about_earlier_orders_are_shown_once_there_are_any(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        text = "No, make it Thursday."
        assert "change_order" not in Toolbox(world.services.agent("coo"), text, SHOWN).names()
        world.cycle("coo", "Remind me on 20 March 2026 of the fire drill.")
        names = Toolbox(world.services.agent("coo"), text, SHOWN).names()
        assert {"change_order", "withdraw_order"} <= names
        assert not {"report_done", "send_drafts"} & names


def test_the_tools_stay_the_same_while_a_session_gives_orders(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        box = Toolbox(world.services.agent("coo"), "Remind me on 20 March 2026 of the fire drill.", SHOWN)
        before = box.specs()
        world.cycle("coo", "Remind me on 20 March 2026 of the fire drill.")
        assert box.specs() == before


def test_tools_come_in_the_same_order_for_the_same_choice(office: World) -> None:
    agent = office.services.agent("cmo")
    first = [one.name for one in Toolbox(agent, "Start ads on Google", SHOWN).specs()]
    again = [one.name for one in Toolbox(agent, "start ADS on google!", SHOWN).specs()]
    assert first == again
