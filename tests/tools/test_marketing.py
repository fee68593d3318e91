from pathlib import Path
from typing import Any, get_args

import pytest

from mabos.backends.chat import ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.society.content import ContentType
from mabos.society.pricing import Price, Product
from tests.tools.offices import office


def campaign(**changed: Any) -> dict[str, Any]:
    fields = {"name": "Search", "channel": "search", "segment": "smb", "weekly_budget_usd": 150, "weeks": 6}
    return {**fields, **changed}


def test_a_booked_campaign_is_in_the_business_campaigns(tmp_path: Path) -> None:
    world = office(tmp_path)
    booked = world.agent("cmo").do("ad_campaign_create", **campaign(segment=" SMB "))
    found = world.services.business("acme").campaigns.one(booked["campaign_id"])
    assert (found.channel, found.segment, found.created_by) == ("search", "smb", "cmo")
    assert booked["committed_usd"] == 900


def test_a_campaign_over_the_threshold_waits_for_a_person_and_nothing_is_booked(tmp_path: Path) -> None:
    world = office(tmp_path, threshold=5000)
    outcome = world.agent("cmo").ask("ad_campaign_create", **campaign(weekly_budget_usd=1000))
    assert outcome.awaiting
    (decision,) = world.services.decisions("acme").pending()
    assert decision.cost == 6000
    assert world.services.business("acme").campaigns.all() == ()


def test_the_same_booking_twice_under_one_key_books_once(tmp_path: Path) -> None:
    world = office(tmp_path)
    first = world.agent("cmo").do("ad_campaign_create", **campaign(), effect="plan-1/2/1")
    again = world.agent("cmo").ask("ad_campaign_create", **campaign(), effect="plan-1/2/1")
    assert again.repeated
    assert again.result["campaign_id"] == first["campaign_id"]
    assert len(world.services.business("acme").campaigns.all()) == 1


@pytest.mark.parametrize(
    ("changed", "argument"),
    [
        ({"channel": "radio"}, "channel"),
        ({"weeks": 0}, "weeks"),
        ({"weekly_budget_usd": -5}, "weekly_budget_usd"),
        ({"segment": " "}, "segment"),
        ({"business_id": "globex"}, "business_id"),
    ],
)
def test_a_bad_booking_names_the_argument_and_writes_nothing(
    tmp_path: Path, changed: dict[str, Any], argument: str
) -> None:
    world = office(tmp_path)
    outcome = world.agent("cmo").ask("ad_campaign_create", **campaign(**changed))
    assert not outcome.ok
    assert outcome.argument == argument
    assert world.services.business("acme").campaigns.all() == ()


def test_a_campaign_is_paused_resumed_and_given_another_budget(tmp_path: Path) -> None:
    world = office(tmp_path)
    campaign_id = world.agent("cmo").do("ad_campaign_create", **campaign())["campaign_id"]

    def manage(action: str, **more: Any) -> str:
        return str(
            world.agent("cmo").do("ad_campaign_manage", campaign_id=campaign_id, action=action, **more)["status"]
        )

    assert [manage("pause"), manage("resume"), manage("set_budget", weekly_budget_usd=100)] == [
        "paused",
        "recorded",
        "recorded",
    ]
    found = world.services.business("acme").campaigns.one(campaign_id)
    assert found.weekly_budget_usd == 100
    assert [change.action for change in found.history] == ["pause", "resume", "set_budget"]


def test_an_unknown_campaign_is_no_success(tmp_path: Path) -> None:
    outcome = office(tmp_path).agent("cmo").ask("ad_campaign_manage", campaign_id="CMP-9", action="stop")
    assert (outcome.code, outcome.argument) == ("unknown_id", "campaign_id")


@pytest.mark.parametrize("kind", get_args(ContentType))
def test_content_is_a_file_with_front_matter_and_an_entry_in_the_register(tmp_path: Path, kind: str) -> None:
    world = office(tmp_path)
    made = world.agent("cmo").do("content_generate", type=kind, title="Why teams switch", topic="onboarding")
    text = (world.services.business("acme").directory / made["path"]).read_text(encoding="utf-8")
    assert text.startswith("---\n")
    assert "# Why teams switch" in text
    assert "Acme" in text or "onboarding" in text
    assert world.services.business("acme").content.one(made["article_id"]).words == made["words"] > 0


