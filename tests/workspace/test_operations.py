import sys
from types import FrameType
from typing import Any

from mabos.workspace.operations import Arrange, Collections, LiveCollection, apply


def test_whoever_goes_through_a_collection_while_it_is_arranged_finds_every_record() -> None:
    collections: Collections = {"Desires.md": LiveCollection(a=1, b=2, c=3)}
    seen: set[tuple[str, ...]] = set()

    def look(_frame: FrameType, _event: str, _argument: Any) -> Any:
        seen.add(tuple(collections["Desires.md"]))
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        apply(collections, [Arrange("Desires.md", ("c", "b"))])
    finally:
        sys.settrace(before)
    assert seen == {("a", "b", "c"), ("c", "b", "a")}
