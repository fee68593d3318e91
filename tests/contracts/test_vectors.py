"""What every store of vectors promises, whoever keeps them."""

from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.cached import CachedVectors
from mabos.backends.chroma import ChromaVectors
from mabos.backends.vectors import FlatVectors, Vectors, key_of
from tests.contracts.chroma_server import served

pytest.importorskip("numpy", reason="vectors need the extra: pip install 'mabos[local]'")
MODEL = "test-model-4"
Opener = Callable[[], Vectors]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Chroma server of this worker."""
    with served(tmp_path_factory.mktemp("chroma")) as address:
        yield address


@pytest.fixture(params=["files", "chroma", "cached", "server"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """A way to open the same folder again."""
    if request.param != "files":
        pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    opened: list[Vectors] = []
    folder = tmp_path / "vectors"
    address = request.getfixturevalue("server") if request.param == "server" else ""
    makers: dict[str, Opener] = {
        "files": lambda: FlatVectors(folder, MODEL, 4),
        "chroma": lambda: ChromaVectors(folder, MODEL, 4),
        "cached": lambda: CachedVectors(FlatVectors(folder, MODEL, 4), ChromaVectors(folder, MODEL, 4)),
        "server": lambda: ChromaVectors(folder, MODEL, 4, endpoint=address),
    }

    def open_once() -> Vectors:
        for one in opened:
            one.close()
        opened.append(makers[request.param]())
        return opened[-1]

    yield open_once
    for one in opened:
        one.close()


def unit(*values: float) -> list[float]:
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values]


A, B, C = key_of("a"), key_of("b"), key_of("c")
EAST, NORTH, NORTH_EAST = unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(1, 1, 0, 0)


def test_an_empty_store_finds_nothing_and_creates_nothing(opener: Opener, tmp_path: Path) -> None:
    vectors = opener()
    assert (vectors.count(), vectors.nearest(EAST, 5), vectors.similarities(EAST, [A])) == (0, [], {})
    assert vectors.missing([A, B, A]) == [A, B]


def test_the_nearest_come_first_with_their_cosine(opener: Opener) -> None:
    vectors = opener()
    vectors.add({A: NORTH, B: EAST, C: NORTH_EAST})
    near = vectors.nearest(EAST, 2)
    assert [one.key for one in near] == [B, C]
    assert [one.similarity for one in near] == pytest.approx([1, sqrt(0.5)], abs=1e-6)
    assert vectors.similarities(EAST, [A, C, key_of("none")]) == pytest.approx({A: 0, C: sqrt(0.5)}, abs=1e-6)
    assert len(vectors.nearest(EAST, 99)) == 3
    assert vectors.nearest(EAST, 0) == []


def test_what_was_added_is_found_at_once_and_after_opening_again(opener: Opener) -> None:
    vectors = opener()
    vectors.add({A: NORTH})
    assert vectors.nearest(NORTH, 1)[0].key == A
    vectors.add({B: EAST})
    assert vectors.nearest(EAST, 1)[0].key == B
    again = opener()
    assert again.count() == 2
    assert again.missing([A, B, C]) == [C]
    assert again.nearest(EAST, 1)[0].key == B


def test_adding_twice_changes_nothing(opener: Opener) -> None:
    vectors = opener()
    vectors.add({A: NORTH})
    vectors.add({A: NORTH, B: EAST})
    assert vectors.count() == 2


def test_what_was_cleared_is_gone_for_good_and_can_be_added_again(opener: Opener) -> None:
    vectors = opener()
    vectors.clear()
    vectors.add({A: NORTH, B: EAST})
    vectors.clear()
    assert (vectors.count(), vectors.nearest(EAST, 2), vectors.missing([A])) == (0, [], [A])
    vectors.add({B: NORTH})
    assert [near.key for near in opener().nearest(NORTH, 2)] == [B]


def test_nothing_is_out_of_reach(opener: Opener) -> None:
    vectors = opener()
    vectors.add({A: NORTH})
    assert vectors.nearest(NORTH, 1)
    assert vectors.notice == ""


def test_another_model_meets_none_of_the_vectors(tmp_path: Path) -> None:
    one = FlatVectors(tmp_path, MODEL, 4)
    one.add({A: NORTH})
    other = FlatVectors(tmp_path, "other-model-4", 4)
    assert other.count() == 0
    assert one.count() == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-1, 1).filter(lambda x: abs(x) > 0.01)] * 4), min_size=1, max_size=30))
def test_flat_search_is_the_plain_sort_by_cosine(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, ...]]
) -> None:
    vectors = FlatVectors(tmp_path_factory.mktemp("flat"), MODEL, 4)
    given_ = {key_of(str(number)): unit(*row) for number, row in enumerate(rows)}
    vectors.add(given_)
    cosines = vectors.similarities(EAST, list(given_))
    near = vectors.nearest(EAST, 5)
    best = sorted(cosines.values(), reverse=True)[:5]
    assert [one.similarity for one in near] == pytest.approx(best)