def test_a_piece_without_a_headline_gets_one_from_whom_it_is_for(tmp_path: Path) -> None:
    world = office(tmp_path)
    made = world.agent("cmo").do("content_generate", type="pricing_page", tier="enterprise")
    assert made["title"] == "Enterprise: pricing page"
    assert "# Enterprise: pricing page" in (world.services.business("acme").directory / made["path"]).read_text("utf-8")


def test_a_chat_model_writes_the_body_where_there_is_one_and_the_register_says_so(tmp_path: Path) -> None:
    texts = ["Invoices go missing in daily work.", "Send them from one place.", "Acme keeps them in one place."]
    model = ScriptedModel([{"sections": [{"heading": "In short", "text": text} for text in texts]}])
    world = office(tmp_path, model=model)
    made = world.agent("cmo").do("content_generate", type="blog_post", title="Lost invoices", effect="P-1/1")
    assert made["written_by"] == "scripted"
    assert world.services.business("acme").content.one(made["article_id"]).written_by == "scripted"
    text = (world.services.business("acme").directory / made["path"]).read_text("utf-8")
    assert text.endswith("# Lost invoices\n\n" + "\n\n".join(f"## In short\n\n{one}" for one in texts) + "\n")
    (asked,) = [entry.body for entry in world.services.ledger.entries("cmo") if entry.kind == "model"]
    assert (asked["tag"], asked["tool"], asked["model"]) == ("content: blog_post", "content_generate", "scripted")
    assert asked["tokens"] > 0
    assert "Business: Acme" in model.calls[0].messages[1].content


def sections(*texts: str) -> dict[str, Any]:
    return {"sections": [{"heading": "In short", "text": text} for text in texts]}


@pytest.mark.parametrize("change", [{}, {"body": "## Mine\n\nWe open at 7."}])
def test_what_the_owner_approves_is_the_very_text_that_goes_out(tmp_path: Path, change: dict[str, str]) -> None:
    model = ScriptedModel([sections("Invoices go missing.", "Send them at once from here.", "Acme keeps them safe.")])
    world = office(tmp_path, model=model, style="hands-on")
    piece = {"type": "blog_post", "title": "Lost invoices", "format": "html"}
    waits = [world.agent("cmo").ask("content_generate", **piece, effect="P-1/1") for _ in range(2)]
    assert len({one.decision_id for one in waits}) == 1
    assert world.services.business("acme").content.all() == ()
    (question,) = world.services.decisions("acme").pending()
    assert question.action is not None
    shown = question.action["arguments"]["body"]
    assert "Invoices go missing." in shown
    how = {"resolution": "modify", "modifications": change} if change else {"resolution": "approve"}
    world.do("decision_resolve", decision_id=question.id, version=question.version, **how)
    made = [world.agent("cmo").ask("content_generate", **piece, effect="P-1/1") for _ in range(2)]
    assert [one.repeated for one in made] == [False, True]
    page = (world.services.business("acme").directory / made[0].result["path"]).read_text("utf-8")
    expected = change.get("body", shown)
    assert all(part.removeprefix("## ") in page for part in expected.split("\n\n"))
    assert ("Invoices go missing." in page) == (not change)
    assert len(model.calls) == 1
    assert [entry.body["tag"] for entry in world.services.ledger.entries("cmo") if entry.kind == "model"] == [
        "content: blog_post"
    ]


def test_a_rejected_text_is_refused_and_another_piece_gets_a_text_of_its_own(tmp_path: Path) -> None:
    texts = [sections(*[f"{word} for everybody in the office."] * 3) for word in ("First", "Second")]
    world = office(tmp_path, model=ScriptedModel(texts), style="hands-on")
    cmo, piece = world.agent("cmo"), {"type": "blog_post", "title": "Lost invoices"}
    first = cmo.ask("content_generate", **piece)
    world.do("decision_resolve", decision_id=first.decision_id, resolution="reject", feedback="too long")
    assert "too long" in cmo.ask("content_generate", **piece).message
    other = cmo.ask("content_generate", **{**piece, "title": "Found invoices"})
    action = world.services.decisions("acme").one(other.decision_id).action
    assert action is not None
    assert "Second for everybody" in action["arguments"]["body"]


