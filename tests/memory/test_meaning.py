"""Recall by meaning, and what it falls back to, always saying which."""

from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from mabos.backends.embed import NoEmbedder
from mabos.backends.vectors import FlatVectors
from mabos.configs.errors import Unavailable
from mabos.configs.settings import load_settings
from mabos.memory.meaning import EMBEDDED_AT_ONCE, MeaningIndex
from mabos.memory.memory import Memory
from mabos.memory.weights import Preset, RankingWeights, ranking_weights
from tests.memory.factory import Remembering

pytest.importorskip("numpy", reason="vectors need the extra: pip install 'mabos[local]'")
TOPICS = {"money": 0, "cash": 0, "runway": 0, "dog": 1, "puppy": 1, "weather": 2, "rain": 2}


class Topical:
    """An embedder for which words of one topic mean the same."""

    fingerprint = "topical-4"
    dimensions = 4

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_broken = False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.is_broken:
            raise Unavailable("the embedder is away")
        self.asked += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0, 0.0, 0.0, 0.1]
        for word, topic in TOPICS.items():
            vector[topic] += word in text.lower()
        length = sum(value * value for value in vector) ** 0.5
        return [value / length for value in vector]


class Thinking(Remembering):
    """A memory with an embedder."""

    def __init__(self, directory: Path, preset: Preset = "fusion", weights: RankingWeights | None = None) -> None:
        super().__init__(directory)
        self.embedder = Topical()
        self.preset = preset
        self.weights = weights
        self.meaning = MeaningIndex(self.embedder, FlatVectors(directory / "vectors", Topical.fingerprint, 4))

    @property
    def memory(self) -> Memory:
        return Memory(
            "cfo",
            self.document,
            self.directory,
            self.clock,
            self.ids,
            settings=load_settings().memory,
            meaning=self.meaning,
            preset=self.preset,
            weights=self.weights,
        )


@pytest.fixture
def mind(tmp_path: Path) -> Thinking:
    return Thinking(tmp_path)


def known(mind: Thinking) -> None:
    mind.memory.store_many([{"content": text} for text in ("Our runway is short", "The puppy barks", "Rain on Monday")])


@pytest.mark.parametrize("depth", [0, 2])
def test_a_number_too_large_for_any_search_asks_for_all_there_is(mind: Thinking, depth: int) -> None:
    known(mind)
    mind.memory.embed()
    found = mind.memory.recall("cash", limit=10**30, recursive_depth=depth)
    assert [hit.content for hit in found] == [
        hit.content for hit in mind.memory.recall("cash", limit=1000, recursive_depth=depth)
    ]
    assert found[0].content == "Our runway is short"


def test_what_means_the_same_is_found_without_a_common_word(mind: Thinking) -> None:
    known(mind)
    recalled = mind.memory.recall("is there enough money?", limit=1)
    assert [hit.content for hit in recalled] == ["Our runway is short"]
    assert recalled.mode == "full"
    assert recalled[0].why["meaning"] > 0
    assert sum(recalled[0].why.values()) == pytest.approx(recalled[0].score)


def test_a_text_is_embedded_once_for_good(mind: Thinking) -> None:
    known(mind)
    mind.memory.embed()
    mind.memory.recall("money")
    again = Thinking(mind.directory)
    again.memory.recall("money")
    assert again.embedder.asked == ["money"]


def test_storing_waits_for_no_embedder_and_a_recall_for_little(mind: Thinking) -> None:
    mind.memory.store_many(
        [{"content": f"cash {number}", "store": "long_term"} for number in range(EMBEDDED_AT_ONCE + 68)]
    )
    assert mind.embedder.asked == []
    recalled = mind.memory.recall("money", limit=5)
    assert "68 texts are not embedded yet" in recalled.notice
    assert mind.memory.embed() == 68
    assert mind.memory.recall("money").notice == ""


