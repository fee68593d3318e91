"""Test that deliberation succeeds in a scenario in which a fixed set of rules fails."""

from pathlib import Path

import pytest

from mabos.graphs.simulate import simulate


@pytest.mark.slow
def test_where_rules_end_in_bankruptcy_agents_do_not(tmp_path: Path) -> None:
    """Clients pay late, or never.

    Rules book the same hands and campaigns all the same. The agents' budgets follow the cash there is, and they ask
    more for their work while it is asked for.
    """
    rules, agents = (
        simulate("consulting", out=tmp_path / policy, seed="1006", policy=policy) for policy in ("rules", "bdi")
    )
    assert rules.is_bankrupt
    assert not agents.is_bankrupt
    assert agents.kpis["cash"] > 0
