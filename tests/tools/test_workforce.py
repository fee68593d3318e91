from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from mabos.mind.model import Goal
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import PERSON, Caller
from tests.tools.offices import office
from tests.world import World

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


def staffed(root: Path, **more: float) -> World:
    world = office(root, **more)  # type: ignore[arg-type]  # a test's shorthand
    world.agent("hr").do("contractor_add", contractor_id="CONT-001", **ALEX)
    world.agent("hr").do("contractor_add", contractor_id="CONT-002", name="Mina", skills=["SQL"], hourly_rate_usd=60.0)
    return world


def packaged(world: World) -> None:
    world.agent("cto").do("work_package_create", package_id="WP-001", **PACKAGE)
    world.agent("cto").do("work_package_assign", package_id="WP-001", contractor_id="CONT-001")


def pool(world: World, contractor_id: str = "CONT-001") -> dict[str, object]:
    rows = world.agent("hr").do("contractor_list")["contractors"]
    return next(row for row in rows if row["contractor_id"] == contractor_id)


def test_hr_matches_a_package_to_a_contractor_by_skill_trust_and_rate(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    created = world.agent("cto").do("work_package_create", package_id="WP-001", **PACKAGE)
    assert [one["contractor_id"] for one in created["candidates"]] == ["CONT-001", "CONT-002"]
    listed = world.agent("hr").do("contractor_list", package_id="WP-001")["contractors"]
    fit = 1 - (95 - 87.5) / 87.5
    assert listed[0]["match_score"] == pytest.approx(0.5 + 0.82 * 0.3 + fit * 0.2, abs=1e-6)


def test_contractors_are_found_by_skill_trust_and_availability(tmp_path: Path) -> None:
    world = staffed(tmp_path)

    def found(**wanted: Any) -> list[str]:
        return [one["contractor_id"] for one in world.agent("hr").do("contractor_list", **wanted)["contractors"]]

    assert found(skill="react") == ["CONT-001"]
    assert found(min_trust=0.6) == ["CONT-001"]
    assert found(availability="full-time") == []


def test_a_package_over_the_threshold_waits_for_a_person(tmp_path: Path) -> None:
    world = staffed(tmp_path, threshold=5000)
    outcome = world.agent("cto").ask("work_package_create", **{**PACKAGE, "budget_usd": 10_000.0})
    assert outcome.awaiting
    assert world.services.business("acme").workforce.packages.all() == ()


def test_the_lifecycle_of_the_document_moves_trust_once(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    assert pool(world)["active_packages"] == 1
    updated = world.agent("hr").do("work_package_update", package_id="WP-001", status="complete", quality_score=0.95)
    assert updated["trust_score"] == pytest.approx(0.91)
    again = world.agent("hr").do("contractor_trust_update", contractor_id="CONT-001", quality_score=0.95)
    assert (again["trust_score"], again["previous_trust"]) == (pytest.approx(0.91), pytest.approx(0.82))
    after = pool(world)
    assert (after["active_packages"], after["completed_packages"]) == (0, 1)


def test_without_a_quality_score_completion_leaves_trust_to_the_next_call(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    world.agent("hr").do("work_package_update", package_id="WP-001", status="complete")
    assert pool(world)["trust_score"] == 0.82
    assert world.agent("hr").do("contractor_trust_update", contractor_id="CONT-001", quality_score=0.95)[
        "trust_score"
    ] == pytest.approx(0.91)


def distrusted(root: Path) -> World:
    world = staffed(root)
    for _ in range(5):
        flagged = world.agent("hr").do("contractor_trust_update", contractor_id="CONT-002", quality_score=0.0)
    assert flagged["flagged"]
    world.agent("cto").do("work_package_create", package_id="WP-001", **PACKAGE)
    return world


def test_a_flagged_contractor_is_assigned_only_on_a_recorded_review_by_hr(tmp_path: Path) -> None:
    world = distrusted(tmp_path)
    given = {"package_id": "WP-001", "contractor_id": "CONT-002"}
    refused = world.agent("cto").ask("work_package_assign", **given)
    assert (refused.code, refused.argument) == ("refused", "contractor_id")
    update = {"contractor_id": "CONT-002", "quality_score": 0.9, "review": "I like them"}
    by_cto = call(world.services, "contractor_trust_update", update, caller=PERSON, agent_id="cto")
    assert (by_cto.code, by_cto.argument) == ("refused", "review")
    assert world.services.directory.contractors().one("CONT-002").trust_score == 0.0
    world.agent("hr").do("contractor_trust_update", contractor_id="CONT-002", review="The briefs were at fault")
    (review,) = world.services.directory.contractors().one("CONT-002").reviews
    assert (review.reviewer, review.reason, review.trust_score) == ("hr", "The briefs were at fault", 0.0)
    assert review.at == "2026-01-05T09:00:00.000Z"
    assigned = world.agent("cto").do("work_package_assign", **given)
    assert (assigned["status"], assigned["review_id"]) == ("assigned", review.id)


def test_hr_reviews_before_it_assigns_and_flagged_contractors_come_last(tmp_path: Path) -> None:
    world = distrusted(tmp_path)
    given = {"package_id": "WP-001", "contractor_id": "CONT-002"}
    hr = world.agent("hr")
    assert hr.ask("work_package_assign", **given).argument == "contractor_id"
    hr.do("contractor_add", contractor_id="CONT-003", **{**ALEX, "skills": ["Cobol"], "hourly_rate_usd": 900.0})
    hr.do("contractor_trust_update", contractor_id="CONT-002", review="The briefs were at fault")
    for listed in (hr.do("contractor_list"), hr.do("contractor_list", package_id="WP-001")):
        assert listed["contractors"][-1]["contractor_id"] == "CONT-002"
    hr.do("work_package_assign", **given)
    hr.do("work_package_update", package_id="WP-001", status="complete", quality_score=0.9)
    placed = [one.content for one in world.services.agent("hr").memory.recent(9) if "WP-001" in one.evidence]
    assert any("assigned" in one for one in placed)
    assert any("quality 0.90" in one for one in placed)


def test_a_trust_update_needs_a_quality_or_a_review(tmp_path: Path) -> None:
    outcome = staffed(tmp_path).agent("hr").ask("contractor_trust_update", contractor_id="CONT-001")
    assert (outcome.code, outcome.argument) == ("invalid_argument", "quality_score")


def test_hr_hears_once_that_trust_has_fallen_too_far(tmp_path: Path) -> None:
    world = distrusted(tmp_path)
    (told,) = world.agent("hr").handle.inbox.messages()
    assert told.metadata["beliefs"][0] == {
        "subject": "CONT-002", "predicate": "trust_score", "value": "0.3", "certainty": 0.95,
    }  # fmt: skip


def test_a_completed_package_moves_its_goal_keeps_the_word_and_is_told(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    cto = world.agent("cto")
    cto.mind.save(Goal("GOAL-CTO-007", "Enterprise launch", level="tactical", progress=10.0))
    for number in (1, 2):
        package_id = f"WP-00{number}"
        world.agent("cto").do("work_package_create", package_id=package_id, goal_id="GOAL-CTO-007", **PACKAGE)
        world.agent("hr").do("work_package_assign", package_id=package_id, contractor_id="CONT-001")
    assert {one.status for one in cto.mind.commitments if one.about} == {"open"}
    updated = world.agent("hr").do("work_package_update", package_id="WP-001", status="complete", quality_score=0.9)
    assert updated["goal_progress"] == 50
    goal = cto.mind.goal("GOAL-CTO-007")
    assert (goal.progress, goal.evidence) == (50, ("WP-001",))
    assert [cto.mind.commitment(f"COM-WP-00{number}").status for number in (1, 2)] == ["met", "open"]
    (told,) = cto.messages()
    assert {"subject": "WP-001", "predicate": "status", "value": "complete", "certainty": 0.95} in told.metadata[
        "beliefs"
    ]
    world.agent("hr").do("work_package_update", package_id="WP-002", status="failed")
    assert cto.mind.commitment("COM-WP-002").status == "breached"
    assert cto.mind.goal("GOAL-CTO-007").progress == 50


def test_unknown_ids_are_never_success(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    for name, arguments, argument in (
        ("work_package_assign", {"package_id": "WP-9", "contractor_id": "CONT-001"}, "package_id"),
        ("work_package_assign", {"package_id": "WP-001", "contractor_id": "CONT-9"}, "contractor_id"),
        ("work_package_update", {"package_id": "WP-9", "status": "complete"}, "package_id"),
        ("contractor_trust_update", {"contractor_id": "CONT-9", "quality_score": 0.5}, "contractor_id"),
        ("contractor_list", {"package_id": "WP-9"}, "package_id"),
    ):
        outcome = world.agent("hr").ask(name, **arguments)
        assert (outcome.code, outcome.argument) == ("unknown_id", argument), name


def test_a_package_id_is_used_once(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    world.agent("cto").do("work_package_create", package_id="WP-001", **PACKAGE)
    outcome = world.agent("coo").ask("work_package_create", package_id="WP-001", **PACKAGE)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "package_id")


def test_packages_are_listed_by_status(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    world.agent("cto").do("work_package_create", package_id="WP-002", **PACKAGE)
    assert world.agent("cto").do("work_package_list")["count"] == 2
    (only,) = world.agent("cto").do("work_package_list", status="open")["packages"]
    assert only["package_id"] == "WP-002"


def pass_on(world: World, by: Caller = PERSON, **more: Any) -> Outcome:
    arguments = {"from": "cto", "to": "CONT-001", "package_id": "WP-001", "handoff_type": "agent_to_human", **more}
    return call(world.services, "handoff", arguments, caller=by, agent_id=by.agent_id or "cto")


def back(world: World, by: Caller = PERSON, **more: Any) -> Outcome:
    return pass_on(world, by, **{"from": "CONT-001", "to": "cto", "handoff_type": "human_to_agent", **more})


def spec(world: World) -> dict[str, Any]:
    folder = world.services.business("acme").directory / "specs"
    folder.mkdir(exist_ok=True)
    (folder / "onboarding.md").write_text("# Onboarding\n")
    return {"artifacts": [{"type": "spec", "path": "specs/onboarding.md"}]}


def test_a_handoff_is_recorded_in_the_documents_form(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    outcome = pass_on(
        world, artifacts=[{"type": "spec", "path": "specs/onboarding.md"}], instructions="Start with SSO."
    )
    assert outcome.ok, outcome.message
    assert outcome.result["missing_artifacts"] == ["specs/onboarding.md"]
    world.close()
    (record,) = orjson.loads((world.services.business("acme").directory / "handoff-log.json").read_bytes())
    assert (record["id"], record["from"], record["to"]) == (outcome.result["handoff_id"], "cto", "CONT-001")
    assert (record["work_package_id"], record["status"]) == ("WP-001", "offered")


def test_a_contractor_hands_back_what_it_never_accepted_and_another_is_offered_it(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    first = pass_on(world).result["handoff_id"]
    returned = back(world)
    assert returned.ok, returned.message
    log = world.services.business("acme").workforce.handoffs
    assert (log.one(first).status, returned.result["handoff_id"] in log.one(first).answer) == ("refused", True)
    assert back(world, Caller("agent", "cto"), answer="accept").result["status"] == "accepted"
    assert world.services.business("acme").workforce.packages.one("WP-001").assigned_to == "cto"
    assert pass_on(world, to="CONT-002").ok


def test_what_is_not_there_cannot_be_taken_over(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    outside = {"type": "secret", "path": "../../agents/cfo/Beliefs.md"}
    assert pass_on(world, artifacts=[{"type": "spec", "path": "specs/onboarding.md"}, outside]).ok
    refused = pass_on(world, answer="accept")
    assert (refused.code, refused.argument) == ("refused", "artifacts")
    assert "specs/onboarding.md, ../../agents/cfo/Beliefs.md" in refused.message
    assert world.services.business("acme").workforce.packages.one("WP-001").status == "assigned"


def test_a_contractor_takes_over_and_the_agent_learns_of_it_and_has_its_word(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    assert pass_on(world, **spec(world), instructions="Start with SSO.").ok
    (letter,) = (world.services.business("acme").directory / "outbox" / "file").iterdir()
    for part in ("To: CONT-001", "Start with SSO.", "Files: specs/onboarding.md."):
        assert part in letter.read_text("utf-8")
    by_itself = pass_on(world, Caller("agent", "cto"), answer="accept")
    assert (by_itself.code, by_itself.argument) == ("refused", "answer")
    accepted = world.ask("handoff", "hr", from_="cto", to="CONT-001", package_id="WP-001",
                         handoff_type="agent_to_human", answer="accept")  # fmt: skip
    assert accepted.ok, accepted.message
    assert accepted.result["status"] == "accepted"
    assert world.services.business("acme").workforce.packages.one("WP-001").status == "in_progress"
    cto = world.agent("cto")
    told = {one.performative: one for one in cto.messages()}
    assert {"subject": "WP-001", "predicate": "status", "value": "in_progress", "certainty": 0.95} in told[
        "INFORM"
    ].metadata["beliefs"]
    assert told["ACCEPT"].reply_to == f"MSG-{accepted.result['handoff_id']}"
    word = cto.mind.commitment("COM-WP-001")
    assert (word.counterparty, word.owed_by, word.status) == ("CONT-001", "CONT-001", "open")


def test_work_comes_back_to_an_agent_that_accepts_and_becomes_its_wish(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    offered = back(world)
    assert offered.ok, offered.message
    cto = world.agent("cto")
    assert [one.performative for one in cto.messages()] == ["PROPOSE"]
    accepted = back(world, Caller("agent", "cto"), answer="accept")
    assert accepted.ok, accepted.message
    package = world.services.business("acme").workforce.packages.one("WP-001")
    assert (package.assigned_to, package.status) == ("cto", "in_progress")
    assert pool(world)["active_packages"] == 0
    assert {one.performative for one in cto.messages()} == {"PROPOSE", "REQUEST", "INFORM"}
    word = cto.mind.commitment("COM-WP-001")
    assert (word.counterparty, word.owed_by, word.status) == ("CONT-001", "", "open")


def test_a_refused_offer_leaves_the_work_where_it_is_and_can_be_made_again(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    assert pass_on(world).ok
    twice = pass_on(world)
    assert (twice.code, twice.argument) == ("invalid_argument", "package_id")
    assert pass_on(world, answer="refuse", reason="ill").result["status"] == "refused"
    assert world.services.business("acme").workforce.packages.one("WP-001").status == "assigned"
    late = pass_on(world, answer="accept")
    assert (late.code, late.argument) == ("refused", "answer")
    assert pass_on(world).ok


@pytest.mark.parametrize(
    ("offer", "argument"),
    [
        ({"from": "CONT-002", "to": "cto", "handoff_type": "human_to_agent"}, "package_id"),
        ({"from": "coo", "to": "CONT-002"}, "package_id"),
        ({"answer": "accept"}, "answer"),
    ],
)
def test_only_who_has_the_work_hands_it_over(tmp_path: Path, offer: dict[str, Any], argument: str) -> None:
    world = staffed(tmp_path)
    packaged(world)
    outcome = pass_on(world, **offer)
    assert (outcome.code, outcome.argument) == ("invalid_argument", argument)


def test_an_agent_hands_over_for_nobody_else(tmp_path: Path) -> None:
    world = staffed(tmp_path)
    packaged(world)
    outcome = pass_on(world, Caller("agent", "coo"))
    assert (outcome.code, outcome.argument) == ("refused", "from")


def test_a_contractor_awaiting_review_takes_nothing_over(tmp_path: Path) -> None:
    world = distrusted(tmp_path)
    assert pass_on(world, to="CONT-002").ok
    refused = pass_on(world, to="CONT-002", answer="accept")
    assert (refused.code, refused.argument) == ("refused", "to")


@pytest.mark.parametrize(("party", "argument"), [({"from": "nobody"}, "from"), ({"to": "CONT-9"}, "to")])
def test_a_handoff_names_real_parties(tmp_path: Path, party: dict[str, str], argument: str) -> None:
    world = staffed(tmp_path)
    packaged(world)
    arguments = {"from": "cto", "to": "CONT-001", "package_id": "WP-001", "handoff_type": "agent_to_human", **party}
    outcome = call(world.services, "handoff", arguments, caller=PERSON, agent_id="cto")
    assert (outcome.code, outcome.argument) == ("unknown_id", argument)


def test_the_pool_is_opened_once_for_all_businesses(tmp_path: Path) -> None:
    world = office(tmp_path, businesses=("acme", "beta"))
    pools = [world.services.business(name).workforce.contractors for name in ("acme", "beta")]
    assert pools[0] is pools[1] is world.services.directory.contractors()


def test_the_pool_works_before_there_is_a_business(tmp_path: Path) -> None:
    world = office(tmp_path, businesses=())
    outcome = call(world.services, "contractor_add", {**ALEX}, caller=PERSON)
    assert outcome.ok, outcome.message
    assert call(world.services, "contractor_list", {}, caller=PERSON).result["count"] == 1
    world.close()
    assert orjson.loads((tmp_path / "contractor-pool.json").read_bytes())[0]["name"] == "Alex Rivera"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_a_contractor_is_busy_with_what_is_in_its_hands(tmp_path: Path, seed: int) -> None:
    world, chance = staffed(tmp_path), Random(seed)
    packages = [f"WP-{number}" for number in range(4)]
    parties = {"cto": "agent", "hr": "agent", "CONT-001": "human", "CONT-002": "human"}
    for package_id in packages:
        world.agent("cto").do("work_package_create", package_id=package_id, **PACKAGE)
    for _ in range(120):
        package_id, (giver, taker) = chance.choice(packages), chance.sample(sorted(parties), 2)
        kind = f"{parties[giver]}_to_{parties[taker]}"
        passed = {"from": giver, "to": taker, "package_id": package_id, "handoff_type": kind}
        status = chance.choice(["in_progress", "delivered"] * 4 + ["complete", "cancelled"])
        calls: list[tuple[str, dict[str, Any]]] = [
            ("work_package_assign", {"package_id": package_id, "contractor_id": chance.choice(sorted(parties))}),
            ("work_package_update", {"package_id": package_id, "status": status, "quality_score": chance.random()}),
            ("handoff", passed),
            ("handoff", {**passed, "answer": chance.choice(["accept", "accept", "refuse"])}),
        ]
        outcome = call(world.services, *chance.choice(calls), caller=PERSON, agent_id="hr")
        assert outcome.ok or outcome.code in {"invalid_argument", "refused", "unknown_id"}, outcome.message
        held = [one.assigned_to for one in world.services.business("acme").workforce.packages.all() if not one.is_over]
        for contractor in world.services.directory.contractors().all():
            assert contractor.active_packages == len(contractor.working_on) == held.count(contractor.id)
            assert 0 <= contractor.trust_score <= 1
        if all(one.is_over for one in world.services.business("acme").workforce.packages.all()):
            break
    assert "accepted" in {one.status for one in world.services.business("acme").workforce.handoffs.all()}
