from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.tools.offices import ask, done, office
from tools.agent import PERSON
from tools.call import call
from tools.services import Services

ALEX: dict[str, Any] = {
    "name": "Alex Rivera",
    "skills": ["React", "TypeScript"],
    "hourly_rate_usd": 95.0,
    "trust_score": 0.82,
}
PACKAGE: dict[str, Any] = {
    "title": "Onboarding",
    "description": "Wizard with SSO.",
    "required_skills": ["React", "TypeScript"],
    "budget_usd": 3500.0,
}


def staffed(root: Path, **more: float) -> Services:
    services = office(root, **more)  # type: ignore[arg-type]  # a test's shorthand
    done(services, "hr", "contractor_add", contractor_id="CONT-001", **ALEX)
    done(services, "hr", "contractor_add", contractor_id="CONT-002", name="Mina", skills=["SQL"], hourly_rate_usd=60.0)
    return services


def packaged(services: Services) -> None:
    done(services, "cto", "work_package_create", package_id="WP-001", **PACKAGE)
    done(services, "cto", "work_package_assign", package_id="WP-001", contractor_id="CONT-001")


def pool(services: Services, contractor_id: str = "CONT-001") -> dict[str, object]:
    rows = done(services, "hr", "contractor_list")["contractors"]
    return next(row for row in rows if row["contractor_id"] == contractor_id)


