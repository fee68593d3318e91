"""Marketing: the publications and the advertising of the business (TOOLS.md, Marketing)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from mabos.backends.chat import NOT_ASKED
from mabos.configs.errors import InvalidArgument
from mabos.society.campaigns import ALL_SEGMENTS, Campaign, Channel, apply_action, commitment
from mabos.society.content import (
    CONTENT_COST_USD,
    Article,
    ContentType,
    draft,
    file_stem,
    headline,
    outline,
    page,
    render_article,
)
from mabos.society.drafting import draft_body
from mabos.society.pricing import Price
from mabos.tools.catalogue.declaration import Arguments, Count, Money, Text, Tool
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.currencies import money
from mabos.workspace.records import as_json

Line = Annotated[str, Field(max_length=300)]
EVERY = "all"
_ENDED = ("stopped", "completed")
"""The id by which every campaign is meant that has not ended."""


def content_generate(
    agent: Agent,
    *,
    type: ContentType,  # noqa: A002  # the argument's published name
    title: Line = "",
    topic: Line = "",
    tier: Line = "",
    format: Literal["markdown", "html"] = "markdown",  # noqa: A002  # likewise
    body: Annotated[str, Field(max_length=20_000)] = "",
    business_id: str = "",
) -> dict[str, Any]:
    """Write a piece of content as a Markdown file, or a page of the site, and enter it in the register.

    A chat model writes it from what is known of the business, and it is published. Where the owner is asked, it is
    written first and shown whole. Without a model it is a draft with the blanks that a person fills; a draft costs
    nothing and is not published.

    Args:
        type: What kind of piece it is.
        title: Its headline; if left out, made of the topic or the tier and the kind.
        topic: What it is about; the headline if left out.
        tier: For whom: a plan or a customer segment.
        format: Whether it is a Markdown file in content, or an HTML page in site.
        body: Its text, published to the letter: paragraphs, and headings that begin with `## `.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    title = headline(type, title, topic or tier)
    article_id = agent.ids.new("PIECE")
    is_draft = only_drafts(agent, {"body": body})
    folder, ending = ("site", "html") if format == "html" else ("content", "md")
    folder = "drafts" if is_draft else folder
    path = f"{folder}/{file_stem(title)}-{article_id.rpartition('-')[2]}.{ending}"
    article = Article(
        id=article_id, type=type, title=title, path=path, topic=topic, tier=tier, created_at=iso(agent.clock()),
        created_by=agent.id,
    )  # fmt: skip
    if is_draft:
        body, blanks = draft(article, business=business.manifest.name)
        article = replace(article, status="draft", blanks=blanks)
    elif body:
        name = agent.id if agent.services.model.name in NOT_ASKED else agent.services.model.name
        article = replace(article, written_by="person" if agent.caller.kind == "person" else name)
    else:
        body, author = _write_body(agent, business, article)
        article = replace(article, written_by=author)
    article = replace(article, words=len(body.split()))
    target = business.directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    text = page(article, body, business=business.manifest.name) if format == "html" else render_article(article, body)
    write_atomic(target, text, durable=agent.services.sync.durable)
    business.content.save(article)
    cost = 0.0 if is_draft else CONTENT_COST_USD
    return {"article_id": article.id, **as_json(article), "cost_usd": cost, "text": _describe_article(article)}


