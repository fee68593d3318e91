import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import Damaged
from mabos.configs.settings import load_settings
from mabos.society.governance import (
    ApprovalVerdict,
    Autonomy,
    FinancialPosition,
    ProposedAction,
    StakeholderProfile,
    auto_approved,
    check,
    first_profile,
    profile_reader,
    read_profile,
    write_profile,
)

SPEND = ProposedAction("cmo", "marketing_spend", cost=1000)
FREE = ProposedAction("cmo", "communication")
# A profile under which none of the rules 3 to 5 asks anyone about an ordinary action.
QUIET = StakeholderProfile(decision_style="strategic-only", risk_tolerance="aggressive")


def profile(**fields: Any) -> StakeholderProfile:
    return QUIET.model_copy(update=fields)


def verdict(
    action: ProposedAction, profile: StakeholderProfile = QUIET, autonomy: Autonomy = "full", **standing: float
) -> ApprovalVerdict:
    return check(action, profile, autonomy, FinancialPosition(**standing))


def test_rule_1_above_the_threshold_a_person_decides_whatever_else_holds() -> None:
    allowed = profile(auto_approve_categories=("marketing_spend",))
    found = verdict(replace(SPEND, cost=5000.01), allowed)
    assert (found.requires_approval, found.rule) == (True, "threshold")
    assert "$5,000.01 is above the approval threshold of $5,000" in found.reasons[0]
    assert not verdict(replace(SPEND, cost=5000)).requires_approval


def test_rule_1_counts_what_was_spent_on_the_same_before() -> None:
    assert verdict(SPEND, spent=4500).rule == "threshold"
    assert not verdict(SPEND, spent=4000).requires_approval


def test_what_is_free_splits_nothing() -> None:
    assert not verdict(FREE, spent=9000).requires_approval


@pytest.mark.parametrize(
    ("category", "cost", "entry"),
    [
        ("marketing_spend", 499.99, "marketing_spend_under_500"),
        ("marketing_spend_under_500", 10, "marketing_spend_under_500"),
        ("Marketing spend", 10, "marketing_spend_under_500"),
        ("marketing_spend", 500, ""),
        ("office", 1e6, "office"),
        ("marketing", 10, ""),
    ],
)
def test_rule_2_an_entry_names_a_category_and_its_cap(category: str, cost: float, entry: str) -> None:
    assert auto_approved(category, cost, ("marketing_spend_under_500", "office")) == entry


def test_rule_2_lifts_rules_3_to_5() -> None:
    strict = profile(
        decision_style="hands-on", risk_tolerance="conservative", auto_approve_categories=("marketing_spend_under_500",)
    )
    small = ProposedAction("cmo", "marketing_spend", cost=400, external=True, confidence=0.1)
    assert verdict(small, strict, "none").rule == "auto-approve"
    assert verdict(small, strict, "none", spent=100).requires_approval


@pytest.mark.parametrize(
    ("autonomy", "action", "asks"),
    [
        ("none", FREE, True),
        ("limited", FREE, False),
        ("limited", SPEND, False),
        ("limited", replace(SPEND, cost=1000.01), True),
        ("limited", replace(FREE, reversible=False), True),
        ("full", replace(SPEND, cost=5000, reversible=False), False),
    ],
)
def test_rule_3_autonomy(autonomy: Autonomy, action: ProposedAction, asks: bool) -> None:
    found = verdict(action, autonomy=autonomy)
    assert (found.requires_approval, found.rule) == ((True, "autonomy") if asks else (False, "none"))


@pytest.mark.parametrize(
    ("style", "asked", "not_asked"),
    [
        ("hands-on", [SPEND, replace(FREE, reversible=False), replace(FREE, external=True)], [FREE]),
        ("strategic-only", [replace(FREE, strategic=True)], [SPEND, replace(FREE, external=True)]),
        ("exception-based", [SPEND], [FREE, replace(FREE, strategic=True, external=True, reversible=False)]),
    ],
)
def test_rule_4_style(style: str, asked: list[ProposedAction], not_asked: list[ProposedAction]) -> None:
    owner = profile(decision_style=style)
    assert [verdict(action, owner).rule for action in asked] == ["style"] * len(asked)
    assert not any(verdict(action, owner).requires_approval for action in not_asked)


