"""Records that are kept from one question to the next are those that a fresh look finds, whoever wrote meanwhile."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged, UnknownId
from mabos.graphs import wiring
from mabos.interfaces.reasons.book import Book
from mabos.interfaces.reasons.chain import explain_record
from mabos.interfaces.reasons.gathering import Gathering, gather_records
from mabos.interfaces.reasons.making import Tells
from mabos.interfaces.reasons.record import Record, RecordGraph
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.ledger import LedgerEntry
from tests.interfaces.surfaces.offices import opened


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed workspace in which something was done; not to be written to."""
    root = tmp_path_factory.mktemp("kept") / "workspace"
    with opened(root) as services:
        done(services, "business_create", business_id="acme", name="Acme", template="saas")
        done(services, "agent_message", "cfo", to="ceo", performative="INFORM", content="Cash is short")
        done(services, "agent_message", "ceo", to=STAKEHOLDER, performative="INFORM", content="We are short of cash")
        wiring.run_cycle(services, "ceo")
    return root


@pytest.fixture
def services(company: Path, tmp_path: Path) -> Iterator[Services]:
    with opened(Path(shutil.copytree(company, tmp_path / "workspace"))) as found:
        yield found


def done(services: Services, tool: str, agent: str = "", /, **given: Any) -> dict[str, Any]:
    outcome = call(services, tool, given, agent_id=agent or None)
    assert outcome.ok, outcome.message
    return dict(outcome.result)


def everything(records: RecordGraph, ids: list[str]) -> dict[str, list[Record]]:
    return {one: [records.find(one, owner) for owner in records.owners(one)] for one in ids}


def told_by_another(services: Services) -> None:
    with opened(services.layout.root) as other:
        done(other, "agent_message", "cmo", to="cfo", performative="INFORM", content="Leads are up")
        done(other, "memory_store_item", "cmo", content="The fair was worth it", importance=0.9)


def believed_by_hand(services: Services) -> None:
    file = services.layout.agent("cfo") / "Beliefs.md"
    services.checkpoint()
    text = file.read_text("utf-8")
    assert "twelve months" in text
    file.write_text(text.replace("twelve months", "six months"), "utf-8")


def asked(services: Services) -> None:
    options = [{"id": "A", "label": "Ads"}, {"id": "B", "label": "Talks"}]
    done(services, "decision_request", "cmo", subject="Where to grow", description="?", options=options)


def forgotten(services: Services) -> None:
    services.layout.ledger("cfo").unlink()


def torn(services: Services) -> None:
    path = services.layout.ledger("ceo")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))


def rewritten(services: Services) -> None:
    path = services.layout.ledger("cfo")
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Cash is short", b"Cash is ample"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))


@pytest.mark.parametrize(
    "happens", [told_by_another, believed_by_hand, asked, forgotten, torn, rewritten], ids=lambda one: one.__name__
)
def test_what_is_kept_is_what_a_fresh_look_finds(happens: Callable[[Services], None], services: Services) -> None:
    kept = Gathering(services)
    before = everything(kept.records(), sorted(kept.ids()))
    happens(services)
    records = kept.records()
    fresh = Gathering(services)
    anew = fresh.records()
    ids = sorted(fresh.ids())
    assert sorted(kept.ids()) == ids
    assert everything(records, ids) == everything(anew, ids) != before


def test_what_was_said_to_the_owner_has_its_reasons_too(services: Services) -> None:
    (message,) = [one for one in services.inbox(STAKEHOLDER).messages() if "short of cash" in one.content]
    records = gather_records(services)
    told = explain_record(records.find(message.id, STAKEHOLDER), records, services.layout.root)
    assert "short of cash" in told.words
    assert [one.kind for one in told.because] == ["action"]


def test_nothing_is_read_twice_where_nothing_was_written(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Gathering(services)
    kept.records()
    read: list[str] = []
    monkeypatch.setattr(Path, "open", lambda path, *_: read.append(path.name))
    monkeypatch.setattr(Path, "read_text", lambda path, **_: read.append(path.name))
    assert kept.records().owners("D-cfo-001") == ["cfo"]
    assert read == []


def test_a_ledger_is_read_on_from_where_it_ended(services: Services) -> None:
    path = services.layout.ledger("cfo")
    book = Book("cfo", path)
    book.follow()
    edition, before = book.edition, set(book.ids())
    services.ledger.append("cfo", "perceive", {"seen": "rain"}, at="2027-01-01T00:00:00.000Z", cycle="C-9")
    book.follow()
    assert book.edition == edition
    (new,) = set(book.ids()) - before - {"C-9"}
    assert book.of(new)[0].words == "seen: rain"
    with path.open("ab") as file:
        file.write(b'{"never": "acknowledged"')
    book.follow()
    assert len(book.of(new)) == 1


def test_what_a_ledger_told_first_is_first_although_the_clock_was_set_back() -> None:
    tells = Tells()
    for seq, at in ((1, "2026-02-02"), (2, "2026-02-01")):
        body = {"tool": "case_store", "ok": True, "arguments": {}, "result": {"case_id": "CASE-1", "title": f"{seq}"}}
        tells.take(LedgerEntry(f"L-cfo-{seq}", seq, at, "cfo", "call", "", body, "", ""))
    assert [tells.origins[way]["CASE-1"].action for way in ("named", "answered", "made")] == ["L-cfo-1"] * 3
    assert tells.things["CASE-1"].words == "1"


def test_an_entry_that_cannot_be_read_is_named_and_all_is_read_when_it_is_mended(services: Services) -> None:
    path = services.layout.ledger("cfo")
    whole = path.read_bytes()
    path.write_bytes(whole + b"not an entry\n")
    book = Book("cfo", path)
    with pytest.raises(Damaged, match=r"cfo\.jsonl"):
        book.follow()
    path.write_bytes(whole)
    book.follow()
    ids = [json.loads(line)["id"] for line in whole.splitlines()]
    assert all(book.of(one) for one in ids)


def test_a_wrong_id_is_met_with_the_nearest_of_all(services: Services) -> None:
    with pytest.raises(UnknownId, match="did you mean 'D-cfo-001'"):
        gather_records(services).find("D-cfo-0001")