def test_hr_matches_a_package_to_a_contractor_by_skill_trust_and_rate(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    created = done(services, "cto", "work_package_create", package_id="WP-001", **PACKAGE)
    assert [one["contractor_id"] for one in created["candidates"]] == ["CONT-001", "CONT-002"]
    listed = done(services, "hr", "contractor_list", package_id="WP-001")["contractors"]
    fit = 1 - (95 - 87.5) / 87.5
    assert listed[0]["match_score"] == pytest.approx(0.5 + 0.82 * 0.3 + fit * 0.2, abs=1e-6)


def test_contractors_are_found_by_skill_trust_and_availability(tmp_path: Path) -> None:
    services = staffed(tmp_path)

    def found(**wanted: Any) -> list[str]:
        return [one["contractor_id"] for one in done(services, "hr", "contractor_list", **wanted)["contractors"]]

    assert found(skill="react") == ["CONT-001"]
    assert found(min_trust=0.6) == ["CONT-001"]
    assert found(availability="full-time") == []


def test_a_package_over_the_threshold_waits_for_a_person(tmp_path: Path) -> None:
    services = staffed(tmp_path, threshold=5000)
    outcome = ask(services, "cto", "work_package_create", **{**PACKAGE, "budget_usd": 10_000.0})
    assert outcome.awaiting
    assert services.business("acme").workforce.packages.all() == ()


def test_the_lifecycle_of_the_document_moves_trust_once(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    packaged(services)
    assert pool(services)["active_packages"] == 1
    updated = done(services, "hr", "work_package_update", package_id="WP-001", status="complete", quality_score=0.95)
    assert updated["trust_score"] == pytest.approx(0.91)
    again = done(services, "hr", "contractor_trust_update", contractor_id="CONT-001", quality_score=0.95)
    assert (again["trust_score"], again["previous_trust"]) == (pytest.approx(0.91), pytest.approx(0.82))
    after = pool(services)
    assert (after["active_packages"], after["completed_packages"]) == (0, 1)


def test_without_a_quality_score_completion_leaves_trust_to_the_next_call(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    packaged(services)
    done(services, "hr", "work_package_update", package_id="WP-001", status="complete")
    assert pool(services)["trust_score"] == 0.82
    assert done(services, "hr", "contractor_trust_update", contractor_id="CONT-001", quality_score=0.95)[
        "trust_score"
    ] == pytest.approx(0.91)


def test_a_flagged_contractor_is_assigned_by_hr_alone(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    for _ in range(5):
        flagged = done(services, "hr", "contractor_trust_update", contractor_id="CONT-002", quality_score=0.0)
    assert flagged["flagged"]
    done(services, "cto", "work_package_create", package_id="WP-001", **PACKAGE)
    refused = ask(services, "cto", "work_package_assign", package_id="WP-001", contractor_id="CONT-002")
    assert (refused.code, refused.argument) == ("refused", "contractor_id")
    assert (
        done(services, "hr", "work_package_assign", package_id="WP-001", contractor_id="CONT-002")["status"]
        == "assigned"
    )


def test_unknown_ids_are_never_success(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    packaged(services)
    for name, arguments, argument in (
        ("work_package_assign", {"package_id": "WP-9", "contractor_id": "CONT-001"}, "package_id"),
        ("work_package_assign", {"package_id": "WP-001", "contractor_id": "CONT-9"}, "contractor_id"),
        ("work_package_update", {"package_id": "WP-9", "status": "complete"}, "package_id"),
        ("contractor_trust_update", {"contractor_id": "CONT-9", "quality_score": 0.5}, "contractor_id"),
        ("contractor_list", {"package_id": "WP-9"}, "package_id"),
    ):
        outcome = ask(services, "hr", name, **arguments)
        assert (outcome.code, outcome.argument) == ("unknown_id", argument), name


def test_a_package_id_is_used_once(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    done(services, "cto", "work_package_create", package_id="WP-001", **PACKAGE)
    outcome = ask(services, "coo", "work_package_create", package_id="WP-001", **PACKAGE)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "package_id")


def test_packages_are_listed_by_status(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    packaged(services)
    done(services, "cto", "work_package_create", package_id="WP-002", **PACKAGE)
    assert done(services, "cto", "work_package_list")["count"] == 2
    (only,) = done(services, "cto", "work_package_list", status="open")["packages"]
    assert only["package_id"] == "WP-002"


def test_a_handoff_is_recorded_in_the_documents_form(tmp_path: Path) -> None:
    services = staffed(tmp_path)
    packaged(services)
    arguments = {
        "from": "cto",
        "to": "CONT-001",
        "package_id": "WP-001",
        "handoff_type": "agent_to_human",
        "artifacts": [{"type": "spec", "path": "specs/onboarding.md"}],
        "instructions": "Start with SSO.",
    }
    outcome = call(services, "handoff", arguments, caller=PERSON, agent_id="cto")
    assert outcome.ok, outcome.message
    services.close()
    (record,) = orjson.loads((services.business("acme").directory / "handoff-log.json").read_bytes())
    assert (record["id"], record["from"], record["to"]) == (outcome.result["handoff_id"], "cto", "CONT-001")
    assert record["work_package_id"] == "WP-001"


@pytest.mark.parametrize(("party", "argument"), [({"from": "nobody"}, "from"), ({"to": "CONT-9"}, "to")])
def test_a_handoff_names_real_parties(tmp_path: Path, party: dict[str, str], argument: str) -> None:
    services = staffed(tmp_path)
    packaged(services)
    arguments = {"from": "cto", "to": "CONT-001", "package_id": "WP-001", "handoff_type": "agent_to_human", **party}
    outcome = call(services, "handoff", arguments, caller=PERSON, agent_id="cto")
    assert (outcome.code, outcome.argument) == ("unknown_id", argument)


def test_the_pool_is_opened_once_for_all_businesses(tmp_path: Path) -> None:
    services = office(tmp_path, businesses=("acme", "beta"))
    pools = [services.business(name).workforce.contractors for name in ("acme", "beta")]
    assert pools[0] is pools[1] is services.contractors()


def test_the_pool_works_before_there_is_a_business(tmp_path: Path) -> None:
    services = office(tmp_path, businesses=())
    outcome = call(services, "contractor_add", {**ALEX}, caller=PERSON)
    assert outcome.ok, outcome.message
    assert call(services, "contractor_list", {}, caller=PERSON).result["count"] == 1
    services.close()
    assert orjson.loads((tmp_path / "contractor-pool.json").read_bytes())[0]["name"] == "Alex Rivera"
