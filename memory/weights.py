"""The weights of recall's signals: `configs/ranking.yaml` as one frozen object."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from mabos.configs.section import FrozenData
from mabos.configs.yaml_file import read_yaml, validate_content

Preset = Literal["fusion", "classic"]
Weight = Annotated[float, Field(ge=0, le=10)]
FILE = Path(__file__).parents[1] / "configs" / "ranking.yaml"


class DepthWeights(FrozenData):
    """Weights for following links."""

    seeds: int = Field(ge=1)
    step: float = Field(ge=0, le=1)
    bonus: float = Field(ge=0, le=1)
    kept: float = Field(ge=0, le=1)


class DoubtWeights(FrozenData):
    """Weights that raise the `signals` not based on words if even the best word match is weak."""

    signals: tuple[str, ...]
    fair_match: float = Field(gt=0)
    most: float = Field(ge=1)

    def factor(self, best_match: float) -> float:
        """Return the multiplier of these signals, 1 if `best_match` is good enough."""
        return min(self.most, max(1.0, self.fair_match / best_match)) if best_match else 1.0


class RelevanceWeights(FrozenData):
    """The minimum relevance of the best hit; below it a recall finds nothing."""

    share: float = Field(ge=0, le=1)
    least: float = Field(gt=0, le=1)
    least_share: float = Field(gt=0, le=1)
    certain_share: float = Field(gt=0, le=1)


class ClassicWeights(FrozenData):
    """The documents' own ranking (S0 section 11, S1 section 12)."""

    vector_weight: Weight
    text_weight: Weight
    similarity_weight: Weight
    importance_weight: Weight
    min_score: float = Field(ge=0, le=1)
    max_results: int = Field(ge=1)
    candidate_multiplier: int = Field(ge=1)
    mmr: bool
    mmr_lambda: float = Field(ge=0, le=1)
    temporal_decay: bool
    half_life_days: float = Field(gt=0)


class RankingWeights(FrozenData):
    """All weights that affect the order of recalled texts."""

    signals: Mapping[str, Weight]
    doubt: DoubtWeights
    relevance: RelevanceWeights
    depth: DepthWeights
    names: Mapping[str, str]
    classic: ClassicWeights


@cache
def ranking_weights(*, mmr: bool = False, temporal_decay: bool = False) -> RankingWeights:
    """Return the default weights, with the requested options of `classic` enabled."""
    shipped = validate_content(RankingWeights, read_yaml(FILE), str(FILE))
    chosen = {"mmr": mmr or shipped.classic.mmr, "temporal_decay": temporal_decay or shipped.classic.temporal_decay}
    return shipped.model_copy(update={"classic": shipped.classic.model_copy(update=chosen)})
