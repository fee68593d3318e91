"""Memory beside the text index of the workspace."""

from pathlib import Path

from mabos.memory.shelf import rows
from tests.memory.factory import Remembering


def test_rows_carry_what_is_searched(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    item = mind.memory.store("Runway is nine months", tags=["runway"], store="long_term")
    row = rows("cfo")("long_term", item.id, mind.document.read()["long_term"][item.id])
    assert row is not None
    assert (row.kind, row.id, row.agent, row.text, row.tags) == ("memory", item.id, "cfo", item.content, ("runway",))
