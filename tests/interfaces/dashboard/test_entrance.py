"""Who may come in, who may change something, and what a browser is told to refuse."""

import re
import shutil
from pathlib import Path

import pytest

from mabos.interfaces.dashboard.views import VIEWS
from mabos.tools.runtime.services import Services
from tests.conftest import ROOT
from tests.interfaces.command_line import mabos
from tests.interfaces.dashboard.visitor import Visitor, words
from tests.interfaces.surfaces.servers import serving

TOKEN = "open sesame"  # noqa: S105 - known to these tests alone
ELSEWHERE = "http://company.example:8702"
FORM = {"resolution": "reject", "id": "DEC-1"}


def test_without_a_token_only_this_machine_is_served(services: Services) -> None:
    assert Visitor(services).ask("/decisions").status_code == 200
    assert Visitor(services, client="10.0.0.7").ask("/decisions").status_code == 403
    rebound = Visitor(services).ask("/decisions", headers={"Host": "evil.example"})
    assert rebound.status_code == 403


def test_with_a_token_nothing_is_shown_before_it_was_given(services: Services) -> None:
    visitor = Visitor(services, TOKEN, client="10.0.0.7", base=ELSEWHERE)
    for view in VIEWS:
        answer = visitor.ask(f"/{view.name}?id=1")
        assert (answer.status_code, answer.text) == (303, "")
        assert answer.headers["location"] == f"/enter?to=/{view.name}%3Fid%3D1"
    assert visitor.ask("/changes").status_code == 303
    assert visitor.ask("/decisions", method="POST", data=FORM).status_code == 401
    assert visitor.ask("/enter?token=guess").status_code == 403
    assert visitor.ask("/decisions").status_code == 303


