from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, Refused
from mabos.society.contractors import (
    Contractor,
    judge_delivery,
    let_go,
    rate_fit,
    record_review,
    skill_overlap,
    taken_on,
    updated_trust,
)
from mabos.society.packages import (
    PackageStatus,
    WorkPackage,
    assign_package,
    change_status,
    is_overdue,
    match,
    rank_contractors,
)
from mabos.society.workforce import Handoff, open_pool, open_workforce
from mabos.workspace.sync import Sync

AT = "2026-02-24T10:00:00.000Z"
shares = st.floats(0, 1)

ALEX = Contractor("CONT-001", "Alex Rivera", ("React", "TypeScript", "UI/UX Design"), 95, trust_score=0.82)
PACKAGE = WorkPackage("WP-001", "Onboarding", "Wizard with SSO.", ("React", "TypeScript"), 3500)


def test_the_match_score_is_the_documents_sum() -> None:
    found = match(ALEX, PACKAGE)
    fit = 1 - (95 - 87.5) / 87.5
    assert found.score == pytest.approx(1 * 0.5 + 0.82 * 0.3 + fit * 0.2)


@pytest.mark.parametrize(("rate", "fit"), [(50, 1), (100, 1), (150, 0.5), (200, 0), (500, 0)])
def test_a_rate_fits_up_to_the_budget_and_not_at_all_at_twice_of_it(rate: float, fit: float) -> None:
    assert rate_fit(rate, 100) == fit


def test_skills_overlap_whatever_their_case() -> None:
    assert skill_overlap(["react", "SQL"], ["React", "TypeScript"]) == 0.5
    assert skill_overlap([], []) == 1


@pytest.mark.parametrize(("quality", "trust"), [(0.95, 0.91), (0.5, 0.82), (0.0, 0.72)])
def test_trust_moves_by_a_fifth_of_the_distance_from_acceptable(quality: float, trust: float) -> None:
    assert updated_trust(0.82, quality) == pytest.approx(trust)


@given(shares, shares)
def test_trust_stays_between_nothing_and_all(trust: float, quality: float) -> None:
    assert 0 <= updated_trust(trust, quality) <= 1


@given(shares, st.floats(1, 500), st.floats(0, 50_000))
def test_a_match_score_is_between_nothing_and_all(trust: float, rate: float, budget: float) -> None:
    contractor = replace(ALEX, trust_score=trust, hourly_rate_usd=rate)
    assert 0 <= match(contractor, replace(PACKAGE, budget_usd=budget)).score <= 1 + 1e-9


def test_below_four_tenths_a_contractor_is_flagged_and_needs_a_review() -> None:
    assert not replace(ALEX, trust_score=0.4).flagged
    flagged = replace(ALEX, trust_score=0.39)
    assert flagged.flagged
    with pytest.raises(Refused, match="hr agent must review"):
        assign_package(PACKAGE, flagged, at=AT)
    assert rank_contractors([flagged], PACKAGE) == ()
    looked_at = record_review(flagged, review_id="REV-1", reviewer="hr", reason="the brief was at fault", at=AT)
    given = assign_package(PACKAGE, looked_at, at=AT)
    assert (given.assigned_to, given.review_id) == ("CONT-001", "REV-1")
    assert [one.contractor.id for one in rank_contractors([looked_at], PACKAGE)] == ["CONT-001"]


def test_a_review_counts_until_trust_falls_further() -> None:
    flagged = replace(ALEX, trust_score=0.35)
    looked_at = record_review(flagged, review_id="REV-1", reviewer="hr", reason="a small package", at=AT)
    assert not judge_delivery(looked_at, 0.7, change_id="WP-1", at=AT).awaits_review
    fallen = judge_delivery(looked_at, 0.2, change_id="WP-1", at=AT)
    assert fallen.awaits_review
    with pytest.raises(Refused, match="no review since"):
        assign_package(PACKAGE, fallen, at=AT)
    assert record_review(looked_at, review_id="REV-1", reviewer="hr", reason="again", at=AT) == looked_at


STEPS = {
    ("open", "in_progress"), ("open", "delivered"), ("assigned", "in_progress"), ("assigned", "delivered"),
    ("in_progress", "delivered"), ("delivered", "in_progress"),
}  # fmt: skip
STATUSES = get_args(PackageStatus)


@given(st.sampled_from(STATUSES), st.sampled_from(STATUSES))
def test_work_goes_forward_and_only_what_was_delivered_is_sent_back(now: PackageStatus, then: PackageStatus) -> None:
    package, ends = replace(PACKAGE, status=now), {"complete", "failed", "cancelled"}
    if now == then or (now, then) in STEPS or (then in ends and now not in ends):
        assert change_status(package, then, at=AT).status == then
    else:
        with pytest.raises(InvalidArgument) as refused:
            change_status(package, then, at=AT)
        assert refused.value.argument == "status"


