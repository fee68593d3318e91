"""The speech act of one sentence, as probabilities of a trained classifier."""

from mabos.backends.embed import Embedder
from mabos.language.classifier import classify
from mabos.language.request import SpeechAct

ACTS: tuple[SpeechAct, ...] = (
    "order", "question", "standing", "correction", "withdrawal", "report", "answer", "small_talk",
)  # fmt: skip


CLEARLY = 0.8
"""The probability from which a clause counts as a remark."""


def is_remark(clause: str, embedder: Embedder | None = None) -> bool:
    """Return whether a clause beside an order only tells how things are: it restricts nothing."""
    return classify("clauses", clause, embedder)["remark"] >= CLEARLY


def act_probabilities(sentence: str, embedder: Embedder | None = None) -> dict[SpeechAct, float]:
    """Return the probability of each act of a sentence, with the vectors of `embedder` if they are known."""
    shares = classify("acts", sentence, embedder)
    return {act: shares[act] for act in ACTS}
