"""Embeddings from any endpoint that speaks OpenAI's protocol: OpenAI, Ollama, vLLM, LM Studio, llama.cpp."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, Protocol

from mabos.backends.chat import NotAsked, Usage, estimate_tokens
from mabos.backends.endpoint import NO_KEY, ModelPlace, Reach, errors, http_client, timeout
from mabos.backends.metering import (
    NOTHING,
    Meter,
    MeteredCall,
    ModelPrice,
    PriceUnknown,
    Spent,
    Terms,
    listener,
    money_limit,
    reserve_allowances,
)
from mabos.backends.one_address import public
from mabos.configs.errors import Unavailable
from mabos.configs.models import EmbeddingProfile

if TYPE_CHECKING:
    import openai

TAG = "embed"
LONGEST = 8_000
"""Characters of a text that are embedded: about the two thousand tokens that small models still read."""
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Embedded:
    """An endpoint's vectors for some texts, in order; 0 tokens if it does not count them."""

    vectors: Sequence[Sequence[float]]
    tokens: int = 0


class Vectorial(Protocol):
    """A source of vectors for texts, of any length."""

    def vectors(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of `texts`; raises `Unavailable` on failure."""


class VectorEndpoint:
    """An embedding endpoint; its client is imported and opened at the first call."""

    def __init__(self, profile: EmbeddingProfile, api_key: str = "") -> None:
        self.profile = profile
        self._api_key = api_key
        self._reach = Reach(ModelPlace.of(profile, api_key))

    def vectors(self, texts: Sequence[str]) -> Embedded:
        """Return the endpoint's vectors; raises `Unavailable` with the reason and the remedy."""
        self._reach.check()
        try:
            # Not every endpoint can pack floats into base64, which the client asks for by itself.
            answer = self._client.embeddings.create(
                model=self.profile.model, input=list(texts), encoding_format="float"
            )
            # The client takes what was sent for what its types promise: a number may still be anything.
            found = [list(map(float, one.embedding)) for one in sorted(answer.data, key=lambda one: one.index)]
            tokens = int(answer.usage.prompt_tokens or 0) if answer.usage else 0
        except errors() as error:
            raise self._reach.failed(error) from error
        return Embedded(found, max(0, tokens))

    @cached_property
    def _client(self) -> "openai.OpenAI":
        import openai

        return openai.OpenAI(
            api_key=self._api_key or NO_KEY,
            base_url=self.profile.base_url,
            timeout=timeout(self.profile),
            max_retries=self.profile.max_retries,
            http_client=http_client(self.profile),
        )


class EndpointEmbedder:
    """An embedder that calls `source` for vectors of length 1; the cost is reserved, counted and reported."""

    def __init__(
        self,
        profile: EmbeddingProfile,
        source: Vectorial,
        meter: Meter | None = None,
        *,
        terms: Callable[[], Terms] | None = None,
    ) -> None:
        self.profile = profile
        self.dimensions = profile.dimensions
        self._source = source
        self._meter = meter or Meter()
        own = Terms(ModelPrice(profile.input_usd or 0.0), is_priced=profile.input_usd is not None)
        self._terms = terms or (lambda: own)

    @property
    def terms(self) -> Terms:
        """The price of the model."""
        return self._terms()

    @property
    def fingerprint(self) -> str:
        """Endpoint, model and length in one name, since the same model elsewhere may have other weights."""
        one = self.profile
        place = sha256(f"{one.base_url}\n{one.model}".encode()).hexdigest()[:8]
        return f"openai-{re.sub('[^A-Za-z0-9]+', '-', one.model)[-24:].strip('-')}-{place}-{one.dimensions}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text; raises `Unavailable` with the reason and the remedy."""
        return [
            vector for start in range(0, len(texts), _BATCH) for vector in self._batch(texts[start : start + _BATCH])
        ]

    def _batch(self, texts: Sequence[str]) -> list[list[float]]:
        asked, terms = [text[:LONGEST] or " " for text in texts], self._terms()
        if not terms.is_priced and (scope := money_limit(self._meter)):
            raise PriceUnknown(self.profile.model, scope)
        most = terms.price.of(Usage(sum(map(len, asked))))  # no token is shorter than a character
        settle, began = reserve_allowances(Spent(model_usd=most.usd), self._meter), time.monotonic()
        try:
            found = self._source.vectors(asked)
        except NotAsked:
            settle(NOTHING)
            raise
        except Unavailable as error:
            settle(Spent(model_usd=most.usd, model_seconds=getattr(error, "seconds", time.monotonic() - began)))
            self._tell(Usage(), error.message)
            raise
        usage = terms.price.of(Usage(found.tokens or estimate_tokens(sum(map(len, asked)))))
        settle(Spent(model_usd=usage.usd))
        self._tell(usage)
        return list(self._check_vectors(found.vectors, len(texts)))

    def _tell(self, usage: Usage, error: str = "") -> None:
        if (listening := listener()) is not None:
            listening(MeteredCall(TAG, self.profile.model, usage, error))

    def _check_vectors(self, vectors: Sequence[Sequence[float]], wanted: int) -> Iterator[list[float]]:
        one = self.profile
        where = f"model {one.model!r} at {public(one.base_url)}"
        if len(vectors) != wanted:
            raise Unavailable(f"{where} gave {len(vectors)} vectors for {wanted} texts; is it an embedding model?")
        for vector in vectors:
            if len(vector) != one.dimensions:
                message = f"{where} gives vectors of {len(vector)} numbers; set models.embedding.dimensions to that"
                raise Unavailable(message)
            length = sum(value * value for value in vector) ** 0.5
            if not 0 < length < inf:
                raise Unavailable(f"{where} gave a zero vector; is it an embedding model?")
            yield [value / length for value in vector]
