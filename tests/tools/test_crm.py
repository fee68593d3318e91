"""Customers: one contact for each address, deals with their history, a pipeline that adds up, scores that explain."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.backends.graph.search import shortest_path, traverse
from tests.tools.offices import office
from tests.world import Member, changed

JANE: dict[str, Any] = {"email": "Jane@Company.com", "name": "Jane Smith", "company": "Initech", "segment": "SMB"}


class Desk(Member):
    """The marketing officer, whose customers are in `crm/`."""

    def written(self, name: str, business: str = "acme") -> list[dict[str, Any]]:
        """Return the records of a file in `crm/`, as they lie on disk."""
        path = self.world.path(f"businesses/{business}/crm/{name}.json")
        found: list[dict[str, Any]] = orjson.loads(path.read_bytes())[name] if path.exists() else []
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(office(tmp_path), "cmo")


def test_a_contact_is_a_record_in_the_business_with_its_address_in_lower_case(desk: Desk) -> None:
    assert desk.written("contacts") == []
    made = desk.do("crm_create_contact", **JANE, tags=["Fair 2026"], fields={"seats": "40"})
    assert (made["created"], made["email"], made["segment"]) == (True, "jane@company.com", "smb")
    (record,) = desk.written("contacts")
    assert record["id"] == made["contact_id"]
    assert (record["tags"], record["fields"], record["created_by"]) == (["fair_2026"], {"seats": "40"}, "cmo")


def test_the_same_address_again_adds_to_the_contact_and_says_so(desk: Desk) -> None:
    first = desk.do("crm_create_contact", **JANE, tags=["fair"], fields={"seats": "40"})
    again = desk.do(
        "crm_create_contact", email="JANE@company.COM ", title="CFO", tags=["trial"], fields={"plan": "pro"}
    )
    assert again["contact_id"] == first["contact_id"]
    assert (again["created"], set(again["changed"])) == (False, {"title", "tags", "fields"})
    (record,) = desk.written("contacts")
    assert (record["name"], record["title"], record["tags"]) == ("Jane Smith", "CFO", ["fair", "trial"])
    assert record["fields"] == {"seats": "40", "plan": "pro"}
    assert desk.do("crm_create_contact", email="jane@company.com")["changed"] == []


def test_the_same_person_entered_by_many_at_once_is_one_contact(desk: Desk) -> None:
    spellings = ["jane@company.com", "Jane@Company.com", "JANE@COMPANY.COM"] * 6
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda email: desk.do("crm_create_contact", email=email), spellings))
    assert len({one["contact_id"] for one in made}) == 1
    assert [one["created"] for one in made].count(True) == 1
    assert len(desk.written("contacts")) == 1


def test_a_call_that_is_cut_short_and_run_again_enters_once(desk: Desk) -> None:
    first = desk.do("crm_create_contact", effect="P-1/1", **JANE, interaction="replied")
    again = desk.ask("crm_create_contact", effect="P-1/1", **JANE, interaction="replied")
    assert again.repeated
    assert again.result["contact_id"] == first["contact_id"]
    assert len(desk.written("contacts")[0]["touches"]) == 1


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"email": "jane"}, "email"),
        ({"email": "jane@company.com, lee@company.com"}, "email"),
        ({"email": "jane@company.com\r\nBcc: all@company.com"}, "email"),
        ({"name": "Jane\r\nBcc: all@company.com"}, "name"),
        ({"tags": ["a b/c"]}, "tags"),
        ({"fields": {"two words": "x"}}, "fields"),
        ({"interaction": "sneezed"}, "interaction"),
        ({"business_id": "globex"}, "business_id"),
    ],
)
def test_a_contact_that_cannot_be_entered_names_the_argument_and_writes_nothing(
    desk: Desk, given: dict[str, Any], argument: str
) -> None:
    assert desk.refused("crm_create_contact", **{**JANE, **given})[1] == argument
    assert desk.written("contacts") == []


def test_tags_are_put_on_those_meant_and_taken_off_again(desk: Desk) -> None:
    for number, segment in enumerate(["smb", "smb", "ent"]):
        desk.do("crm_create_contact", email=f"reader{number}@company.com", segment=segment)
    tagged = desk.do("crm_tag_contacts", tag="Enterprise prospect", segment="smb")
    assert (tagged["tag"], tagged["count"]) == ("enterprise_prospect", 2)
    everybody = desk.do("crm_tag_contacts", tag="enterprise_prospect")
    assert (everybody["count"], everybody["unchanged"]) == (1, 2)
    off = desk.do("crm_tag_contacts", tag="enterprise_prospect", contacts=["READER0@company.com"], remove=True)
    assert off["count"] == 1
    assert [one["tags"] for one in desk.written("contacts")] == [[], ["enterprise_prospect"], ["enterprise_prospect"]]
    assert desk.do("crm_tag_contacts", tag="seen", list="enterprise_prospect")["count"] == 2


def test_lists_follow_from_deals(desk: Desk) -> None:
    for name in ("lead", "prospect", "customer"):
        desk.do("crm_create_contact", email=f"{name}@company.com")
    for name, stage in (("prospect", "proposal"), ("customer", "won")):
        desk.do("crm_pipeline", action="create", title="Plan", contact=f"{name}@company.com", stage=stage)
    for name in ("lead", "prospect", "customer"):
        assert desk.do("crm_tag_contacts", tag=f"is_{name}", list=f"{name}s")["count"] == 1
    assert desk.do("crm_tag_contacts", tag="offered", stage="proposal")["count"] == 1
    assert [one["tags"] for one in desk.written("contacts")] == [
        ["is_lead"],
        ["is_prospect", "offered"],
        ["is_customer"],
    ]


def test_nobody_meant_is_no_success(desk: Desk) -> None:
    assert desk.refused("crm_tag_contacts", tag="x") == ("invalid_argument", "list")
    desk.do("crm_create_contact", **JANE)
    assert desk.refused("crm_tag_contacts", tag="x", list="prospekts") == ("unknown_id", "list")
    assert desk.refused("crm_tag_contacts", tag="x", contacts=["jane@compny.com"]) == ("unknown_id", "contacts")
    assert desk.refused("crm_tag_contacts", tag="x", list="prospects") == ("invalid_argument", "list")


def test_a_deal_keeps_every_stage_with_its_time_and_reason(desk: Desk) -> None:
    desk.do("crm_create_contact", **JANE)
    deal = desk.do("crm_pipeline", action="create", title="Yearly plan", contact="jane@company.com", value_usd=1200)
    assert (deal["stage"], deal["chance"]) == ("lead", 0.1)
    desk.world.later(days=3)
    desk.do("crm_pipeline", action="move", deal_id=deal["deal_id"], stage="proposal", value_usd=1500, reason="demo")
    desk.do("crm_pipeline", action="move", deal_id=deal["deal_id"], stage="proposal")
    desk.world.later(days=1)
    desk.world.agent("strategy").do("crm_pipeline", action="move", deal_id=deal["deal_id"], stage="closedwon")
    (record,) = desk.written("deals")
    assert (record["stage"], record["value_usd"]) == ("won", 1500)
    assert [(one["at"][:10], one["by"], one["stage"], one["reason"]) for one in record["history"]] == [
        ("2026-01-05", "cmo", "lead", ""),
        ("2026-01-08", "cmo", "proposal", "demo"),
        ("2026-01-09", "strategy", "won", ""),
    ]  # fmt: skip


def deals(desk: Desk, *stages: tuple[float, tuple[str, ...]]) -> None:
    """Make a deal of each value, which goes through stages a day each."""
    if not desk.written("contacts"):
        desk.do("crm_create_contact", **JANE)
    for value, path in stages:
        first, *rest = path
        made = desk.do(
            "crm_pipeline", action="create", title="Plan", contact="jane@company.com", value_usd=value, stage=first
        )
        for stage in rest:
            desk.world.later(days=1)
            desk.do("crm_pipeline", action="move", deal_id=made["deal_id"], stage=stage)


def test_the_pipeline_adds_up_by_stage_with_weights_conversion_and_age(desk: Desk) -> None:
    deals(
        desk,
        (1000, ("lead",)),
        (2000, ("lead", "qualified")),
        (4000, ("lead", "qualified", "won")),
        (8000, ("lead", "lost")),
    )
    shown = desk.do("crm_pipeline")
    stages = {one["stage"]: one for one in shown["stages"]}
    assert list(stages) == ["lead", "qualified", "proposal", "negotiation", "won", "lost"]
    assert (stages["lead"]["deals"], stages["lead"]["value_usd"], stages["lead"]["weighted_usd"]) == (1, 1000, 100)
    assert (stages["qualified"]["value_usd"], stages["qualified"]["weighted_usd"]) == (2000, 500)
    assert (shown["open_deals"], shown["open_usd"], shown["weighted_usd"], shown["won_usd"]) == (2, 3000, 600, 4000)
    # Three left lead: two went on, one was lost. Of qualified one went on and one is still there.
    assert (stages["lead"]["conversion"], stages["qualified"]["conversion"]) == (0.6667, 1.0)
    assert stages["proposal"]["conversion"] is None
    assert (shown["win_rate"], shown["days_to_win"]) == (0.5, 2.0)
    assert [(one["stage"], one["age_days"], one["days_in_stage"]) for one in shown["deals"]] == [
        ("lead", 4, 4), ("qualified", 4, 3),
    ]  # fmt: skip
    assert [one["value_usd"] for one in desk.do("crm_pipeline", stage="lost")["deals"]] == [8000]


def test_looking_at_the_pipeline_leaves_no_trace_in_the_ledger(desk: Desk) -> None:
    desk.do("crm_create_contact", email="jane@company.com")
    before = desk.services.ledger.last("cmo")
    desk.do("crm_pipeline")
    desk.do("crm_pipeline", action="show", stage="won")
    assert desk.services.ledger.last("cmo") == before
    desk.do("crm_pipeline", action="create", title="Plan", contact="jane@company.com")
    assert desk.services.ledger.last("cmo") == before + 2


def test_contacts_and_deals_are_in_the_graph_of_their_business(desk: Desk) -> None:
    contact = desk.do("crm_create_contact", email="jane@company.com", name="Jane", segment="ent")["contact_id"]
    deal = desk.do("crm_pipeline", action="create", title="Plan", contact=contact, value_usd=1200)["deal_id"]
    graph = desk.services.graph("acme").fresh()
    (jane,) = graph.fetch([contact])
    assert (jane.type, jane.name, jane.properties["email"]) == ("contact", "Jane", "jane@company.com")
    path = shortest_path(graph, "business:acme", deal)
    assert path is not None
    assert [edge.type for edge in path.edges] == ["business_has_deal"]
    around = traverse(graph, [deal], depth=1, edge_types=["deal_with_contact"])
    assert [one.node.uid for one in around.hits] == [contact]
    desk.do("crm_pipeline", action="move", deal_id=deal, stage="proposal")
    (moved,) = desk.services.graph("acme").fresh().fetch([deal])
    assert moved.properties["stage"] == "proposal"


def test_how_a_business_stands_says_how_many_customers_and_what_is_in_the_pipeline(desk: Desk) -> None:
    nobody = {"contacts": 0, "open_deals": 0, "pipeline_usd": 0, "weighted_usd": 0}
    assert desk.do("business_status")["customers"] == nobody
    deals(desk, (1000, ("proposal",)), (500, ("lead", "won")))
    expected = {"contacts": 1, "open_deals": 1, "pipeline_usd": 1000, "weighted_usd": 500}
    assert desk.do("business_status")["customers"] == expected


def test_two_businesses_have_two_pipelines(tmp_path: Path) -> None:
    desk = Desk(office(tmp_path, businesses=("acme", "globex")), "cmo")
    deals(desk, (1000, ("proposal",)))
    for value in (10, 20):
        desk.world.agent("globex-cmo").do("crm_create_contact", **JANE)
        desk.world.agent("globex-cmo").do("crm_pipeline", action="create", title="Plan", contact="jane@company.com",
                value_usd=value)  # fmt: skip
    assert desk.do("crm_pipeline")["open_usd"] == 1000
    assert desk.world.agent("globex-cmo").do("crm_pipeline")["open_usd"] == 30


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"action": "create", "title": "Plan"}, ("invalid_argument", "contact")),
        ({"action": "create", "contact": "jane@company.com"}, ("invalid_argument", "title")),
        ({"action": "create", "title": "Plan", "contact": "lee@company.com"}, ("unknown_id", "contact")),
        ({"action": "create", "title": "Plan", "contact": "jane@company.com", "stage": "dreaming"},
         ("invalid_argument", "stage")),
        ({"action": "move", "stage": "won"}, ("invalid_argument", "deal_id")),
        ({"action": "move", "deal_id": "DEAL-9", "stage": "won"}, ("unknown_id", "deal_id")),
        ({"action": "move", "deal_id": "DEAL-1"}, ("invalid_argument", "stage")),
        ({"action": "create", "title": "Plan", "contact": "jane@company.com", "expected_close": "soon"},
         ("invalid_argument", "expected_close")),
        ({"action": "create", "title": "Other", "contact": "jane@company.com", "deal_id": "DEAL-1"},
         ("invalid_argument", "deal_id")),
    ],
)  # fmt: skip
def test_a_deal_that_cannot_be_made_or_moved_names_the_argument_and_changes_nothing(
    desk: Desk, given: dict[str, Any], refusal: tuple[str, str]
) -> None:
    desk.do("crm_create_contact", **JANE)
    desk.do("crm_pipeline", action="create", deal_id="DEAL-1", title="Plan", contact="jane@company.com")
    before = desk.written("deals")
    assert desk.refused("crm_pipeline", **given) == refusal
    assert desk.written("deals") == before


def test_a_score_is_its_formula_and_says_what_it_rests_on_and_what_is_not_known(desk: Desk) -> None:
    desk.do("crm_create_contact", **JANE, title="CFO", interaction="replied")
    desk.do("crm_create_contact", email="jane@company.com", interaction="replied")
    desk.do("crm_create_contact", email="lee@company.com", company="Globex")
    desk.world.later(days=14)
    found = desk.do("lead_scoring")
    jane, lee = found["leads"]
    # fit 1, engagement 1 - 2^(-10/10) = 0.5, recency 2^(-14/14) = 0.5
    assert (jane["score"], jane["at_most"], jane["unknown"]) == (70.0, 70.0, [])
    assert {one["part"]: (one["weight"], one["value"], one["points"]) for one in jane["contributions"]} == {
        "fit": (0.4, 1.0, 40.0), "engagement": (0.4, 0.5, 20.0), "recency": (0.2, 0.5, 10.0),
    }  # fmt: skip
    assert sum(one["points"] for one in jane["contributions"]) == jane["score"]
    assert jane["contributions"][1]["because"] == ["replied 2 x 5", "10 points"]
    assert jane["contributions"][2]["because"] == ["replied 14 days ago"]
    assert (lee["score"], lee["at_most"]) == (13.3, 100.0)
    assert set(lee["unknown"]) == {"segment", "title", "engagement", "last touch"}
    assert "0.4 x fit + 0.4 x engagement + 0.2 x recency" in found["formula"]


def test_scores_of_two_workspaces_follow_their_own_contacts_and_settings(tmp_path: Path) -> None:
    one, other = Desk(office(tmp_path / "one"), "cmo"), Desk(office(tmp_path / "other"), "cmo")
    only_fit = changed(other.services.settings, {"crm.weights": {"fit": 1.0}})
    other.world = other.world.variant(settings=only_fit)
    for desk in (one, other):
        desk.do("crm_create_contact", **JANE, title="Assistant")
    assert one.do("lead_scoring", contact="jane@company.com")["leads"][0]["score"] == 26.7
    (lead,) = other.do("lead_scoring", contact="jane@company.com")["leads"]
    assert lead["score"] == 66.7
    assert "'Assistant' is no title of who decides" in lead["contributions"][0]["because"]


def test_complaints_take_away_and_a_score_never_falls_below_nothing(desk: Desk) -> None:
    desk.do("crm_create_contact", email="lee@company.com", interaction="complained")
    desk.world.later(days=365)
    (lead,) = desk.do("lead_scoring")["leads"]
    assert lead["score"] == 0.0
    assert desk.do("lead_scoring", minimum=0.1)["leads"] == []


def test_what_a_person_writes_beside_a_contact_stays(desk: Desk) -> None:
    desk.do("crm_create_contact", **JANE)
    desk.services.checkpoint()
    path = desk.services.business("acme").directory / "crm" / "contacts.json"
    content = orjson.loads(path.read_bytes())
    content["contacts"][0]["birthday"] = "1 May"
    path.write_bytes(orjson.dumps(content))
    desk.do("crm_create_contact", email="jane@company.com", phone="+1 555 0100")
    (record,) = desk.written("contacts")
    assert (record["birthday"], record["phone"]) == ("1 May", "+1 555 0100")
