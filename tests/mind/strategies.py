"""Arbitrary records of every type, with texts a person or a model could write into them."""

from typing import Any, get_args

from hypothesis import strategies as st

from mabos.mind import model

line = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)
words = st.sampled_from(
    [
        "Market demand is growing",
        "a; b",
        "a, b",
        "x -> y",
        "Status: fine",
        "[deadline: 2026-01-01]",
        "&#10;",
        "# x",
        "| y |",
        "- **Id:** z",
        "1. one",
        "```",
        "two  spaces",
        " lead",
        "trail ",
        "a\nb",
        "cash >= $5,000",
        "## Heading",
        "3%",
        "",
    ]
)
text = st.one_of(words, line)
item = st.one_of(words, line).filter(lambda one: one.strip() != "")
ids = st.from_regex(r"[A-Z]{1,3}-[0-9]{1,4}(-[0-9a-f]{2})?", fullmatch=True)
share = st.floats(0, 1, allow_subnormal=False)
items = st.lists(item, max_size=3).map(tuple)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9999, 9999), text), lambda inner: st.lists(inner, max_size=2)
)


def of(literal: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(literal))


revisions = st.builds(
    model.Revision, at=st.sampled_from(["2026-01-05T00:00:00.000Z", "2026-01-05"]), before=text, after=text,
    certainty_before=share, certainty_after=share, source=text,
)  # fmt: skip
beliefs = st.builds(
    model.Belief, id=ids, statement=item, certainty=share, category=of(model.Category), source=text, subject=text,
    predicate=text, value=text, updated=text, expires=text, evidence=items, status=of(model.BeliefStatus),
    revisions=st.lists(revisions, max_size=2).map(tuple),
)  # fmt: skip
desires = st.builds(
    model.Desire, id=ids, name=item, description=text, type=of(model.DesireType), category=of(model.DesireCategory),
    base=share, importance=share, urgency=share, alignment=share, deps=items, serves=text, target=text, deadline=text,
    created=text, priority=share, status=of(model.DesireStatus), reason=text, resource=text,
)  # fmt: skip
goals = st.builds(
    model.Goal, id=ids, description=item, level=of(model.Level), desire_id=text, parent_goal_id=text, priority=share,
    status=of(model.GoalStatus), target=text, progress=st.floats(0, 100, allow_subnormal=False), deadline=text,
    success_criteria=items, created=text, updated=text, last_evaluated=text, evidence=items,
    budget=st.dictionaries(of(model.Resource), st.floats(0, 1e9, allow_subnormal=False), max_size=4),
)  # fmt: skip
intentions = st.builds(
    model.Intention, id=ids, goal_id=text, plan_id=text, strategy=of(model.Strategy),
    status=of(model.IntentionStatus), progress=share, deadline=text, started=text, updated=text, decision_id=text,
    reason=text, evidence=items, description=text, turns=st.integers(0, 99),
)  # fmt: skip
steps = st.builds(
    model.Step, id=ids, description=text, tool=text, arguments=st.dictionaries(item, json_values, max_size=3),
    preconditions=items, effects=items, ordering=of(model.Ordering),
    branches=st.lists(st.tuples(item, ids), max_size=2).map(tuple), cost=st.floats(0, 1e6, allow_subnormal=False),
    status=of(model.StepStatus), attempt=st.integers(0, 9), result=text, decision_id=text,
)  # fmt: skip
plans = st.builds(
    model.Plan, id=ids, goal_id=text, name=text, source=of(model.PlanSource), confidence=share,
    revision=st.integers(1, 9), strategy=text, cursor=st.integers(0, 9), status=of(model.PlanStatus), risks=items,
    steps=st.lists(steps, max_size=3, unique_by=lambda one: one.id).map(tuple), changes=items, template=text,
    created=text, updated=text,
)  # fmt: skip
commitments = st.builds(
    model.Commitment, id=ids, counterparty=item, terms=text, deadline=text, status=of(model.CommitmentStatus),
    consequences=text, about=text, owed_by=text,
)  # fmt: skip
learnings = st.builds(model.Learning, id=ids, insight=item, context=text, applies_when=text, at=text)
playbooks = st.builds(model.Playbook, name=item, trigger=text, steps=items, success=text, context=text)
records = st.one_of(beliefs, desires, goals, intentions, plans, commitments, learnings, playbooks)
personas = st.builds(
    model.Persona, agent_id=st.just("cfo"), title=text, department=text, reports_to=text, manages=items,
    autonomy=of(model.Autonomy), style=text, responsibilities=items, expertise=items,
    autonomy_for=st.dictionaries(item, of(model.Autonomy), max_size=3),
)  # fmt: skip
capabilities = st.builds(
    model.Capabilities, tools=items, skills=st.dictionaries(item, of(model.Proficiency), max_size=3)
)
