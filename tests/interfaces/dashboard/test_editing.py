"""A mind is edited on a page as on disk: nothing is lost, and what nobody could read is not saved."""

import json
from dataclasses import replace
from typing import Any

import pytest

from mabos.mind.forms import MIND_FILES
from mabos.mind.model import Belief
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests.interfaces.dashboard.visitor import Visitor, words

EDIT = "/edit?agent=cfo&file=Beliefs.md"


@pytest.fixture
def cash(services: Services) -> Belief:
    """Return one of two beliefs of the CFO."""
    mind = services.agent("cfo").mind
    made = [Belief(f"B-{name}", f"{name} is 5", 0.5, subject=name, value="5") for name in ("cash", "burn")]
    mind.save(*made, why="the bank said so")
    return made[0]


def believed(services: Services, subject: str) -> tuple[float, str]:
    found = services.agent("cfo").mind.belief(f"B-{subject}")
    return found.certainty, found.value


def changed(text: str, subject: str, certainty: str) -> str:
    """Return the file with another certainty of one belief."""
    at = text.index(f"B-{subject}")
    return text[:at] + text[at:].replace("Certainty:** 0.5", f"Certainty:** {certainty}", 1)


def edited(services: Services, certainty: str, *, meanwhile: Any = lambda: None, follows: bool = True) -> Any:
    """Open the page, let something happen, and save the CFO's belief about cash with another certainty."""
    visitor = Visitor(services)
    (form,) = [one for one in visitor.page(EDIT).forms if "text" in one.fields]
    fields = dict(form.fields)
    meanwhile()
    # A browser sends a text with its own line ends.
    text = changed(fields["text"].lstrip("\n"), "cash", certainty).replace("\n", "\r\n")
    answer = visitor.ask("/edit", method="POST", data={**fields, "text": text})
    return visitor.page(answer.headers["location"]) if follows else answer


def test_an_edit_is_believed_stands_in_the_file_and_says_whose_it_is(services: Services, cash: Belief) -> None:
    page = edited(services, "0.9")
    assert believed(services, "cash") == (0.9, "5")
    assert "1 section changed" in words(page)
    text = (services.layout.agent("cfo") / "Beliefs.md").read_text("utf-8")
    assert "Certainty:** 0.9" in text[text.index("B-cash") : text.index("B-burn")]
    assert list(services.agent("cfo").mind.store.history())[-1].note["by"] == "hand"


def test_what_the_agent_changed_elsewhere_meanwhile_stays(services: Services, cash: Belief) -> None:
    mind = services.agent("cfo").mind
    page = edited(services, "0.9", meanwhile=lambda: mind.save(replace(mind.belief("B-burn"), value="7"), why="news"))
    assert (believed(services, "cash"), believed(services, "burn")) == ((0.9, "5"), (0.5, "7"))
    assert not page.xpath("//*[@id='both']")


def test_of_one_section_both_versions_are_shown_and_none_is_lost(services: Services, cash: Belief) -> None:
    mind = services.agent("cfo").mind
    page = edited(services, "0.9", meanwhile=lambda: mind.save(replace(cash, value="6"), why="news"))
    assert believed(services, "cash") == (0.9, "5")
    (current, agents) = (words(one) for one in page.xpath("//div[@class='versions']//pre"))
    assert ("0.9" in current, "Value:** 6" in agents) == (True, True)
    beaten = services.layout.agent("cfo") / "Beliefs.md.conflict"
    assert "Value:** 6" in beaten.read_text("utf-8")
    visitor = Visitor(services)
    form = next(dict(one.fields) for one in visitor.page(EDIT).forms if "seen" in one.fields)
    answer = visitor.ask("/edit", method="POST", data={**form, "seen": "another", "do": "dismiss"})
    assert (answer.status_code, beaten.exists()) == (403, True) or beaten.exists()
    visitor.ask("/edit", method="POST", data={**form, "do": "dismiss"})
    assert not beaten.exists()


@pytest.mark.parametrize("certainty", ["quite", "1.7", "0.9\n\n<<<<<<< HEAD", "\x00"])
def test_what_nobody_could_read_is_refused_with_its_line_and_kept_on_the_page(
    certainty: str, services: Services, cash: Belief
) -> None:
    before = services.agent("cfo").mind.file("Beliefs.md")
    answer = edited(services, certainty, follows=False)
    assert answer.status_code >= 400
    assert services.agent("cfo").mind.file("Beliefs.md") == before
    lines = changed(before, "cash", certainty).split("\n")
    line = next(at for at, one in enumerate(lines, 1) if one.endswith(certainty.rpartition("\n")[2]))
    assert f"Line {line}: " in answer.text


def test_a_file_is_not_emptied(services: Services, cash: Belief) -> None:
    answer = Visitor(services).fill(EDIT, "/edit", follows=False, text="  ")
    assert answer.status_code >= 400
    assert believed(services, "cash") == (0.5, "5")


def test_a_section_is_added_and_another_removed(services: Services, cash: Belief) -> None:
    text = services.agent("cfo").mind.file("Beliefs.md")
    start = text.index("## burn is 5")
    end = text.find("\n## ", start)
    without = text[:start] + (text[end + 1 :] if end > 0 else "")
    new = "## The bakery opens at six\n\n- **Id:** B-hours\n- **Certainty:** 1\n"
    Visitor(services).fill(EDIT, "/edit", text=f"{without.rstrip()}\n\n{new}")
    ids = [one.id for one in services.agent("cfo").mind.beliefs]
    assert ("B-burn" in ids, "B-hours" in ids, "B-cash" in ids) == (False, True, True)


