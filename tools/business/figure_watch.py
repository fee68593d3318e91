"""The watcher of a figure: the agent whose role names it, else the one whose work it is, else the chief.

assign(agent, "no_show_rate", "< 6%", because="inbox/note.md")    # the COO's, on record in figures.json
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fnmatch import fnmatchcase

from mabos.configs.errors import MabosError
from mabos.configs.yaml_file import read_yaml, validate_content
from mabos.language.request import Claim
from mabos.language.wordlists import order_form
from mabos.mind.conditions import fault
from mabos.society.business import read_agent
from mabos.society.describing_figures import DescribedFigure, figures_in, names_of
from mabos.society.figures import BusinessFigure, FigureDirection, WatchedFigure, likely_owner
from mabos.society.findings import DocumentStatement, Findings
from mabos.society.quantities import PERCENT, SHARES, plain, spellings_of
from mabos.society.templates import BusinessTemplate, template_named
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.text import slug

CHIEF = "ceo"
PACK_FILE = "pack.yaml"
"""The pack of a business, as it was read; copied into `templates/` it founds others of its kind."""
_SERIES = "metrics/"
"""The prefix of the record of a claim about a series."""
_WISH = order_form("answers_figure_watch.wish")
"""A question that asks how to get somewhere, and so says where the owner wants to be."""
_ALIKE = 0.3
"""The least similarity of a figure and a responsibility for the one to be part of the other."""


def assign(
    agent: Agent, name: str, target: str = "", *, because: str, direction: FigureDirection = "", title: str = ""
) -> WatchedFigure | None:
    """Record the watcher of a figure, and return the record; None if a role watches it and nothing has changed.

    A later target replaces an earlier one. Without a target, a figure that is already watched is unchanged.
    """
    business = agent.business
    known = business.figures.find(name)
    watcher = watcher_of(agent, name)
    if (known is None and watcher and not target) or (known is not None and target in ("", known.target)):
        return None
    if (known is not None and because in known.sources) or (target and fault(f"{name} {target}")):
        return None
    point = business.metrics.latest(name)
    sources, called = (known.sources, known.title) if known is not None else ((), "")
    owner = known.owner if known is not None else watcher or owner_by_work(agent, f"{name} {title}")
    watched = WatchedFigure(
        id=name, owner=owner, because=because, target=target, direction=direction, title=title or called,
        unit=point.unit if point is not None else "", created_at=iso(agent.clock()), sources=(*sources, because),
    )  # fmt: skip
    business.figures.save(watched)
    return watched


def watch_asked(agent: Agent, sentence: str, claims: Iterable[Claim]) -> None:
    """Record the watchers of the figures that the owner asked about, with a target if the question has one."""
    names = set(agent.business.metrics.names())
    asked = [one.record.removeprefix(_SERIES).partition("@")[0] for one in claims]
    targets = {one.name: one.target for one in targets_in(agent, sentence)} if _WISH.search(sentence) else {}
    for name in dict.fromkeys(one for one in (*asked, *targets) if one in names):
        assign(agent, name, targets.get(name, ""), because=f"asked: {sentence}", title=title_in(agent, name, sentence))


def watcher_of(agent: Agent, name: str) -> str:
    """Return the agent whose role watches a figure, the chief last; an empty text if no role does."""
    seats = agent.business.manifest.agents
    order = sorted(seats, key=lambda role: role == CHIEF)
    layout = agent.services.layout
    return next(
        (seats[one] for one in order if any(fnmatchcase(name, it) for it in read_agent(layout, seats[one]).watches)), ""
    )


def owner_by_work(agent: Agent, words: str) -> str:
    """Return the agent whose responsibilities mention a figure: by words, else by meaning, else the chief."""
    seats = agent.business.manifest.agents
    duties: dict[str, tuple[str, ...]] = {}
    for holder in seats.values():
        persona = agent.services.agent(holder).mind.persona
        duties[holder] = (persona.title, persona.department, *persona.responsibilities, *persona.expertise)
    chief = seats.get(CHIEF) or next(iter(seats.values()))
    return likely_owner(words, duties) or _by_meaning(agent, words.replace("_", " "), duties) or chief


def _by_meaning(agent: Agent, words: str, duties: Mapping[str, tuple[str, ...]]) -> str:
    """Return the agent with the responsibility most alike in meaning, or an empty text without an embedder."""
    listed = [(holder, said) for holder, every in duties.items() for said in every]
    try:
        found = agent.services.embedder.embed([words, *(said for _, said in listed)])
    except MabosError:
        return ""
    if not found:
        return ""
    asked, others = found[0], found[1:]
    likeness = [(sum(a * b for a, b in zip(asked, one, strict=True)), -at) for at, one in enumerate(others)]
    best, at = max(likeness, default=(0.0, 0))
    return listed[-at][0] if best >= _ALIKE else ""


def series_words(agent: Agent) -> Mapping[str, str]:
    """Return the name of each recorded series by its common spellings."""
    names = agent.business.metrics.names()
    spelled = {spelling.casefold(): name for name in names for spelling in spellings_of(name)}
    spelled |= {said: name for said, name in names_of(pack_of(agent)).items() if name in names}
    titles = {one.title.casefold(): one.id for one in agent.business.figures.all() if one.title}
    return {**spelled, **titles, **{variant: name for name in names for variant in _variants(name)}}


def pack_of(agent: Agent) -> BusinessTemplate:
    """Return the pack of an agent's business: its own, else that of its kind, else the general one."""
    own = agent.business.directory / PACK_FILE
    try:
        if own.exists():
            return validate_content(BusinessTemplate, read_yaml(own), own.name)
        return template_named(agent.business.manifest.template, agent.services.layout.root)
    except MabosError:  # a kind of its own, or a pack that was edited into something else
        return template_named("general")


