"""Search: the audit reads pages and writes nothing, the tracker keeps places and tells how they moved."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import PERSON, Services
from mabos.workspace.clock import frozen_clock, iso
from tests.tools.offices import NOW, ask, done, office

PAGE = "<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"


def shop(root: Path, *, days: int = 0, businesses: tuple[str, ...] = ("acme",)) -> Services:
    services = replace(office(root, businesses=businesses), tools=Registry(("business.seo", "business.marketing")))
    return replace(services, clock=frozen_clock(NOW + timedelta(days=days)))


def put(services: Services, name: str, title: str, text: str = "Things", business: str = "acme") -> None:
    path = services.layout.business(business) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.format(title=title, text=text), "utf-8")


def everything(root: Path) -> dict[str, bytes]:
    kept = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".mabos" not in path.parts}
    return {str(path): content for path, content in kept.items() if "ledger" not in path.parts}


def test_an_audit_tells_findings_points_and_the_formula_and_writes_nothing(tmp_path: Path) -> None:
    services = shop(tmp_path)
    put(services, "site/index.html", "Ledgers", '<a href="gone.html">x</a>')
    before = everything(tmp_path)
    told = done(services, "cmo", "seo_audit")
    assert told["folder"] == "site"
    assert told["findings"][0] == {
        "page": "index.html",
        "check": "link_broken",
        "severity": "error",
        "message": "'gone.html' does not exist.",
        "mend": "Correct the address, or put the page there.",
        "element": '<a href="gone.html">',
        "line": 1,
        "count": 1,
    }
    assert told["pages"] == [{"page": "index.html", "score": told["score"], "findings": told["found"]}]
    assert "15 for each check" in told["formula"]
    assert told["text"].startswith("site: ")
    assert everything(tmp_path) == before


def test_two_sites_give_two_answers(tmp_path: Path) -> None:
    one, other = shop(tmp_path / "one"), shop(tmp_path / "other")
    put(one, "site/index.html", "Ledgers for small firms")
    put(other, "site/index.html", "Ledgers for small firms", '<img src="https://cdn.example/a.png">')
    scores = [done(services, "cmo", "seo_audit")["score"] for services in (one, other)]
    assert scores[0] == scores[1] + 5


def test_fewer_findings_may_be_asked_for_and_all_count(tmp_path: Path) -> None:
    services = shop(tmp_path)
    put(services, "site/index.html", "L")
    whole, cut = done(services, "cmo", "seo_audit"), done(services, "cmo", "seo_audit", limit=1)
    assert (len(cut["findings"]), cut["found"], cut["score"]) == (1, whole["found"], whole["score"])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../../agents", "outside"),
        ("/etc", "outside"),
        ("site/../../beta", "outside"),
        ("nowhere", "there is no folder"),
        ("business.json", "there is no folder"),
        ("inbox", "holds no HTML pages"),
        ("a\0b", "there is no folder"),
    ],
)
def test_an_agent_audits_the_folders_of_its_business_alone(tmp_path: Path, path: str, said: str) -> None:
    services = shop(tmp_path, businesses=("acme", "beta"))
    outcome = ask(services, "cmo", "seo_audit", path=path)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "path")
    assert said in outcome.message


def test_a_link_out_of_the_workspace_is_no_folder_of_it(tmp_path: Path) -> None:
    services = shop(tmp_path / "work")
    (tmp_path / "elsewhere").mkdir()
    (services.layout.business("acme") / "site").symlink_to(tmp_path / "elsewhere")
    assert "outside" in ask(services, "cmo", "seo_audit").message


def test_a_person_may_name_any_folder_of_the_workspace(tmp_path: Path) -> None:
    services = shop(tmp_path, businesses=("acme", "beta"))
    put(services, "site/index.html", "Beta", business="beta")
    given = {"business_id": "acme", "path": "../beta/site"}
    assert call(services, "seo_audit", given, caller=PERSON).result["folder"] == "businesses/beta/site"
    assert call(services, "seo_audit", {**given, "path": "../../.mabos"}, caller=PERSON).argument == "path"
    assert call(services, "seo_audit", {**given, "path": "../../../"}, caller=PERSON).argument == "path"


def track(services: Services, **arguments: Any) -> dict[str, Any]:
    told = done(services, "cmo", "keyword_tracker", **arguments)
    (row,) = told["keywords"]
    return dict(row)


def test_pages_take_places_and_the_next_call_tells_how_they_moved(tmp_path: Path) -> None:
    services = shop(tmp_path)
    put(services, "site/a.html", "Invoice software")
    put(services, "site/b.html", "Ledgers", "An invoice")
    first = track(services, keywords=["Invoice  Software"])
    assert [(one["page"], one["place"], one["moved"]) for one in first["places"]] == [
        ("site/a.html", 1, None), ("site/b.html", 2, None),
    ]  # fmt: skip
    assert first["since"] is None
    later = shop_again(services, days=7)
    put(later, "site/a.html", "About us")
    put(later, "site/c.html", "Invoice software for invoices")
    again = track(later)
    assert [(one["page"], one["before"], one["moved"]) for one in again["places"]] == [
        ("site/c.html", None, None), ("site/b.html", 2, 0),
    ]  # fmt: skip
    assert (again["new"], again["gone"], again["since"]) == (["site/c.html"], ["site/a.html"], iso(NOW))
    assert len(again["history"]) == 1


def shop_again(services: Services, *, days: int) -> Services:
    return replace(services, clock=frozen_clock(NOW + timedelta(days=days)))


def test_a_look_at_the_same_moment_again_is_the_same_look(tmp_path: Path) -> None:
    services = shop(tmp_path)
    put(services, "site/a.html", "Invoices")
    assert track(services, keywords=["invoice"]) == track(services, keywords=["invoice"])
    assert len(services.business("acme").keywords.all()) == 1


def test_what_was_published_is_ranked_beside_the_site(tmp_path: Path) -> None:
    services = shop(tmp_path)
    piece = done(services, "cmo", "content_generate", type="blog_post", title="Why invoices go missing")
    put(services, "site/a.html", "Ledgers")
    assert track(services, keywords=["invoice"])["places"][0]["page"] == piece["path"]


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({}, "keywords"),
        ({"keywords": ["!?"]}, "keywords"),
        ({"keywords": [f"word {number}" for number in range(101)]}, "keywords"),
        ({"keywords": ["invoice"], "path": "../../agents"}, "path"),
        ({"keywords": ["invoice"]}, "path"),
    ],
)
def test_what_cannot_be_tracked_is_said_and_nothing_is_kept(
    tmp_path: Path, given: dict[str, Any], argument: str
) -> None:
    services = shop(tmp_path)
    outcome = ask(services, "cmo", "keyword_tracker", **given)
    assert (outcome.code, outcome.argument) == ("invalid_argument", argument)
    assert services.business("acme").keywords.all() == ()
    assert not (services.layout.business("acme") / "keywords.json").exists()


def test_a_page_that_was_published_is_part_of_the_site_and_lacks_nothing_but_its_address(tmp_path: Path) -> None:
    services = shop(tmp_path)
    given = {"type": "landing_page", "title": "Ledgers & <more> for bakeries", "format": "html"}
    piece = done(services, "cmo", "content_generate", **given)
    assert piece["path"].startswith("site/ledgers-more-for-bakeries-")
    told = done(services, "cmo", "seo_audit")
    assert [one["check"] for one in told["findings"]] == ["canonical_missing"]
    page = (services.layout.business("acme") / piece["path"]).read_text("utf-8")
    assert "<more>" not in page
    assert track(services, keywords=["bakery"])["places"][0]["title"] == "Ledgers & <more> for bakeries · Acme"
