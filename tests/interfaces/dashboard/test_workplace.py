"""What a person does from a page without a script: talk, answer, run a cycle, drop a file; and the overview."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from hypothesis import given as having
from hypothesis import strategies as st

from mabos.interfaces.dashboard.forms import form_parts
from mabos.interfaces.dashboard.visits import PAUSE, next_visit
from mabos.mind.model import Goal
from mabos.society.figures import WatchedFigure
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import iso
from tests.interfaces.dashboard.visitor import Visitor, words
from tests.interfaces.surfaces.offices import NOW

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
FIGURES = b"date,metric,value,unit\n2026-02-23,cash,310000,USD\n"


def done(services: Services, tool: str, agent: str = "", /, **given: Any) -> dict[str, Any]:
    outcome = call(services, tool, given, agent_id=agent or None)
    assert outcome.ok, outcome.message
    return dict(outcome.result)


def sent(visitor: Visitor, path: str, action: str, /, *, follows: bool = True, **given: Any) -> Any:
    """Return what came of the first form of a page with this action and these fields, filled in."""
    names = set(given) - {"headers"}
    filled = next(
        one
        for one in visitor.page(path).forms
        if (one.action, one.method) == (action, "POST") and names <= set(one.fields.keys())
    )
    files = {"file": given.pop("file")} if "file" in given else None
    fields = {name: value for name, value in filled.fields.items() if value is not None}
    more = {"headers": given.pop("headers")} if "headers" in given else {}
    answer = visitor.ask(action, method="POST", data=fields | given, files=files, **more)
    if follows and answer.status_code == 303:
        return visitor.page(answer.headers["location"].partition("#")[0])
    return answer


def campaigns(services: Services, name: str = "Spring") -> list[Any]:
    return [one for one in services.business().campaigns.all() if one.name == name]


def test_a_message_is_answered_and_the_page_shows_it_from_the_records(services: Services) -> None:
    visitor = Visitor(services)
    page = sent(visitor, "/chat?agent=cmo", "/chat", message=ORDER)
    (made,) = campaigns(services)
    mine, theirs = page.xpath("//li[contains(@class, 'said')]")
    assert (ORDER in words(mine), made.id in words(theirs)) == (True, True)
    assert any("Spring" in words(one) for one in page.xpath("//li[@class='did']//li"))
    (way,) = page.xpath("//p[contains(@class, 'sources')]//a/@href")
    assert made.id in words(visitor.page(way).get_element_by_id("what"))


def test_the_sources_of_an_answer_lead_to_its_figures(services: Services) -> None:
    services.business().metrics.record("cash", 310_000.0, iso(NOW), "USD", "books")
    visitor = Visitor(services)
    page = sent(visitor, "/chat?agent=cfo", "/chat", message="How much cash do we have?")
    (way,) = page.xpath("//p[contains(@class, 'sources')]//a/@href")
    assert "310" in words(visitor.page(way).get_element_by_id("what"))


def test_the_company_answers_by_the_agent_whose_work_it_is(services: Services) -> None:
    page = sent(Visitor(services), "/chat", "/chat", message=ORDER)
    assert len(campaigns(services)) == 1
    assert services.inbox("cmo").messages()[-1].content == ORDER
    assert "You to cmo" in words(page)


def test_a_turn_is_streamed_to_the_script_line_by_line(services: Services) -> None:
    given = {"message": ORDER, "headers": {"accept": "text/event-stream"}}
    answer = sent(Visitor(services), "/chat?agent=cmo", "/chat", follows=False, **given)
    assert answer.headers["content-type"].startswith("text/event-stream")
    names = [one.splitlines()[0].partition(": ")[2] for one in answer.text.split("\n\n") if one]
    assert (names[0], names[-1], names.count("line") >= 1) == ("status", "done", True)
    assert len(campaigns(services)) == 1


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream"])
def test_an_empty_message_is_refused_and_nothing_is_said(accept: str, services: Services) -> None:
    answer = sent(Visitor(services), "/chat?agent=cmo", "/chat", message="  ", headers={"accept": accept})
    assert (answer.status_code, "The message is empty" in answer.text) == (400, True)
    assert not services.inbox("cmo").messages()


def test_a_turn_that_fails_keeps_what_was_written(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    from mabos.configs.errors import Unavailable
    from mabos.interfaces.dashboard import actions

    def fails(*_: Any, **__: Any) -> Any:
        raise Unavailable("another process runs the agent")

    monkeypatch.setattr(actions, "take_turn", fails)
    answer = sent(Visitor(services), "/chat?agent=cmo", "/chat", message="Stop <all> of it")
    assert (answer.status_code, "another process runs the agent" in answer.text) == (400, True)
    assert "Stop <all> of it" in unescape(answer.text)


def test_an_approval_in_the_chat_is_done_at_once(services: Services) -> None:
    (asked,) = services.decisions().all()
    forms = [one for one in Visitor(services).page("/chat?agent=cmo").forms if one.fields.get("id") == asked.id]
    assert {one.fields["resolution"] for one in forms} == {"approve", "reject"}
    visitor = Visitor(services)
    filled = next(one for one in visitor.page("/chat?agent=cmo").forms if one.fields.get("resolution") == "approve")
    answer = visitor.ask("/chat", method="POST", data=dict(filled.fields))
    assert (answer.status_code, answer.headers["location"]) == (303, f"/chat?agent=cmo&done={asked.id}#end")
    assert services.decisions().one(asked.id).status == "approved"
    assert [one.weekly_budget_usd for one in campaigns(services, "Big")] == [2500]
    page = visitor.page(f"/chat?agent=cmo&done={asked.id}")
    assert asked.subject in words(page.xpath("//p[@role='status']")[0])
    assert asked.id not in [one.fields.get("id") for one in page.forms]


def test_a_rejection_in_the_chat_keeps_its_reason_and_nothing_is_done(services: Services) -> None:
    visitor = Visitor(services)
    filled = next(one for one in visitor.page("/chat?agent=cmo").forms if one.fields.get("resolution") == "reject")
    visitor.ask("/chat", method="POST", data={**dict(filled.fields), "feedback": "not before the audit"})
    (asked,) = services.decisions().all()
    assert (asked.status, asked.feedback, campaigns(services, "Big")) == ("rejected", "not before the audit", [])


@pytest.mark.parametrize("path", ["/chat?agent=cmo", "/overview", "/decisions"])
def test_a_letter_is_shown_whole_before_it_goes(path: str, services: Services) -> None:
    done(services, "decision_resolve", decision_id=services.decisions().all()[0].id, resolution="reject")
    for name in ("ada", "bo"):
        done(services, "crm_create_contact", email=f"{name}@example.com", name=name.title(), tags=["wholesale"])
    text = "From the first of May we deliver on Tuesdays.\n\nBefore noon."
    given = {"list": "wholesale", "subject": "New days", "text": text}

    call(services, "email_send", given, caller=Caller("agent", "cmo"), agent_id="cmo")
    (letter,) = Visitor(services).page(path).xpath("//section[@class='letter']")
    assert all(one in words(letter) for one in ("ada@example.com", "bo@example.com", "New days", "Before noon."))


def test_a_letter_to_many_names_every_reader(services: Services) -> None:
    readers = [f"reader{number}@example.com" for number in range(33)]
    for email in readers:
        done(services, "crm_create_contact", email=email, name="Reader", tags=["wholesale"])

    given = {"list": "wholesale", "subject": "New days", "text": "Tuesdays."}
    call(services, "email_send", given, caller=Caller("agent", "cmo"), agent_id="cmo")
    asked = services.decisions().all()[-1]
    (letter,) = Visitor(services).page(f"/decisions?id={asked.id}").xpath("//section[@class='letter']")
    assert [one for one in readers if one not in words(letter)] == []


@pytest.mark.parametrize("place", ["/chat?agent=cmo", "/overview", "/decisions?id={}"])
def test_a_text_is_read_whole_where_its_publication_is_approved(services: Services, place: str) -> None:
    text = "\n\n".join(f"Paragraph {number}: {'we bake at night. ' * 20}".strip() for number in range(20))
    given = {"type": "blog_post", "title": f"What we bake {place[:3]}", "body": text}
    found = call(services, "content_generate", given, caller=Caller("agent", "cmo"), agent_id="cmo")
    assert found.awaiting
    page = Visitor(services).page(place.format(found.decision_id))
    shown = page.xpath("//dd[not(ancestor::details)]")
    assert any(words(one) == " ".join(text.split()) for one in shown)


def test_a_cycle_is_run_from_the_page_of_its_agent(services: Services) -> None:
    done(services, "decision_resolve", decision_id=services.decisions().all()[0].id, resolution="approve")
    before = services.ledger_index().cycles(agents=["cmo"])
    page = sent(Visitor(services), "/minds?agent=cmo", "/minds")
    (cycle,) = set(services.ledger_index().cycles(agents=["cmo"])) - set(before)
    assert len(campaigns(services, "Big")) == 1
    assert page.xpath(f"//section[@role='status']//a[contains(@href, '{cycle}')]")


def test_a_file_is_dropped_into_the_inbox_and_read_in_the_next_cycle(services: Services) -> None:
    visitor = Visitor(services)
    page = sent(visitor, "/overview", "/inbox", file=("metrics.csv", FIGURES))
    assert "metrics.csv is in the inbox" in words(page)
    assert (services.business().directory / "inbox" / "metrics.csv").read_bytes() == FIGURES
    sent(visitor, "/minds?agent=cfo", "/minds")
    assert [one.value for one in services.business().metrics.series("cash")] == [310_000]
    assert "$310,000" in words(visitor.page("/overview"))


def test_a_file_never_replaces_another_one(services: Services) -> None:
    for content in (FIGURES, FIGURES, b"date,metric,value\n"):
        sent(Visitor(services), "/overview", "/inbox", file=("../figures.csv", content))
    folder = services.business().directory / "inbox"
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == {
        "figures.csv": FIGURES,
        "figures-2.csv": b"date,metric,value\n",
    }


@pytest.mark.parametrize("name", ["run.exe", ".csv", "", "..", "a\u202ecsv.exe"])
def test_a_file_that_nobody_reads_is_refused(name: str, services: Services) -> None:
    answer = sent(Visitor(services), "/overview", "/inbox", file=(name, FIGURES))
    assert answer.status_code in (400, 403, 422)
    assert not list((services.business().directory / "inbox").glob("*"))


def test_a_form_with_a_file_needs_the_proof_as_any_other(services: Services) -> None:
    visitor = Visitor(services)
    visitor.page("/overview")
    answer = visitor.ask("/inbox", method="POST", data={"business": "acme"}, files={"file": ("a.csv", FIGURES)})
    assert answer.status_code == 403
    assert not (services.business().directory / "inbox" / "a.csv").exists()


@having(st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=60)), max_size=4))
def test_a_form_of_parts_is_read_back_as_it_was_sent(fields: list[tuple[str, bytes]]) -> None:
    head = 'Content-Disposition: form-data; name="{}"; filename="x.csv"\r\n\r\n'
    sections = (b"--frontier\r\n" + head.format(name).encode() + content + b"\r\n" for name, content in fields)
    body = b"".join(sections) + b"--frontier--\r\n"
    whole = [one for one in fields if b"--frontier" not in one[1]]
    assert [(one.name, one.content) for one in form_parts(body, "frontier")] == whole


def test_the_overview_answers_a_question_and_stays(services: Services) -> None:
    visitor = Visitor(services)
    page = sent(visitor, "/overview", "/decisions")
    (asked,) = services.decisions().all()
    assert asked.status == "approved"
    assert page.xpath("//h1/text()") == ["Overview"]
    assert f"/decisions?id={asked.id}" in page.xpath("//p[@role='status']//a/@href")


def test_figures_show_their_change_and_whether_the_target_is_met(services: Services) -> None:
    metrics = services.business().metrics
    for week, cash in enumerate((100_000.0, 120_000.0, 90_000.0)):
        metrics.record("cash", cash, iso(NOW - timedelta(weeks=2 - week)), "USD", "books")
    terms = {"category": "terminal", "base": 0.9, "importance": 0.9, "urgency": 0.5, "alignment": 0.9}
    done(services, "desire_create", "ceo", name="Money", type="achieve", target="cash >= 95000", **terms)
    (tile,) = Visitor(services).page("/overview").xpath("//a[contains(@href, '#chart-cash')]")
    assert all(one in words(tile) for one in ("$90,000", "−$10,000 in 2 weeks", "at least $95,000", "not met"))
    assert "2025" not in words(tile)
    services.business().figures.save(WatchedFigure("cash", "cfo", "owner", target=">= 80000"))
    metrics.record("nps", 12.0, "2025-06-30T00:00:00.000Z", "", "books")
    page = Visitor(services).page("/overview")
    (tile,) = page.xpath("//a[contains(@href, '#chart-cash')]")
    assert all(one in words(tile) for one in ("at least $80,000", "met")), "what the owner wants comes first"
    assert "30 Jun 2025" in words(page.xpath("//a[contains(@href, '#chart-nps')]")[0]), "an old figure has its day"


def test_what_failed_is_told_with_its_reason_and_how_often(services: Services) -> None:
    body = {"tool": "email_send", "arguments": {"subject": "New days"}, "ok": False, "error": "no server answers"}
    for _ in range(2):
        services.ledger.append("cmo", "call", body, at=iso(NOW), cycle="C-x")
    (shown,) = Visitor(services).page("/overview").xpath("//section[@aria-labelledby='wrong']//li")
    assert all(one in words(shown) for one in ("New days", "no server answers", "2 times"))


def test_the_same_done_many_times_is_one_line_with_its_count_and_sum(services: Services) -> None:
    for week in range(3):
        body = {
            "tool": "content_generate",
            "arguments": {"title": f"What we bake, 2026-02-{10 + week}"},
            "ok": True,
            "cost": 250.0,
            "by": "agent",
            "result": {"text": f"What we bake is published (PIECE-176868192300{week}-a40c)"},
        }
        services.ledger.append("hr", "call", body, at=iso(NOW), cycle="C-x")
    services.ledger.append("hr", "call", body | {"by": "person"}, at=iso(NOW), cycle="C-x")
    page = Visitor(services).page("/overview")
    (line,) = page.xpath("//details[@class='deed'][contains(., 'What we bake')]")
    (head,) = line.xpath("summary")
    assert all(one in words(head) for one in ("3 texts", "$750", "What we bake (3 times)"))
    assert len(line.xpath(".//li")) == 3
    assert "PIECE" not in words(line)


def test_a_stuck_goal_is_named_with_its_reason(services: Services) -> None:
    mind = services.agent("coo").mind
    mind.save(Goal("G-x", "Open on Sundays", status="blocked", target="sales >= 5"))
    (shown,) = Visitor(services).page("/overview").xpath("//section[@aria-labelledby='wrong']")
    assert all(one in words(shown) for one in ("Open on Sundays", "stuck:"))


def test_a_visit_ends_with_a_pause_and_the_next_one_sees_what_is_new_since() -> None:
    before, cookie = next_visit("", NOW)
    assert before == ""
    before, cookie = next_visit(cookie, NOW + timedelta(minutes=5))
    assert before == ""
    later = NOW + timedelta(minutes=5) + PAUSE + timedelta(seconds=1)
    before, cookie = next_visit(cookie, later)
    assert before == iso(NOW + timedelta(minutes=5))
    assert next_visit(cookie, later + timedelta(minutes=1))[0] == before


@having(st.text(max_size=60))
def test_a_cookie_that_somebody_made_up_is_no_visit(cookie: str) -> None:
    before, written = next_visit(cookie, NOW)
    assert written.endswith(f"~{iso(NOW)}")
    assert next_visit(written, NOW)[0] == before