@pytest.mark.parametrize("others", [4, 40, 80, EMBEDDED_AT_ONCE + 60])
def test_among_many_that_were_stored_at_once_the_meant_one_is_found(tmp_path: Path, others: int) -> None:
    mind = Thinking(tmp_path)
    mind.meaning = MeaningIndex(Scaled(), FlatVectors(tmp_path / "scaled", Scaled.fingerprint, 4))
    texts = [
        "Our runway is short by two weeks",
        *(f"Rain fell on the roof in week {number}" for number in range(others)),
    ]
    mind.memory.store_many([{"content": text, "store": "long_term"} for text in texts])
    assert [hit.content for hit in mind.memory.recall("is there enough money?", limit=1)] == texts[:1]


def test_words_that_a_text_has_are_found_before_it_is_embedded(mind: Thinking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mabos.memory.recall.EMBEDDED_AT_ONCE", 0)
    known(mind)
    mind.memory.embed()
    mind.memory.store_many([{"content": "The bank wants a surety for the loan"}, {"content": "The loan of a bicycle"}])
    recalled = mind.memory.recall("surety for the loan", limit=2)
    assert recalled[0].content == "The bank wants a surety for the loan"
    assert "2 texts are not embedded yet" in recalled.notice
    assert "meaning" not in recalled[0].why
    assert sum(recalled[0].why.values()) == pytest.approx(recalled[0].score)


def test_with_the_embedder_away_recall_goes_by_words_and_says_so(mind: Thinking) -> None:
    known(mind)
    mind.embedder.is_broken = True
    recalled = mind.memory.recall("runway")
    assert (recalled.mode, [hit.content for hit in recalled]) == ("text", ["Our runway is short"])
    assert "the embedder is away" in recalled.notice
    with pytest.raises(Unavailable, match="the embedder is away"):
        mind.memory.embed()


def test_an_absent_embedder_is_text_only(tmp_path: Path) -> None:
    mind = Thinking(tmp_path)
    mind.meaning = MeaningIndex(NoEmbedder(), FlatVectors(tmp_path / "vectors", "none", 4))
    known(mind)
    assert mind.memory.recall("runway").mode == "text"


def test_without_an_embedder_nothing_is_missing_and_nothing_is_noticed(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store("Our runway is short")
    recalled = mind.memory.recall("runway")
    assert (recalled.mode, recalled.notice, len(recalled)) == ("text", "", 1)


def test_where_no_word_is_found_the_letters_are_looked_for(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store("Our runway is short")
    recalled = mind.memory.recall("runw")
    assert (recalled.mode, [hit.content for hit in recalled]) == ("scan", ["Our runway is short"])


def test_a_forgotten_item_is_not_found_by_its_meaning(mind: Thinking) -> None:
    known(mind)
    assert mind.memory.recall("money", limit=1)
    mind.wait(hours=3)
    assert mind.memory.recall("money") == []


def test_classic_is_the_documents_formula(tmp_path: Path) -> None:
    mind = Thinking(tmp_path, preset="classic")
    mind.memory.store("Our runway is short", importance=0.9)
    mind.memory.store("The puppy barks", importance=1.0)
    recalled = mind.memory.recall("runway")
    assert [hit.content for hit in recalled] == ["Our runway is short"]
    assert recalled[0].why["importance"] == pytest.approx(0.3 * 0.9)
    assert 0.7 * 0.7 < recalled[0].why["similarity"] < 0.7
    assert recalled[0].score == pytest.approx(sum(recalled[0].why.values()))


def test_classic_can_prefer_the_diverse_and_the_recent(tmp_path: Path) -> None:
    shipped = ranking_weights()
    classic = shipped.classic.model_copy(update={"mmr": True, "mmr_lambda": 0.3, "temporal_decay": True})
    mind = Thinking(tmp_path, "classic", shipped.model_copy(update={"classic": classic}))
    mind.memory.store("runway cash money plan", store="long_term")
    mind.memory.store("runway cash money plans", store="long_term")
    mind.memory.store("cash", store="long_term")
    mind.wait(days=60)
    mind.memory.store("runway cash money plan of today", store="long_term")
    contents = [hit.content for hit in mind.memory.recall("runway cash money plan", limit=4)]
    assert contents[0] == "runway cash money plan of today"
    assert contents[1] == "cash"


def test_vectors_of_what_was_forgotten_hide_nothing(mind: Thinking) -> None:
    mind.memory.store_many([{"content": f"money {number}", "importance": 0.1} for number in range(150)])
    mind.memory.store("cash is king", store="long_term")
    mind.memory.embed()
    mind.wait(hours=3)
    assert [hit.content for hit in mind.memory.recall("is there enough money?")] == ["cash is king"]


def test_storing_goes_on_while_a_model_embeds(mind: Thinking) -> None:
    known(mind)
    stored: list[str] = []

    def store() -> None:
        stored.append(mind.memory.store("Cash arrives on Friday").id)

    class Slow(Topical):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if not stored:
                other = Thread(target=store)
                other.start()
                other.join(timeout=60)
            return super().embed(texts)

    mind.meaning = MeaningIndex(Slow(), FlatVectors(mind.directory / "vectors", Topical.fingerprint, 4))
    assert mind.memory.embed() == 4
    assert len(stored) == 1


def test_everything_can_be_embedded_anew(mind: Thinking) -> None:
    known(mind)
    mind.memory.recall("money")
    rows = mind.directory / "vectors" / Topical.fingerprint / "vectors.f32"
    size = rows.stat().st_size
    rows.write_bytes(rows.read_bytes()[::-1])
    assert mind.memory.rebuild() == 3
    assert rows.stat().st_size == size
    assert mind.memory.recall("is there enough money?", limit=1)[0].content == "Our runway is short"


def test_with_the_embedder_away_no_vector_is_forgotten(mind: Thinking) -> None:
    known(mind)
    mind.memory.embed()
    mind.embedder.is_broken = True
    with pytest.raises(Unavailable, match="the embedder is away"):
        mind.memory.rebuild()
    mind.embedder.is_broken = False
    assert mind.memory.embed() == 0


def test_the_search_says_in_words_how_it_was_done(mind: Thinking) -> None:
    known(mind)
    assert mind.memory.recall("money").how == "by words and meaning"
    mind.embedder.is_broken = True
    assert mind.memory.recall("barks").how == "by words; the embedder is away"


def test_the_defaults_of_the_documents_are_those_of_the_preset() -> None:
    classic = ranking_weights().classic
    assert (classic.max_results, classic.min_score, classic.candidate_multiplier) == (6, 0.35, 4)
    assert (classic.vector_weight, classic.text_weight) == (0.7, 0.3)
    assert (classic.mmr, classic.mmr_lambda) == (False, 0.7)
    assert (classic.temporal_decay, classic.half_life_days) == (False, 30)


class Scaled(Topical):
    """An embedder whose similarities have a known scale."""

    fingerprint = "minilm-of-topics"


def test_what_nothing_answers_finds_nothing_and_a_word_that_is_held_always_does(tmp_path: Path) -> None:
    mind = Thinking(tmp_path)
    mind.meaning = MeaningIndex(Scaled(), FlatVectors(tmp_path / "scaled", Scaled.fingerprint, 4))
    mind.memory.store_many([{"content": "Our runway is short"}, {"content": "The puppy sleeps"}])
    hits = mind.memory.recall("how much cash is left?")
    assert (hits.mode, hits[0].content) == ("full", "Our runway is short")
    assert (hits[0].relevance or 0) >= 1 > (hits[-1].relevance or 0)
    assert mind.memory.recall("xylophone quantum") == mind.memory.recall("xylophone", recursive_depth=3) == []
    assert [hit.content for hit in mind.memory.recall("sleeps", limit=1)] == ["The puppy sleeps"]
    assert Thinking(tmp_path).memory.recall("xylophone quantum")  # the scale of this one is not known
