"""Replay of a finished run: on the same terms, to check that the result is the same, or under another owner.

replay(Path("runs/a"), out=Path("runs/a-cautious"), changes={"approval_threshold_usd": 500})
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.configs.models import ModelSettings
from mabos.configs.settings import load_settings
from mabos.graphs.simulate import RECORDING, SimulationOutcome, simulate
from mabos.nodes.company.run import find_run
from mabos.society.simulation.difference import read_run
from mabos.society.simulation.scenario import Scenario, StakeholderSpec


def replay(
    directory: Path,
    *,
    out: Path,
    changes: Mapping[str, Any],
    on_event: Callable[[Mapping[str, Any]], None] | None = None,
) -> SimulationOutcome:
    """Replay the run in `directory` into `out`, with its owner changed by `changes`, and return the result.

    Scenario, seed, policy and weeks are those of the run. Raises `UnknownId` without a finished run, and
    `InvalidArgument` for an unknown field of the owner, or if `out` is the run itself.
    """
    if out.resolve() == directory.resolve():
        raise InvalidArgument(f"{out} is the run itself; choose another folder", argument="out")
    weeks = int(read_run(directory).terms["weeks"])
    run = find_run(directory / "workspace")
    if run is None:
        raise UnknownId(f"{directory} has no workspace of a simulation, so it cannot be replayed")
    scenario = Scenario.model_validate(run.scenario)
    owner = _owner(scenario.stakeholder, changes)
    chosen = scenario.model_copy(update={"stakeholder": owner})
    terms: dict[str, Any] = {"weeks": weeks, "seed": run.seed, "policy": run.policy, "without": run.without}
    return simulate(chosen, out=out, models=_answers(directory) if run.model else None, on_event=on_event, **terms)


def _answers(directory: Path) -> ModelSettings:
    """Return the models of a replay: the recorded answers of the run replace the model, so no model is called."""
    workspace = directory / "workspace"
    recorded = str((workspace / RECORDING).resolve())
    return load_settings(workspace).models.model_copy(update={"active": "none", "record": "", "replay": recorded})


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
