"""A finished run played again: with the same terms, to see that it comes to the same; or under another owner.

replay(Path("runs/a"), out=Path("runs/a-cautious"), changes={"approval_threshold_usd": 500})
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from configs.errors import InvalidArgument, UnknownId
from graphs.simulate import SimulationOutcome, simulate
from nodes.company.run import find_run
from society.simulation.difference import read_run
from society.simulation.scenario import Scenario, StakeholderSpec


def replay(
    directory: Path,
    *,
    out: Path,
    changes: Mapping[str, Any],
    on_event: Callable[[Mapping[str, Any]], None] | None = None,
) -> SimulationOutcome:
    """Return what the run in `directory` comes to when it is played again into `out`, its owner changed by `changes`.

    Scenario, seed, policy and weeks are those of the run. Raises `UnknownId` where there is no finished run, and
    `InvalidArgument` for a field that an owner does not have, or where `out` is the run itself.
    """
    if out.resolve() == directory.resolve():
        raise InvalidArgument(f"{out} is the run itself; play it again into another folder", argument="out")
    weeks = int(read_run(directory).terms["weeks"])
    run = find_run(directory / "workspace")
    if run is None:
        raise UnknownId(f"{directory} holds no workspace of a simulation; it cannot be played again")
    scenario = Scenario.model_validate(run.scenario)
    owner = _owner(scenario.stakeholder, changes)
    chosen = scenario.model_copy(update={"stakeholder": owner})
    return simulate(chosen, out=out, weeks=weeks, seed=run.seed, policy=run.policy, on_event=on_event)


def _owner(owner: StakeholderSpec, changes: Mapping[str, Any]) -> StakeholderSpec:
    known = tuple(StakeholderSpec.model_fields)
    for name in changes:
        if name not in known:
            message = f"an owner has no {name!r}; what can be changed: {', '.join(known)}"
            raise InvalidArgument(message, argument=name)
    try:
        return StakeholderSpec.model_validate({**owner.model_dump(), **changes})
    except ValidationError as wrong:
        problem = wrong.errors(include_url=False)[0]
        name = str(problem["loc"][0])
        raise InvalidArgument(f"{name}: {problem['msg']}, got {problem['input']!r}", argument=name) from None
