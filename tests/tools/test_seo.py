"""Search: the audit reads pages and writes nothing, the tracker keeps places and tells how they moved."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.gate.call import call
from mabos.tools.runtime.services import PERSON
from mabos.workspace.clock import frozen_clock, iso
from tests.tools.offices import NOW, office
from tests.world import World

PAGE = "<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"


def shop(root: Path, *, days: int = 0, businesses: tuple[str, ...] = ("acme",)) -> World:
    return office(root, businesses=businesses).variant(clock=frozen_clock(NOW + timedelta(days=days)))


def put(world: World, name: str, title: str, text: str = "Things", business: str = "acme") -> None:
    path = world.services.layout.business(business) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.format(title=title, text=text), "utf-8")


def everything(root: Path) -> dict[str, bytes]:
    kept = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".mabos" not in path.parts}
    return {str(path): content for path, content in kept.items() if "ledger" not in path.parts}


def test_an_audit_tells_findings_points_and_the_formula_and_writes_nothing(tmp_path: Path) -> None:
    world = shop(tmp_path)
    put(world, "site/index.html", "Ledgers", '<a href="gone.html">x</a>')
    before = everything(tmp_path)
    told = world.agent("cmo").do("seo_audit")
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
    scores = [world.agent("cmo").do("seo_audit")["score"] for world in (one, other)]
    assert scores[0] == scores[1] + 5


def test_fewer_findings_may_be_asked_for_and_all_count(tmp_path: Path) -> None:
    world = shop(tmp_path)
    put(world, "site/index.html", "L")
    whole, cut = world.agent("cmo").do("seo_audit"), world.agent("cmo").do("seo_audit", limit=1)
    assert (len(cut["findings"]), cut["found"], cut["score"]) == (1, whole["found"], whole["score"])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../../agents", "outside"),
        ("/etc", "outside"),
        ("site/../../beta", "outside"),
        ("nowhere", "there is no folder"),
        ("business.json", "there is no folder"),
        ("inbox", "has no HTML pages"),
        ("a\0b", "there is no folder"),
    ],
)
def test_an_agent_audits_the_folders_of_its_business_alone(tmp_path: Path, path: str, said: str) -> None:
    world = shop(tmp_path, businesses=("acme", "beta"))
    outcome = world.agent("cmo").ask("seo_audit", path=path)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "path")
    assert said in outcome.message


def test_a_link_out_of_the_workspace_is_no_folder_of_it(tmp_path: Path) -> None:
    world = shop(tmp_path / "work")
    (tmp_path / "elsewhere").mkdir()
    (world.services.layout.business("acme") / "site").symlink_to(tmp_path / "elsewhere")
    assert "outside" in world.agent("cmo").ask("seo_audit").message


def test_a_person_may_name_any_folder_of_the_workspace(tmp_path: Path) -> None:
    world = shop(tmp_path, businesses=("acme", "beta"))
    put(world, "site/index.html", "Beta", business="beta")
    given = {"business_id": "acme", "path": "../beta/site"}
    assert call(world.services, "seo_audit", given, caller=PERSON).result["folder"] == "businesses/beta/site"
    assert call(world.services, "seo_audit", {**given, "path": "../../.mabos"}, caller=PERSON).argument == "path"
    assert call(world.services, "seo_audit", {**given, "path": "../../../"}, caller=PERSON).argument == "path"


def track(world: World, **arguments: Any) -> dict[str, Any]:
    told = world.agent("cmo").do("keyword_tracker", **arguments)
    (row,) = told["keywords"]
    return dict(row)


def test_pages_take_places_and_the_next_call_tells_how_they_moved(tmp_path: Path) -> None:
    world = shop(tmp_path)
    put(world, "site/a.html", "Invoice software")
    put(world, "site/b.html", "Ledgers", "An invoice")
    first = track(world, keywords=["Invoice  Software"])
    assert [(one["page"], one["place"], one["moved"]) for one in first["places"]] == [
        ("site/a.html", 1, None), ("site/b.html", 2, None),
    ]  # fmt: skip
    assert first["since"] is None
    later = shop_again(world, days=7)
    put(later, "site/a.html", "About us")
    put(later, "site/c.html", "Invoice software for invoices")
    again = track(later)
    assert [(one["page"], one["before"], one["moved"]) for one in again["places"]] == [
        ("site/c.html", None, None), ("site/b.html", 2, 0),
    ]  # fmt: skip
    assert (again["new"], again["gone"], again["since"]) == (["site/c.html"], ["site/a.html"], iso(NOW))
    assert len(again["history"]) == 1


def shop_again(world: World, *, days: int) -> World:
    return world.variant(clock=frozen_clock(NOW + timedelta(days=days)))


def test_a_look_at_the_same_moment_again_is_the_same_look(tmp_path: Path) -> None:
    world = shop(tmp_path)
    put(world, "site/a.html", "Invoices")
    assert track(world, keywords=["invoice"]) == track(world, keywords=["invoice"])
    assert len(world.services.business("acme").keywords.all()) == 1


def test_what_was_published_is_ranked_beside_the_site(tmp_path: Path) -> None:
    world = shop(tmp_path).simulate_market()
    piece = world.agent("cmo").do("content_generate", type="blog_post", title="Why invoices go missing")
    put(world, "site/a.html", "Ledgers")
    assert track(world, keywords=["invoice"])["places"][0]["page"] == piece["path"]


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
    world = shop(tmp_path)
    outcome = world.agent("cmo").ask("keyword_tracker", **given)
    assert (outcome.code, outcome.argument) == ("invalid_argument", argument)
    assert world.services.business("acme").keywords.all() == ()
    assert not (world.services.layout.business("acme") / "keywords.json").exists()


def test_a_page_that_was_published_is_part_of_the_site_and_lacks_nothing_but_its_address(tmp_path: Path) -> None:
    world = shop(tmp_path).simulate_market()
    given = {"type": "landing_page", "title": "Ledgers & <more> for bakeries", "format": "html"}
    piece = world.agent("cmo").do("content_generate", **given)
    assert piece["path"].startswith("site/ledgers-more-for-bakeries-")
    told = world.agent("cmo").do("seo_audit")
    assert [one["check"] for one in told["findings"]] == ["canonical_missing"]
    page = (world.services.layout.business("acme") / piece["path"]).read_text("utf-8")
    assert "<more>" not in page
    assert track(world, keywords=["bakery"])["places"][0]["title"] == "Ledgers & <more> for bakeries · Acme"
