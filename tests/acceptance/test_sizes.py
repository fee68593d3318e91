"""What the documents expect of sizes: how much room an entity takes (S2, Storage)."""

from mabos import open_workspace
from tests.acceptance.company import Company

ENTITIES = 200
PRINTED = 500
"""Bytes an entity takes of the log, as printed."""


def test_an_entity_takes_about_half_a_kilobyte_of_the_log(acme: Company) -> None:
    log = acme.file("businesses/acme/graph.jsonl")
    with open_workspace(acme.root) as workspace:
        before = log.stat().st_size if log.exists() else 0
        for number in range(ENTITIES):
            done = workspace.agent("cto").call(
                "knowledge",
                action="create_entity",
                type="Concept",
                name=f"concept-{number}",
                properties={"definition": f"What is meant by concept {number}, in one sentence", "domain": "security"},
            )
            assert done.ok, done.message
    assert PRINTED / 2 < (log.stat().st_size - before) / ENTITIES < PRINTED * 1.2