def test_a_text_that_an_agent_gives_waits_for_the_owner_and_one_of_a_person_is_published(tmp_path: Path) -> None:
    world = office(tmp_path)
    given = {"type": "announcement", "title": "Open on Sundays", "body": "From May we open on Sundays."}
    assert "cmo wrote this text" in world.agent("cmo").ask("content_generate", **given).message
    made = world.do("content_generate", **{**given, "title": "Open all week"}, agent_id="cmo")
    assert (made["status"], made["written_by"]) == ("published", "person")
    path = world.services.business("acme").directory / made["path"]
    assert path.read_text("utf-8").endswith("From May we open on Sundays.\n")


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_where_the_model_answers_nothing_of_use_the_template_stands(tmp_path: Path, form: str) -> None:
    model = ScriptedModel(["No.", Unavailable("down")])
    world = office(tmp_path, model=model)
    made = world.agent("cmo").do("content_generate", type="blog_post", title="Lost invoices", format=form)
    assert (made["written_by"], len(model.calls)) == ("template", 2)
    assert "The problem" in (world.services.business("acme").directory / made["path"]).read_text("utf-8")


def test_what_the_model_is_told_of_prices_is_what_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel([Unavailable("down")])
    world = office(tmp_path, model=model)
    pricing = world.services.business("acme").pricing
    pricing.products.save(Product("prod_1", "Pro", "All of it"), Product("prod_2", "Old", active=False))
    asked = (9900, "smb", True), (4900, "all", True), (100, "all", False)
    for number, (cents, segment, active) in enumerate(asked):
        pricing.prices.save(Price(f"price_{number}", "prod_1", cents, segment=segment, active=active))
    world.agent("cmo").do("content_generate", type="pricing_page")
    assert (
        "Product: Pro, All of it (49.00 USD a month; 99.00 USD a month for smb)\n" in model.calls[0].messages[1].content
    )


def test_two_pieces_with_one_title_are_two_files(tmp_path: Path) -> None:
    world = office(tmp_path)
    paths = {world.agent("cmo").do("content_generate", type="blog_post", title="News")["path"] for _ in range(2)}
    assert len(paths) == 2


def test_a_title_cannot_leave_the_folder(tmp_path: Path) -> None:
    world = office(tmp_path)
    made = world.agent("cmo").do("content_generate", type="blog_post", title="../../../../etc/passwd")
    home = world.services.business("acme").directory / "drafts"
    assert (home.parent / made["path"]).resolve().is_relative_to(home)


def test_a_title_of_several_lines_is_one_headline(tmp_path: Path) -> None:
    world = office(tmp_path)
    made = world.agent("cmo").do("content_generate", type="blog_post", title="News\n---\nid: x\n\n# Other")
    assert made["title"] == "News --- id: x # Other"
    assert f"\n# {made['title']}\n" in (world.services.business("acme").directory / made["path"]).read_text("utf-8")


@pytest.mark.parametrize("argument", ["title", "topic", "tier"])
def test_what_no_headline_can_be_is_refused(tmp_path: Path, argument: str) -> None:
    world = office(tmp_path)
    outcome = world.agent("cmo").ask("content_generate", type="blog_post", **{argument: "x" * 301})
    assert (outcome.code, outcome.argument) == ("invalid_argument", argument)
    assert "300" in outcome.message
    assert world.services.business("acme").content.all() == ()


def test_an_agent_publishes_for_its_own_business_alone(tmp_path: Path) -> None:
    world = office(tmp_path, businesses=("acme", "globex"))
    world.agent("globex-cmo").do("content_generate", type="blog_post", title="News")
    outcome = world.agent("cmo").ask("content_generate", type="blog_post", title="News", business_id="globex")
    assert (outcome.code, outcome.argument) == ("refused", "business_id")
    assert len(world.services.business("globex").content.all()) == 1
    assert world.services.business("acme").content.all() == ()


def test_without_a_model_content_is_a_draft_with_its_blanks_that_costs_and_asks_nothing(tmp_path: Path) -> None:
    world = office(tmp_path)
    world.do("stakeholder_profile", business_id="acme", decision_style="hands-on", approval_threshold_usd=0)
    made = world.agent("cmo").do("content_generate", type="blog_post", title="Why now", topic="planning")
    assert (made["status"], made["cost_usd"], len(made["blanks"])) == ("draft", 0.0, 3)
    assert made["path"].startswith("drafts/")
    assert "[To write: " in (world.services.business("acme").directory / made["path"]).read_text("utf-8")
    assert [one.body.get("cost") for one in world.services.ledger.entries("cmo") if one.kind == "call"] == [None]