def test_the_printed_link_lets_in_and_leaves_the_address(services: Services) -> None:
    visitor = Visitor(services, TOKEN, client="10.0.0.7", base=ELSEWHERE)
    answer = visitor.ask(f"/enter?token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    told = answer.headers["set-cookie"]
    assert TOKEN not in told
    assert {"HttpOnly", "SameSite=Strict"} <= set(told.split("; "))
    assert visitor.ask("/decisions").status_code == 200


def test_the_form_lets_in_and_leads_to_where_one_was_going_and_nowhere_else(services: Services) -> None:
    visitor = Visitor(services, TOKEN, base=ELSEWHERE)
    way = visitor.ask("/decisions?status=all").headers["location"]
    wrong = visitor.ask(way, method="POST", data={"token": "guess"})
    assert (wrong.status_code, "not the token" in wrong.text) == (403, True)
    answer = visitor.ask(way, method="POST", data={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/decisions?status=all")
    for outside in ("https://evil.example/", "//evil.example/", "/\\evil.example/", "evil"):
        answer = visitor.ask("/enter", method="POST", params={"to": outside}, data={"token": TOKEN})
        assert answer.headers["location"] == "/", outside


def test_a_cookie_that_another_token_signed_opens_nothing(services: Services) -> None:
    visitor = Visitor(services, "an older token", base=ELSEWHERE)
    visitor.ask("/enter?token=an older token")
    other = Visitor(services, TOKEN, base=ELSEWHERE)
    other.cookies = visitor.cookies
    assert other.ask("/decisions").status_code == 303


def test_a_form_is_taken_only_from_the_browser_that_was_given_it(services: Services) -> None:
    visitor, other = Visitor(services), Visitor(services)
    (found, *_) = visitor.page("/decisions").forms
    proof = found.fields["form"]
    assert other.ask("/decisions").status_code == 200
    for given in ({}, {"form": ""}, {"form": proof}):
        assert other.ask("/decisions", method="POST", data=FORM | given).status_code == 403, given
    assert all(one.open for one in services.decisions().all())


def test_a_page_of_another_site_changes_nothing_even_with_the_right_form(services: Services) -> None:
    visitor = Visitor(services, TOKEN, base=ELSEWHERE)
    visitor.ask(f"/enter?token={TOKEN}")
    (found,) = [one for one in visitor.page("/decisions").forms if one.fields.get("resolution") == "reject"]
    sent = {**dict(found.fields), "feedback": "no"}
    for origin in ("http://evil.example", "http://company.example:9999", "null"):
        answer = visitor.ask("/decisions", method="POST", data=sent, headers={"Origin": origin})
        assert answer.status_code == 403, origin
    assert all(one.open for one in services.decisions().all())
    answer = visitor.ask("/decisions", method="POST", data=sent, headers={"Origin": ELSEWHERE})
    assert answer.status_code == 303


def test_every_answer_forbids_scripts_styles_and_frames_of_others(services: Services) -> None:
    visitor = Visitor(services, TOKEN, base=ELSEWHERE)
    answers = [visitor.ask(path) for path in ("/decisions", "/enter", "/assets/style.css", "/assets/nothing.css")]
    visitor.ask(f"/enter?token={TOKEN}")
    answers += [visitor.ask(f"/{view.name}") for view in VIEWS] + [visitor.ask("/nothing")]
    for answer in answers:
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
        assert (policy["default-src"], policy["script-src"], policy["frame-ancestors"]) == (
            "'none'",
            "'self'",
            "'none'",
        )
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert {answer.status_code for answer in answers} == {200, 303, 404}


@pytest.mark.parametrize("view", [view.name for view in VIEWS])
def test_no_page_has_script_or_style_of_its_own(view: str, services: Services) -> None:
    page = Visitor(services).page(f"/{view}")
    assert [one for one in page.iter("script") if not one.get("src", "").startswith("/assets/")] == []
    assert list(page.iter("style")) == []
    assert page.xpath("//*[@style or starts-with(name(@*), 'on')]") == []


def test_assets_are_those_that_are_shipped(services: Services) -> None:
    visitor = Visitor(services)
    assert visitor.ask("/assets/htmx.min.js").headers["content-type"].startswith("text/javascript")
    for name in ("nothing.js", "../view.py", "..%2Fview.py", "htmx.LICENSE", "a" * 3_000 + ".css"):
        assert visitor.ask(f"/assets/{name}").status_code == 404, name


def test_what_is_asked_wrongly_is_said_on_the_page(services: Services) -> None:
    visitor = Visitor(services)
    assert "there is no decision DEC-nothing" in words(visitor.page("/decisions?id=DEC-nothing"))
    assert visitor.ask("/nothing").status_code == 404


def test_beyond_this_machine_the_command_makes_a_token_and_prints_the_way_in(asking: Path, tmp_path: Path) -> None:
    workspace = Path(shutil.copytree(asking, tmp_path / "workspace"))
    with serving(workspace, "dashboard", "--http", "0.0.0.0:0") as url:
        assert "/enter?token=" in url
        assert len(url.partition("token=")[2]) >= 32
    with serving(workspace, "dashboard", "--http", "127.0.0.1:0", MABOS_TOKEN=TOKEN) as url:
        assert url.endswith(f"/enter?token={TOKEN}")
    assert "Approve" not in mabos("dashboard", "--help").stdout


def test_below_another_server_every_way_leads_below_it(services: Services) -> None:
    below = "/mabos/dashboard"
    visitor = Visitor(services, TOKEN, base=ELSEWHERE, below=below)
    assert visitor.ask(f"{below}/").headers["location"] == f"{below}/enter?to=/"
    answer = visitor.ask(f"{below}/enter?to=/goals", method="POST", data={"token": TOKEN})
    assert answer.headers["location"] == f"{below}/goals"
    assert f"Path={below};" in answer.headers["set-cookie"]
    for view in VIEWS:
        page = visitor.page(f"{below}/{view.name}")
        ways = [one for one in page.xpath("//@href | //@src | //@action | //@hx-get") if one and one[0] != "#"]
        assert [one for one in ways if not one.startswith(below + "/")] == []
    answer = visitor.send(f"{below}/decisions", "reject", {})
    assert answer.headers["location"].startswith(f"{below}/decisions?done=")


def test_the_keys_of_the_page_about_the_dashboard_are_those_that_work(services: Services) -> None:
    told = set(
        re.findall(r"^\| `g (\w)` \| (.+) \|$", (ROOT / "docs" / "dashboard.md").read_text("utf-8"), re.MULTILINE)
    )
    assert told == {(view.letter, view.title) for view in VIEWS}
    page = Visitor(services).page("/decisions")
    keys = set(page.xpath("//@data-key"))
    assert {"a", "x", "d", "m", "w", "r"} | {f"g {view.letter}" for view in VIEWS} <= keys
