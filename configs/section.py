"""The base classes of outside data and of all groups of settings."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class FrozenData(BaseModel):
    """Data from outside: frozen, with no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SettingsSection(FrozenData):
    """One group of settings."""
