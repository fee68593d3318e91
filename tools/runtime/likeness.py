"""Similarity of named things to a question, by the meaning of their phrases.

Phrases of plans and tools are embedded once per workspace and cached with its derived data.
"""

from collections.abc import Mapping, Sequence

from mabos.backends.choice import vectors
from mabos.backends.vectors import key_of
from mabos.tools.runtime.services import Services


def likeness(
    services: Services, store: str, phrases: Mapping[str, Sequence[str]], asked: Sequence[str]
) -> dict[str, float] | None:
    """Return the similarity of each thing's nearest phrase to the nearest question; None without an embedder.

    `store` names the folder of the vectors. Raises a `MabosError` if the embedder or the store does not answer.
    """
    kept = vectors(services.embedder, services.layout.internal / "vectors" / store)
    if kept is None or not any(one.strip() for one in asked):
        return None
    try:
        keys = {key_of(said): said for every in phrases.values() for said in every}
        missing = kept.missing(list(keys))
        found = services.embedder.embed([*asked, *(keys[key] for key in missing)])
        if found is None:
            return None
        kept.add(dict(zip(missing, found[len(asked) :], strict=True)))
        near = [kept.similarities(one, list(keys)) for one in found[: len(asked)]]
    finally:
        kept.close()
    return {
        name: max((each.get(key_of(said), 0.0) for each in near for said in every), default=0.0)
        for name, every in phrases.items()
    }
