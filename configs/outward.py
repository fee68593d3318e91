"""Settings of outward traffic: notices to the company's people, letters to customers, deals, and prices."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.section import Count, SettingsSection, Share


class NotifySettings(SettingsSection):
    """Delivery of messages to people: an SMTP server and a Slack webhook, or outbox folders.

    Files hold only the names of the variables with the secrets.
    """

    smtp_host: str
    smtp_port: Annotated[int, Field(ge=1, le=65535)]
    smtp_security: Literal["none", "starttls", "tls"]
    smtp_user: str
    smtp_password_env: str
    slack_webhook_env: str
    sender: Annotated[str, Field(min_length=1)]
    timeout_s: float = Field(gt=0)
    retry_minutes: float = Field(gt=0)
    retry_hours_most: float = Field(gt=0)


class MailSettings(SettingsSection):
    """Letters to customers through the server of `notify`, and the mailbox and folder that documents come from."""

    sender: str
    unsubscribe_url: str
    letters_an_hour: Count
    business: str
    imap_host: str
    imap_port: Annotated[int, Field(ge=1, le=65535)]
    imap_security: Literal["none", "starttls", "tls"]
    imap_user: str
    imap_password_env: str
    imap_folder: Annotated[str, Field(min_length=1)]
    imap_days: Count
    watch_folder: str


class CrmSettings(SettingsSection):
    """The stages of a deal with their chances, and the weights of a lead's score."""

    stages: Mapping[str, Share]
    weights: Mapping[Literal["fit", "engagement", "recency"], Share]
    points: Mapping[str, float]
    engagement_half_points: float = Field(gt=0)
    recency_half_life_days: float = Field(gt=0)
    buyer_titles: tuple[str, ...]

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if [name for name, chance in self.stages.items() if chance in (0, 1)] != ["won", "lost"]:
            raise ValueError("stages must end with won (1) and lost (0); every other needs a chance between 0 and 1")
        if not sum(self.weights.values()):
            raise ValueError("weights are all 0; set fit, engagement or recency above 0")
        return self


class StripeSettings(SettingsSection):
    """The store of products and prices: a server with Stripe's API, or the business's own files."""

    api_base: str
    timeout_s: float = Field(gt=0)
