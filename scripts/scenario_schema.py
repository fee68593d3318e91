"""The generator of the JSON schema of scenario files, for editors: `python -m scripts.scenario_schema`.

A test compares configs/scenarios/schema.json with the model.
"""

import json
from pathlib import Path
from typing import Any

from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import scenario_names

PLACE = Path(__file__).resolve().parent.parent / "configs" / "scenarios" / "schema.json"


def schema() -> dict[str, Any]:
    """Return the schema: a complete scenario, or the changes to the one it extends."""
    found = Scenario.model_json_schema()
    base = {"enum": list(scenario_names()), "description": "A scenario that ships, over which this file is laid."}
    whole = {"required": found.pop("required")}
    return {
        **found,
        "properties": {"extends": base, **found["properties"]},
        "anyOf": [{"required": ["extends"]}, whole],
        "$comment": "Parts of a file with `extends` may leave out what they do not change.",
    }


def text() -> str:
    """Return the schema as the file's text."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