def test_a_package_is_overdue_when_its_deadline_has_passed_and_nothing_was_delivered() -> None:
    due = replace(PACKAGE, deadline="2026-02-24T10:00:00.000Z")
    assert not is_overdue(due, datetime(2026, 2, 24, 10, tzinfo=UTC))
    later = datetime(2026, 2, 24, 11, tzinfo=UTC)
    assert is_overdue(due, later)
    assert not is_overdue(replace(due, status="delivered"), later)
    assert not is_overdue(PACKAGE, later)


def test_the_best_match_comes_first_and_the_unavailable_not_at_all() -> None:
    stranger = Contractor("CONT-002", "Mina", ("Python",), 60)
    away = replace(ALEX, id="CONT-003", availability="unavailable")
    assert [one.contractor.id for one in rank_contractors([stranger, away, ALEX], PACKAGE)] == ["CONT-001", "CONT-002"]


def test_a_package_has_one_contractor_at_a_time() -> None:
    taken = assign_package(PACKAGE, ALEX, at=AT)
    assert assign_package(taken, ALEX, at=AT) == taken
    with pytest.raises(InvalidArgument, match="already with CONT-001"):
        assign_package(taken, replace(ALEX, id="CONT-002"), at=AT)


@pytest.mark.parametrize("status", ["complete", "failed", "cancelled"])
def test_what_is_over_is_neither_assigned_nor_reopened(status: str) -> None:
    over = replace(PACKAGE, status=status)  # type: ignore[arg-type]  # a test's shorthand
    with pytest.raises(InvalidArgument, match=status):
        assign_package(over, ALEX, at=AT)
    with pytest.raises(InvalidArgument, match="stays so"):
        change_status(over, "in_progress", at=AT)


def test_nobody_can_be_said_to_have_a_package() -> None:
    with pytest.raises(InvalidArgument, match="work_package_assign"):
        change_status(PACKAGE, "assigned", at=AT)


def test_taking_on_and_letting_go_count_each_package_once() -> None:
    busy = taken_on(taken_on(replace(ALEX, completed_packages=7), "WP-001"), "WP-001")
    assert busy.active_packages == 1
    done = let_go(let_go(busy, "WP-001", complete=True), "WP-001", complete=True)
    assert (done.active_packages, done.completed_packages) == (0, 8)


def test_one_delivery_is_judged_once() -> None:
    done = let_go(taken_on(ALEX, "WP-001"), "WP-001", complete=True)
    by_package = judge_delivery(done, 0.95, change_id="WP-001", at=AT)
    assert judge_delivery(by_package, 0.95, change_id="WP-001", at=AT) == by_package
    confirmed = judge_delivery(by_package, 0.95, change_id="TRUST-1", at=AT, reason="on time")
    assert confirmed.trust_score == by_package.trust_score == pytest.approx(0.91)
    assert judge_delivery(confirmed, 0.95, change_id="TRUST-2", at=AT).trust_score == 1.0


def test_the_files_are_the_documents_arrays(tmp_path: Path) -> None:
    business = tmp_path / "businesses" / "acme"
    business.mkdir(parents=True)
    workforce = open_workforce(business, open_pool(tmp_path, Sync("off")), Sync("off"))
    workforce.contractors.save(ALEX)
    workforce.packages.save(PACKAGE)
    workforce.handoffs.save(Handoff("HO-001", "cto", "CONT-001", "WP-001", "agent_to_human", created_at=AT))
    for records in (workforce.contractors, workforce.packages, workforce.handoffs):
        records.store.close()
    (pool,) = orjson.loads((tmp_path / "contractor-pool.json").read_bytes())
    (package,) = orjson.loads((business / "work-packages.json").read_bytes())
    (handed,) = orjson.loads((business / "handoff-log.json").read_bytes())
    assert (pool["name"], package["budget_usd"]) == ("Alex Rivera", 3500)
    assert (handed["from"], handed["to"], handed["work_package_id"]) == ("cto", "CONT-001", "WP-001")
    again = open_workforce(business, open_pool(tmp_path, Sync("off")), Sync("off"))
    assert again.handoffs.one("HO-001").sender == "cto"


def test_the_documents_own_contractor_opens(tmp_path: Path) -> None:
    printed = (
        '[{"id": "CONT-001", "name": "Alex Rivera", "skills": ["React"], "hourly_rate_usd": 95,'
        ' "availability": "part-time", "trust_score": 0.82, "completed_packages": 7, "active_packages": 1,'
        ' "preferred_contact": "email", "timezone": "America/New_York"}]'
    )
    (tmp_path / "contractor-pool.json").write_text(printed, encoding="utf-8")
    found = open_pool(tmp_path, Sync("off")).one("CONT-001")
    assert (found.completed_packages, found.timezone) == (7, "America/New_York")