def ad_campaign_create(
    agent: Agent,
    *,
    name: Text,
    channel: Channel,
    segment: Text,
    weekly_budget_usd: Money,
    weeks: Count,
    business_id: str = "",
) -> dict[str, Any]:
    """Record an advertising campaign; it commits weekly budget x weeks, and that sum is what governance looks at.

    It is `recorded` until its platform reports that it runs; no platform is connected here. A simulated market runs it.

    Args:
        name: What people call the campaign.
        channel: Where it is shown.
        segment: Which customers it addresses, as smb, mid or ent; `all` addresses everybody, at a lower effect.
        weekly_budget_usd: Dollars a week.
        weeks: For how many weeks.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    campaign = Campaign(
        id=agent.ids.new("CMP"), name=name, channel=channel, segment=segment.strip().lower(),
        weekly_budget_usd=weekly_budget_usd, weeks=weeks,
        status="running" if agent.services.is_simulated else "recorded", created_at=iso(agent.clock()),
        created_by=agent.id,
    )  # fmt: skip
    business.campaigns.save(campaign)
    return _serialize_campaign(campaign)


def ad_campaign_manage(
    agent: Agent,
    *,
    campaign_id: Text,
    action: Literal["pause", "resume", "stop", "set_budget"],
    weekly_budget_usd: Money | None = None,
    business_id: str = "",
) -> dict[str, Any]:
    """Pause, resume or stop a campaign, or change its weekly budget.

    Args:
        campaign_id: Which campaign, or `all` that are booked.
        action: What to do; a pause keeps the weeks that are left.
        weekly_budget_usd: The new dollars a week, with `set_budget`.
        business_id: The business; the agent's own if left out.
    """
    campaigns, at = business_of(agent, business_id).campaigns, iso(agent.clock())

    def change(campaign: Campaign) -> Campaign:
        return apply_action(campaign, action, at=at, by=agent.id, weekly_budget_usd=weekly_budget_usd)

    if campaign_id.casefold() != EVERY:
        return _serialize_campaign(campaigns.change(campaign_id, change))
    if action == "set_budget":
        raise InvalidArgument("name the campaign whose budget to set", argument="campaign_id")
    meant = [one.id for one in campaigns.all() if one.status not in _ENDED]
    changed = [campaigns.change(one, change) for one in meant]
    listed = "; ".join(f"{one.name} ({one.id}) is {one.status}" for one in changed)
    return {"count": len(changed), "campaigns": meant, "text": listed or "No campaign is booked."}


def only_drafts(agent: Agent, arguments: Arguments) -> bool:
    """Return whether content is only a draft: still unwritten, and not read by a simulated market."""
    return not arguments["body"] and agent.services.model.name in NOT_ASKED and not agent.services.is_simulated


def _compose_body(agent: Agent, arguments: Arguments) -> str:
    """Return the text of a piece, before anybody is asked whether to publish it."""
    kind, topic, tier = (arguments[name] for name in ("type", "topic", "tier"))
    title = headline(kind, arguments["title"], topic or tier)
    article = Article(id="", type=kind, title=title, path="", topic=topic, tier=tier)
    return _write_body(agent, business_of(agent, arguments["business_id"]), article)[0]


def _write_body(agent: Agent, business: Business, article: Article) -> tuple[str, str]:
    """Return the body of a piece as a model writes it, or as a template has it, and which of them wrote it."""
    template = outline(article, business=business.manifest.name)
    written = draft_body(agent.services.model, article, template, _list_business_facts(business))
    return (written, agent.services.model.name) if written else (template, article.written_by)


def _describe_article(article: Article) -> str:
    if article.status == "draft":
        return f"Draft {article.id} in {article.path}; a person is to write: {'; '.join(article.blanks)}"
    return f"{article.title} is published in {article.path} ({article.id})"


def _list_business_facts(business: Business) -> Iterator[str]:
    """Yield the facts that a model may tell of a business: its own description, and its products with prices."""
    said = business.manifest
    yield f"Business: {said.name}{f': {said.description}' if said.description else ''}"
    yield from (f"It offers: {one}" for one in said.value_propositions)
    yield from (f"Its customers: {one}" for one in said.customer_segments)
    prices = sorted((one for one in business.pricing.prices.all() if one.active), key=lambda one: one.unit_amount)
    for product in business.pricing.products.all():
        if product.active:
            asked = "; ".join(_price(one) for one in prices if one.product == product.id)
            said_of_it = f", {product.description}" if product.description else ""
            yield f"Product: {product.name}{said_of_it}{f' ({asked})' if asked else ''}"


def _price(price: Price) -> str:
    each = f" a {price.interval}" if price.interval else ""
    whom = "" if price.segment == ALL_SEGMENTS else f" for {price.segment}"
    return f"{price.unit_amount / 100:,.2f} {price.currency.upper()}{each}{whom}"


def _describe_publication(agent: Agent, arguments: Arguments) -> str:
    business = business_of(agent, arguments["business_id"])
    kind = arguments["type"].replace("_", " ")
    title = headline(arguments["type"], arguments["title"], arguments["topic"] or arguments["tier"])
    does = "Draft" if only_drafts(agent, arguments) else "Publish"
    return f"{does} the {kind} {title!r} of {business.manifest.name}"


def _describe_campaign_start(agent: Agent, arguments: Arguments) -> str:
    business_of(agent, arguments["business_id"])
    weekly, does = money(arguments["weekly_budget_usd"]), "Start" if agent.services.is_simulated else "Record"
    return (
        f"{does} the campaign {arguments['name']!r} on {arguments['channel']} for {arguments['segment']}: "
        f"{weekly} a week for {arguments['weeks']} {'week' if arguments['weeks'] == 1 else 'weeks'}"
    )


def _describe_campaign_change(agent: Agent, arguments: Arguments) -> str:
    campaigns = business_of(agent, arguments["business_id"]).campaigns
    action, budget = arguments["action"], arguments["weekly_budget_usd"]
    if arguments["campaign_id"].casefold() == EVERY:
        number = sum(one.status not in _ENDED for one in campaigns.all())
        return f"{action.capitalize()} every campaign that has not ended ({number or 'none'} now)"
    campaign = campaigns.one(arguments["campaign_id"])
    after = apply_action(campaign, action, at=iso(agent.clock()), by=agent.id, weekly_budget_usd=budget)
    if action != "set_budget":
        return f"{action.capitalize()} the campaign {campaign.name!r}"
    before, wanted = money(campaign.weekly_budget_usd), money(after.weekly_budget_usd)
    return f"Change the weekly budget of the campaign {campaign.name!r} from {before} to {wanted}"


def _serialize_campaign(campaign: Campaign) -> dict[str, Any]:
    says = (
        "; no ad platform is connected, so nobody has confirmed that it runs" if campaign.status == "recorded" else ""
    )
    told = f"Campaign {campaign.name} is {campaign.status} ({campaign.id}){says}"
    return {"campaign_id": campaign.id, **as_json(campaign), "committed_usd": campaign.committed_usd, "text": told}


def _content_cost(_: Arguments) -> float:
    """The fixed cost of one piece."""
    return CONTENT_COST_USD


def _campaign_cost(arguments: Arguments) -> float:
    """weekly_budget_usd x weeks."""
    return commitment(float(arguments["weekly_budget_usd"]), int(arguments["weeks"]))


def _budget_change_cost(arguments: Arguments) -> float:
    """weekly_budget_usd x the weeks that are left, at most 13, where the budget is set."""
    if arguments.get("action") != "set_budget":
        return 0.0
    return commitment(float(arguments.get("weekly_budget_usd") or 0.0), _QUARTER)


def _remaining_commitment(agent: Agent, arguments: Arguments) -> float:
    """Return what a new budget commits on record: the campaign may have fewer weeks left than a quarter."""
    campaign = business_of(agent, arguments["business_id"]).campaigns.find(arguments["campaign_id"])
    left = max(0, campaign.weeks - campaign.weeks_run) if campaign is not None else _QUARTER
    return commitment(float(arguments["weekly_budget_usd"]), left)


_QUARTER = 13

TOOLS = [
    Tool.of(
        content_generate, module="Marketing", writes=True, category="content", cost=_content_cost, external=True,
        drafts=only_drafts, composes=_compose_body, about=_describe_publication,
    ),
    Tool.of(
        ad_campaign_create, module="Marketing", writes=True, category="marketing_spend", cost=_campaign_cost,
        counterparty="channel", external=True, about=_describe_campaign_start, skills={"marketing": "competent"},
    ),
    Tool.of(
        ad_campaign_manage, module="Marketing", writes=True, category="marketing_spend", cost=_budget_change_cost,
        commits=_remaining_commitment, counterparty="campaign_id", external=True, about=_describe_campaign_change,
        skills={"marketing": "novice"},
    ),
]  # fmt: skip