@pytest.mark.parametrize("file", MIND_FILES)
def test_saving_a_file_as_it_is_changes_nothing(file: str, services: Services) -> None:
    mind = services.agent("cfo").mind
    mind.lay_out()
    before, seq = mind.file(file), mind.seq
    page = Visitor(services).fill(f"/edit?agent=cfo&file={file}", "/edit", text=before)
    assert "Nothing was changed" in words(page)
    assert (mind.file(file), mind.seq) == (before, seq)


FACTS = "/edit?agent=cfo&file=facts.json"


def asserted(services: Services, **changed: Any) -> Any:
    given = {"subject": "oven 3", "predicate": "holds", "object": "40 loaves", "source": "bakery", "confidence": 0.5}
    found = call(services, "fact_assert", given | changed, agent_id="cfo")
    return services.agent("cfo").facts.fact(found.required()["fact_id"])


def fact(services: Services, fact_id: str) -> Any:
    return services.agent("cfo").facts.fact(fact_id)


@pytest.mark.parametrize("both", [False, True])
def test_a_fact_is_edited_as_on_disk_and_an_acknowledged_change_of_the_agent_stays(
    services: Services, both: bool
) -> None:
    mine, other = asserted(services), asserted(services, subject="oven 4")
    visitor = Visitor(services)
    fields = next(dict(form.fields) for form in visitor.page(FACTS).forms if "text" in form.fields)
    asserted(services, subject="oven 3" if both else "oven 4", confidence=0.7)
    text = json.loads(fields["text"])
    next(one for one in text["facts"] if one["id"] == mine.id)["confidence"] = 0.9
    answer = visitor.ask("/edit", method="POST", data={**fields, "text": json.dumps(text)})
    page = visitor.page(answer.headers["location"])
    assert fact(services, mine.id).confidence == (0.7 if both else 0.9)
    assert fact(services, other.id).confidence == (0.5 if both else 0.7)
    beaten = services.layout.agent("cfo") / "facts.json.conflict"
    assert beaten.exists() == both == bool(page.xpath("//*[@id='both']"))
    assert not both or ("0.9" in beaten.read_text("utf-8") and "yours is below" in words(page))


@pytest.mark.parametrize("text", ["{", "", '{"facts": 5}', "confidence"])
def test_a_json_file_that_agents_could_not_read_is_not_saved(services: Services, text: str) -> None:
    mine = asserted(services)
    visitor = Visitor(services)
    fields = next(dict(form.fields) for form in visitor.page(FACTS).forms if "text" in form.fields)
    given = fields["text"].replace("0.5", '"rather"') if text == "confidence" else text
    answer = visitor.ask("/edit", method="POST", data={**fields, "text": given})
    assert answer.status_code >= 400
    assert fact(services, mine.id).confidence == 0.5
    assert text != "confidence" or "confidence" in answer.text


RULE = 'RULE full: Ovens\nIF ?oven holds "{}"\nTHEN ?oven is_full = true\n'


def test_rules_are_written_and_hold_and_those_that_cannot_be_read_are_refused(services: Services) -> None:
    where = "/edit?agent=cfo&file=rules/own.rules"
    page = Visitor(services).fill(where, "/edit", text=RULE.format("40 loaves"))
    assert "1 rule changed" in words(page)
    assert "full" in {one.id for one in services.agent("cfo").rules.select()}
    path = services.layout.agent("cfo") / "rules" / "own.rules"
    answer = Visitor(services).fill(where, "/edit", follows=False, text="RULE full\nIF nothing\n")
    assert (answer.status_code >= 400, "rules/own.rules:" in answer.text) == (True, True)
    visitor = Visitor(services)
    fields = next(dict(form.fields) for form in visitor.page(where).forms if "text" in form.fields)
    path.write_text(RULE.format("50 loaves"), "utf-8")
    assert visitor.ask("/edit", method="POST", data={**fields, "text": RULE.format("9")}).status_code >= 400
    assert "50 loaves" in path.read_text("utf-8")
    other = RULE.format("9").replace("RULE full", "RULE empty")
    merged = visitor.ask("/edit", method="POST", data={**fields, "text": f"{fields['text']}\n{other}"})
    assert merged.status_code < 400
    assert {"full", "empty"} <= {one.id for one in services.agent("cfo").rules.select()}
    assert "50 loaves" in path.read_text("utf-8"), "what another editor saved meanwhile stays"


def test_a_memory_is_corrected_and_recalled_as_it_is_now(services: Services) -> None:
    kept = services.agent("cfo").memory.store("The bank wants four months of runway", importance=0.8)
    page = "/edit?agent=cfo&file=memory-store.json"
    fields = next(dict(form.fields) for form in Visitor(services).page(page).forms if "text" in form.fields)
    Visitor(services).fill(page, "/edit", text=fields["text"].replace("four months", "seven months"))
    hit = services.agent("cfo").memory.recall("runway of the bank", limit=1)[0]
    assert (hit.found.id, hit.content) == (kept.id, "The bank wants seven months of runway")


@pytest.mark.parametrize(
    "file", ["../agent.json", "rules/../../cmo/rules/own.rules", "agent.json", "Beliefs.md.conflict", ""]
)
def test_no_other_file_is_read_or_written(file: str, services: Services, cash: Belief) -> None:
    visitor = Visitor(services)
    form = next(dict(one.fields) for one in visitor.page(EDIT).forms if "text" in one.fields)
    before = (services.layout.agent("cfo") / "agent.json").read_bytes()
    answer = visitor.ask("/edit", method="POST", data={**form, "file": file, "text": "# Mine\n"})
    assert answer.status_code >= 400
    assert (services.layout.agent("cfo") / "agent.json").read_bytes() == before
    assert visitor.ask(f"/edit?agent=cfo&file={file or 'x'}").status_code == 404