@pytest.mark.parametrize(
    ("tolerance", "action", "asks"),
    [
        ("conservative", replace(FREE, confidence=0.79), True),
        ("conservative", replace(FREE, confidence=0.8), False),
        ("moderate", replace(FREE, confidence=0.4, reversible=False), True),
        ("moderate", replace(SPEND, confidence=0.4, cost=2500.01), True),
        ("moderate", replace(SPEND, confidence=0.4, cost=2500), False),
        ("moderate", replace(FREE, confidence=0.5, reversible=False), False),
        ("aggressive", replace(SPEND, confidence=0.0), False),
    ],
)
def test_rule_5_risk_and_confidence(tolerance: str, action: ProposedAction, asks: bool) -> None:
    found = verdict(action, profile(risk_tolerance=tolerance))
    assert (found.requires_approval, found.rule) == ((True, "risk") if asks else (False, "none"))


def test_rule_5_an_aggressive_owner_is_asked_about_a_quarter_of_the_cash_and_the_last_three_months() -> None:
    assert "a quarter of the cash" in verdict(SPEND, cash=3999).reasons[0]
    assert not verdict(SPEND, cash=4000, burn=0).requires_approval
    assert "2.8 months of runway" in verdict(SPEND, cash=15000, burn=5000).reasons[0]
    assert not verdict(SPEND, cash=16000, burn=5000).requires_approval


def test_every_rule_that_asks_gives_its_reason() -> None:
    strict = profile(decision_style="hands-on", risk_tolerance="conservative")
    assert len(verdict(replace(SPEND, confidence=0.1), strict, "none").reasons) == 3


@given(
    parts=st.lists(st.floats(1, 4000), min_size=1, max_size=8),
    autonomy=st.sampled_from(["limited", "full"]),
    style=st.sampled_from(["hands-on", "strategic-only", "exception-based"]),
)
def test_splitting_a_cost_never_gets_more_past_a_person(parts: list[float], autonomy: Autonomy, style: str) -> None:
    owner = profile(decision_style=style)
    allowed = 0.0
    for part in parts:
        if not verdict(replace(SPEND, cost=part), owner, autonomy, spent=allowed).requires_approval:
            allowed += part
    limit = 1000 if autonomy == "limited" else 5000
    assert allowed <= limit + 1e-6


def test_the_settings_give_the_first_profile() -> None:
    found = first_profile(load_settings().governance)
    assert (found.approval_threshold_usd, found.decision_style) == (5000, "strategic-only")


def test_the_business_file_wins_over_the_root_and_may_be_partial(tmp_path: Path) -> None:
    root, business = tmp_path / "root", tmp_path / "business"
    write_profile(root, {"approval_threshold_usd": 100, "decision_style": "hands-on"}, QUIET)
    business.mkdir()
    (business / "stakeholder.json").write_text('{"approval_threshold_usd": 200, "pet": "cat"}')
    found = read_profile(QUIET, root, business)
    assert (found.approval_threshold_usd, found.decision_style) == (200, "hands-on")
    assert write_profile(business, {"name": "Jane"}, QUIET).model_extra == {"pet": "cat"}


@pytest.mark.parametrize("target", ["/dev/zero", "elsewhere.json"])
def test_the_word_of_the_owner_is_read_from_no_link(target: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text('{"approval_threshold_usd": 9e9}', "utf-8")
    (tmp_path / "stakeholder.json").symlink_to(target)
    with pytest.raises(Damaged, match=r"stakeholder\.json: a link"):
        read_profile(QUIET, tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"approval_threshold_usd": -1}', '{"decision_style": "lax"}'])
def test_a_broken_profile_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "stakeholder.json").write_text(text)
    with pytest.raises(Damaged, match=r"stakeholder\.json"):
        read_profile(QUIET, tmp_path)


def test_an_edited_profile_counts_at_once(tmp_path: Path) -> None:
    read = profile_reader(QUIET, tmp_path)
    assert read() == QUIET
    (tmp_path / "stakeholder.json").write_text(json.dumps({"approval_threshold_usd": 7}))
    assert read().approval_threshold_usd == 7
