"""The base class of all groups of settings."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class SettingsSection(BaseModel):
    """One group of settings; frozen, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)
