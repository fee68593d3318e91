"""Parts of your own in one workspace: files in its folders, and arguments of `open_workspace`.

    python examples/own_parts.py my-stall

Files: a role, a plan, a template and a scenario. Arguments: a tool, a perceptor, a checkpointer and a store. A model is
in own_graph.py; a package with all of these is in plugin/.
"""

import sys
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.store.memory import InMemoryStore

from mabos import Percept, Perceptor, open_workspace, own_tool
from mabos.graphs.simulate import simulate
from mabos.society.simulation.scenario_files import load_scenario

FILES = {
    "roles/keeper.yaml": "title: Shelf keeper\nresponsibilities: [Know what is on the shelf]\nautonomy: full\n",
    "plans/refill_shelf.yaml": """\
name: refill_shelf
category: Shop
summary: Fill the shelf before the market opens.
goals: [refill the shelf]
steps:
  - {id: look, description: Look how much tea is left, tool: units_on_shelf, arguments: {article: tea}}
""",
    "templates/stall.yaml": """\
id: stall
title: Market stall
description: A stall that sells tea.
domain: cross-domain
base: general
figures:
  - {name: visitors, title: visitors of the market, unit: people/day, direction: higher, owner: cmo, also: [visitors]}
""",
    "scenarios/lean.yaml": "scenario: lean\ntitle: Half the cash\nextends: saas\nstart: {cash: 210000}\n",
}


def units_on_shelf(article: str) -> dict[str, int]:
    """Get the number of units of an article on the shelf."""
    item = get_store().get(("shelf",), article)
    if item is None:
        raise ValueError(f"no article {article!r} on the shelf")
    return {"units": item.value["units"]}


def market(agent_id: str) -> list[Percept]:  # noqa: ARG001 - the same for every agent
    """Tell how many people came: a figure of the business."""
    return [Percept("visitors", 140, unit="people/day")]


def main(folder: str) -> None:
    """Use each part once, and print what came of it."""
    for name, text in FILES.items():
        (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
        (Path(folder) / name).write_text(text, encoding="utf-8")
    store, saver = InMemoryStore(), InMemorySaver()
    store.put(("shelf",), "tea", {"units": 12})
    with open_workspace(
        folder,
        tools=[own_tool(units_on_shelf, writes=False)],
        perceptors=[Perceptor(market, agents=["cmo"])],
        checkpointer=saver,
        store=store,
    ) as workspace:
        business = workspace.create_business("stall", name="Stall", template="stall")
        keeper = workspace.create_agent("keeper", role="keeper")
        print("role, tool, store:", keeper.say("How many units of the article tea are on the shelf?").text)
        found = keeper.call("plan_library_search", goal_pattern="refill the shelf").required()
        print("plan:", found["templates"][0]["name"])
        workspace.agent("cmo").run()
        visitors = business.metrics.latest("visitors")
        print("template, perceptor:", visitors and f"{visitors.value:g} from {visitors.source}")
        print("checkpointer:", len(list(saver.list(None))) > 0)
    outcome = simulate(load_scenario(f"{folder}/scenarios/lean.yaml"), out=Path(folder) / "lean", weeks=1)
    print("scenario:", outcome.as_json()["scenario"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/own_parts.py WORKSPACE")
    main(sys.argv[1])
