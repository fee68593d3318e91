"""What a model is shown: the right tool for what people ask, only what the agent may use, and a way to find more."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.catalogue import wordings
from mabos.tools.gate.identity import check_capability
from mabos.tools.runtime.services import Caller
from mabos.tools.work.office import ORDERS
from mabos.tools.work.reads import READS
from mabos.tools.work.toolbox import ALWAYS, FIND, REPLACED, Toolbox
from tests.world import WORDS_ALONE, World

SHOWN = 18
_SENTENCES = read_yaml(Path(__file__).with_name("office_sentences.yaml"))
IN_VIEW, UNSEEN = _SENTENCES["in_view"], _SENTENCES["unseen"]
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


def missed(office: World, sentences: Sentences, *, whole: bool = False) -> list[tuple[str, str]]:
    """Return the sentences whose tool is not named, or not shown `whole`, to an agent that may use it."""
    found = []
    for role, tool, text in sentences:
        box = Toolbox(office.services.agent(role), text, SHOWN)
        if tool not in ALWAYS and tool not in box.names() and (whole or tool not in box.listed):
            found.append((tool, text))
    return found


@pytest.mark.parametrize("sentences", [IN_VIEW, UNSEEN], ids=["in view", "unseen"])
def test_the_tool_that_does_what_is_asked_is_named(office: World, sentences: Sentences) -> None:
    """At least 95 % of the sentences.

    Measured with an embedder: 62 of 62 in view, 60 of 60 unseen; by words alone: 62 of 62 and 58 of 60. The unseen ones
    had 55 of 60 when they were first measured, before words were weighed by what a text can reach.
    """
    assert len(missed(office, sentences)) <= 0.05 * len(sentences), missed(office, sentences)


@pytest.mark.parametrize("sentences", [IN_VIEW, UNSEEN], ids=["in view", "unseen"])
def test_the_tool_that_does_what_is_asked_has_its_schema(office: World, sentences: Sentences) -> None:
    """At least 90 % of the sentences, and 75 % by words alone: the others take one search.

    Measured with an embedder: 60 of 62 in view, 54 of 60 unseen; by words alone: 53 of 62 and 46 of 60.
    """
    most = 0.1 if office.services.embedder.fingerprint else 0.25
    assert len(missed(office, sentences, whole=True)) <= most * len(sentences), missed(office, sentences, whole=True)


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


def test_at_most_so_many_are_named_and_some_always_shown(office: World) -> None:
    for limit in (6, 10, 18):
        box = Toolbox(office.services.agent("coo"), "Book a painter and remind me on Friday", limit)
        assert len(box.names()) + len(box.listed) == limit
        assert {FIND, *ALWAYS} <= box.names()
        assert len(box.names()) <= 3 + office.services.settings.work.schemas


def test_what_is_only_named_stands_in_the_description_of_the_search_and_is_found_by_its_name(office: World) -> None:
    box = Toolbox(office.services.agent("coo"), "Book a painter and remind me on Friday", SHOWN)
    search = next(one for one in box.specs() if one.name == FIND)
    assert box.listed
    for name in box.listed:
        assert f"{name} (" in search.description
        assert name in box.found_by(name)
    assert box.listed[0] in box.names(found=box.listed[:1])


def test_every_order_of_the_office_is_named_whatever_is_asked(office: World) -> None:
    orders = {name for name in ORDERS if Toolbox(office.services.agent("cmo"), "", SHOWN).may(name)}
    earlier = {"change_order", "withdraw_order", "report_done", "send_drafts"}
    for text in ("We do no advertising this year.", "Good morning!", "Set the price of a lesson to 45 dollars."):
        box = Toolbox(office.services.agent("cmo"), text, SHOWN)
        assert orders - earlier <= {*box.names(), *box.listed}


def test_a_schema_of_many_tokens_is_shown_only_where_it_is_searched_for(office: World) -> None:
    box = Toolbox(office.services.agent("ceo"), "What do we know about Brandt Marine? Ask the knowledge.", SHOWN)
    assert "knowledge" in box.listed
    assert "knowledge" in box.names(found=box.found_by("knowledge"))


def test_only_what_the_agent_may_use_is_shown(office: World) -> None:
    text = "Start a search campaign, write to our customers, set a price and add a contractor"
    for role in ("ceo", "cmo", "cfo", "hr"):
        agent = office.services.agent(role, caller=Caller("agent", role))
        for name in Toolbox(agent, text, 40).names() - {FIND, *READS}:
            needs = ORDERS[name].needs if name in ORDERS else name
            if needs:
                check_capability(agent, office.services.tools.tool(needs))
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