def name_by_pack(pack: BusinessTemplate, findings: Findings) -> Findings:
    """Return observations renamed by the pack: a column Food cost in percent, and no other, is food_cost_rate."""
    subjects = {one.subject for one in findings.observations}
    figures, meant = {one.name: one for one in pack.figures}, dict[str, str]()
    for spelling, name in names_of(pack).items():
        if (said := slug(spelling, "_")) in subjects and name not in subjects | set(meant.values()):
            meant[said] = name
    return replace(
        findings, observations=tuple(_name_observation(one, figures, meant) for one in findings.observations)
    )


def _name_observation(
    one: DocumentStatement, figures: Mapping[str, BusinessFigure], meant: Mapping[str, str]
) -> DocumentStatement:
    figure = figures.get(meant.get(one.subject, one.subject))
    if figure is None or one.predicate:
        return one
    is_share, is_bare = one.value.endswith("%"), figure.name == one.subject and not (one.unit or one.value[:1] == "0")
    if figure.unit == "%" and is_bare and not is_share:
        return replace(one, value=f"{one.value}%", unit="%")
    if figure.unit == "%" and not is_share and (share := _as_share(one.value, figure)):
        return replace(one, subject=figure.name, value=share, unit="%")
    return replace(one, subject=figure.name) if (figure.unit == "%") == is_share else one


def _as_share(value: str, figure: BusinessFigure) -> str:
    """Return a number such as 0.066 as a percentage, if it is nearer to the target so: 6.6 % to "at most 4 %"."""
    bounds = [float(one) for one in re.findall(r"\d+(?:\.\d+)?", figure.target)]
    number = float(value) if re.fullmatch(r"0?\.\d+", value) else 0.0
    is_fraction = bool(bounds) and bounds[0] > 1 and 0 < number < bounds[0] / 10
    return f"{plain(Decimal(value) * 100)}%" if is_fraction else ""


def targets_in(agent: Agent, text: str) -> tuple[DescribedFigure, ...]:
    """Return the targets that a text sets for recorded series, each with its words.

    A text with only targets also sets them for the pack's figures; other texts would lose their values.
    """
    words, pack = series_words(agent), pack_of(agent)
    read = figures_in(text, {**names_of(pack), **words})
    known = {*words.values(), *(pack.measures if all(one.target for one in read) else ())}
    return tuple(one for one in read if one.target and one.name in known and _is_measured_so(agent, one))


def _is_measured_so(agent: Agent, figure: DescribedFigure) -> bool:
    """Return whether a series may have a target: one in percent sets none for a number of call-offs."""
    point = agent.business.metrics.latest(figure.name)
    is_share = point is None or point.unit == PERCENT or figure.name in SHARES
    return is_share or PERCENT not in figure.target or figure.name.endswith(("_rate", "_share", "_margin"))


def title_in(agent: Agent, name: str, text: str) -> str:
    """Return a text's own name for a series, the longest one in it, or an empty text."""
    flat = text.casefold()
    written = [said for said, meant in series_words(agent).items() if meant == name and said in flat]
    return max(written, key=len, default="")


def _variants(name: str) -> tuple[str, ...]:
    """Return how people write the name of a series: `no_show_rate` is no show rate, no-show rate and no-shows."""
    words = name.split("_")
    bare = words[:-1] if len(words) > 1 and words[-1] in ("rate", "share", "pct", "percent") else words
    pair = "-".join(words[:2])
    hyphened = " ".join((pair, *words[2:]))
    return tuple(
        dict.fromkeys((" ".join(words), hyphened, "-".join(words), f"{'-'.join(bare)}s", f"{' '.join(bare)}s"))
    )
