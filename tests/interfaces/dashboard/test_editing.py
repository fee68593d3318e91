"""A mind is edited on a page as on disk: nothing is lost, and what nobody could read is not saved."""

from dataclasses import replace
from typing import Any

import pytest

from mabos.mind.forms import MIND_FILES
from mabos.mind.model import Belief
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


@pytest.mark.parametrize("file", ["../agent.json", "agent.json", "Beliefs.md.conflict", ""])
def test_no_other_file_is_read_or_written(file: str, services: Services, cash: Belief) -> None:
    visitor = Visitor(services)
    form = next(dict(one.fields) for one in visitor.page(EDIT).forms if "text" in one.fields)
    before = (services.layout.agent("cfo") / "agent.json").read_bytes()
    answer = visitor.ask("/edit", method="POST", data={**form, "file": file, "text": "# Mine\n"})
    assert answer.status_code >= 400
    assert (services.layout.agent("cfo") / "agent.json").read_bytes() == before
    assert visitor.ask(f"/edit?agent=cfo&file={file or 'x'}").status_code == 404
