"""Runs of each kind of business: all that agents did to the market leads to what they perceived or began with."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.graphs.simulate import simulate
from mabos.interfaces.reasons.chain import explain_record
from mabos.interfaces.reasons.gathering import gather_records
from mabos.nodes.company.chronicle import ACTUATORS

PERCEPTS = {"figure", "message", "document"}
"""What an agent has from outside its mind: what was measured, said to it, or dropped into its inbox."""

WEEKS = 5
FOUNDING = "business_create("
"""The owner's action with which every agent gets what its role takes to be so and wants."""
MANDATED = 0.02
"""The most of all deeds that may rest on the founding alone: a contractor brief, an audit, a guide that is missing."""


def walked(reason: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a reason and every reason behind it."""
    yield reason
    for one in reason.get("because", ()):
        yield from walked(one)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["saas", "ecommerce", "consulting"])
def test_every_use_of_an_actuator_leads_to_a_plan_or_a_lever_and_to_what_was_perceived_or_to_the_founding(
    kind: str, tmp_path: Path
) -> None:
    simulate(kind, out=tmp_path / "bdi", weeks=WEEKS, seed=1000, policy="bdi")
    uses, by_mandate = 0, list[str]()
    with wiring.hold_services(tmp_path / "bdi" / "workspace") as services:
        records = gather_records(services)
        for agent_id in services.agents():
            for entry in services.ledger.entries(agent_id):
                if entry.kind != "call" or entry.body.get("tool") not in ACTUATORS:
                    continue
                uses += 1
                chain = list(
                    walked(explain_record(records.find(entry.id, agent_id), records, tmp_path / "bdi").as_json())
                )
                kinds = {one["kind"] for one in chain}
                if any(
                    one["id"].startswith("B-effect-") for one in chain
                ):  # a lever, moved by what it was measured to do
                    assert {"belief", "figure"} <= kinds, entry.id
                    continue
                assert {"plan", "goal"} <= kinds, entry.id
                is_begun = any(one["kind"] == "plan" and "(playbook" in one["text"] for one in chain)
                assert kinds & {"desire", "message"} or is_begun, (entry.id, kinds)  # wanted, asked for, or a playbook
                if not kinds & PERCEPTS:
                    assert any(one["text"].startswith(FOUNDING) for one in chain), f"{entry.id} rests on nothing"
                    by_mandate.append(entry.id)
    assert uses > 20
    assert len(by_mandate) <= MANDATED * uses, by_mandate
