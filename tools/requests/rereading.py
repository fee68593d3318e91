"""Read a request again with the records: the campaigns and packages it names, and the requested action.

A name on record outweighs a wording: "kill the lunch ads" stops the campaign 'Lunch deal', no matter who booked it.
Excluded records are never changed, and a difference ("by 40") is computed from the amount on record.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from mabos.language.amounts import amounts_in
from mabos.language.catalogue import wordings
from mabos.language.request import Request, Slot
from mabos.language.sentences import split
from mabos.language.spelling import repair_spelling
from mabos.language.times import times_in
from mabos.language.wordlists import order_form
from mabos.tools.requests import record_words as words
from mabos.tools.requests.acceptance import judge_order
from mabos.tools.requests.carrying import OVER, TAKEN_BACK_BY
from mabos.tools.requests.outcome import day
from mabos.tools.requests.records import section
from mabos.tools.requests.response import Ask, Decline, Response, Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.currencies import money

_ACTS = ("order", "correction", "withdrawal", "unclear", "standing", "report", "answer")
_READ_AS = ("", "task", "ad_campaign_manage", "ad_campaign_create", "work_package_update")
"""Operations that a change of a record is also taken for; a letter, a project or a reminder is none."""
_BUDGETED = ("ad_campaign_create", "ad_campaign_manage")
_CREATES = {"ad_campaign_create": "name", "work_package_create": "title"}
_NEW = order_form("rereading.new")
_DEADLINE = order_form("rereading.deadline")
_MAY_COST = re.compile(r"§\d+§ (?:may|can|must|should|shall) (?:now |only )?cost\b")
_COST = re.compile(r"\b(?:budget|costs?|spend|price|money|dollars)\b|\$")
_PACKAGE = (
    "title", "description", "required_skills", "budget_usd", "deadline", "deliverables", "area",
    "estimated_hours", "goal_id",
)  # fmt: skip
"""The fields that a re-recorded package keeps."""
Records = Sequence[Mapping[str, Any]]


def by_records(agent: Agent, request: Request) -> tuple[Request, Response | None]:
    """Return a request as an order over the records that it names, or an immediate reply if it is not yet an order."""
    if not _may_change(agent, request):
        return creating(agent, request)
    campaigns = _distinct(section(agent, "campaigns"))
    titles = {str(one["id"]): str(one["name"]) for one in campaigns}
    text = _text(agent, request, titles)
    if not text:
        return request, Say("")  # the part of the sentence before it is carried out with this one
    found = (
        words.find_named_records(text, titles)
        or words.find_alluded_record(text, titles)
        or _on_channel(agent, text, campaigns)
    )
    said = words.mentions(text, found)
    is_asked = request.sentence.rstrip().endswith("?") and request.act != "order"
    if is_asked or words.is_conditional(said.masked):
        return request, None
    changed = _differing(agent, request, campaigns, said) or _shared_out(agent, request, campaigns, said, list(found))
    if changed is not None:
        return changed, None
    read = _read(agent, request, campaigns, said, list(found)) if found or said.is_unclear else _package(agent, request)
    if isinstance(read, Request):
        return creating(agent, read) if read is request else (read, None)
    return _open_for(request, campaigns, said) if isinstance(read, Ask) else _neutralize_request(request), read


_ANOTHER = order_form("rereading.another")
"""Words of an order for another campaign than those on record."""


def _on_channel(agent: Agent, text: str, campaigns: Records) -> dict[str, tuple[int, int]]:
    """Return the one live campaign of the channel that a sentence names: "the Google ads".

    Facebook and TikTok are one channel on record: of these, the order of the campaign must have the one that is meant.
    """
    if _ANOTHER.search(text):
        return {}
    live = [one for one in campaigns if one["status"] not in OVER]
    for channel, pattern in wordings()["ad_campaign_create"].synonyms["channel"].items():
        match = re.search(
            rf"(?i)\b(?:the|our|my) (?:{pattern.pattern})(?: (?:ads?|adverts?|advertising|campaign))?", text
        )
        booked = [one for one in live if one["channel"] == channel]
        if match is None or len(booked) != 1:
            continue
        if other_platform(_words_of(agent, booked[0]), match[0]) is None:
            return {str(booked[0]["id"]): match.span()}
    return {}


def _words_of(agent: Agent, campaign: Mapping[str, Any]) -> str:
    """Return the name of a campaign with the words of the order that recorded it."""
    orders = [one for one in agent.requests.all() if one.operation == "ad_campaign_create" and one.status == "done"]
    made = [
        one.sentence
        for one in orders
        for verdict in judge_order(agent, one)
        if any(found.get("id") == campaign["id"] for found in verdict.found)
    ]
    return " ".join([str(campaign["name"]), *made])


def other_platform(known: str, said: str) -> str | None:
    """Return the platform that a text names, unless it is a whole channel or in the words of an order."""
    for channel, pattern in wordings()["ad_campaign_create"].synonyms["channel"].items():
        for match in pattern.finditer(said.lower()):
            is_whole = match[0].split()[0].rstrip("s") in (channel.rstrip("s"), "google")
            if not is_whole and match[0].split()[0] not in known.lower():
                return match[0]
    return None


def _shared_out(
    agent: Agent, request: Request, campaigns: Records, said: words.Mentions, keys: list[str]
) -> Request | None:
    """Return the order that gives campaigns their shares of the one weekly amount that a message names, or None."""
    message = agent.inbox.find(request.message_id)
    given = amounts_in(repair_spelling(message.content) if message is not None else request.sentence)
    weekly = [one for one in given if one.per == "week" and one.kind in ("money", "count")]
    shares = words.shared_out(said.masked, keys, weekly[0].value) if len(weekly) == 1 and len(keys) > 1 else None
    if shares is None:
        return None
    by_id = {str(one["id"]): one for one in campaigns}
    return _order(request, [(by_id[key], "set_budget", value) for key, value in shares.items()], [])


def _neutralize_request(request: Request) -> Request:
    """Return a request as one that a later yes cannot carry out."""
    return replace(request, act="small_talk", operation="", slots=(), missing=())


def _may_change(agent: Agent, request: Request) -> bool:
    """Return whether a request may be about a record that it names, whatever it was read as."""
    if not _is_new(agent, request) or (request.act == "answer" and _is_answer(agent, request)):
        return False
    return request.act in _ACTS and (request.act not in ("order", "report") or request.operation in _READ_AS)


def _is_new(agent: Agent, request: Request) -> bool:
    return request.status == "open" and not request.data.get("amended") and bool(agent.business_id)


def _is_answer(agent: Agent, request: Request) -> bool:
    """Return whether an answer has a question that is open."""
    target = agent.requests.find(request.refers_to) if request.refers_to else None
    return target is not None and target.is_open


def _read(
    agent: Agent, request: Request, campaigns: Records, said: words.Mentions, keys: list[str]
) -> Request | Response:
    """Return the wish of a sentence that names campaigns: an order, a reply, or the request as it is."""
    if words.is_negated(said.masked):
        return _left_alone(request, [one for one in campaigns if one["id"] in said.meant])
    doing = words.doing_of(said.masked, is_loose=request.operation == "ad_campaign_manage")
    if doing is None or _is_of_open_order(agent, request, campaigns, said.meant):
        return request
    if not campaigns and not keys:
        return request
    if said.is_unclear or (said.spared and not said.meant and not said.is_every):
        return Ask(
            f"Which campaigns do you mean, and which not? On record: {_describe_campaigns(campaigns)}.",
            ("campaign_id",),
        )
    if doing == "set_budget":
        return _budgets(request, campaigns, said, keys)
    return _doings(request, campaigns, said, doing)


def _open_for(request: Request, campaigns: Records, said: words.Mentions) -> Request:
    """Return the request as an order that waits for an answer: no uncertain reading is kept."""
    doing = words.doing_of(said.masked, is_loose=True) or ""
    slots = [Slot("action", doing, request.sentence)] if doing else []
    if len(said.meant) == 1 and not said.is_every:
        name = next(str(one["name"]) for one in campaigns if one["id"] == said.meant[0])
        slots.append(Slot("campaign_id", said.meant[0], name))
    return replace(
        request, act="order", operation="ad_campaign_manage", slots=tuple(slots), confidence=1.0, refers_to=""
    )


def creating(agent: Agent, request: Request) -> tuple[Request, Response | None]:
    """Return an order that creates something, or a question if its name is taken by another record."""
    is_new = request.act == "order" and _is_new(agent, request)
    if is_new and request.operation == "stripe_create_price" and words.is_relative(request.sentence):
        kept = tuple(slot for slot in request.slots if slot.name != "amount_usd")
        return replace(request, slots=kept), Ask("What should it cost then? I take no difference.", ("amount_usd",))
    argument = _CREATES.get(request.operation, "") if is_new else ""
    if not argument:
        return request, None
    name = str(request.slot(argument, "")).casefold()
    live = [
        (kind, one)
        for kind, key in (("campaign", "name"), ("work package", "title"))
        for one in section(agent, f"{kind.replace(' ', '_')}s")
        if name and str(one[key]).casefold() == name and one.get("status") not in OVER
    ]
    own = "campaign" if argument == "name" else "work package"
    is_again = _NEW.search(request.sentence) or request.refers_to  # "the same on search" has the name of the first
    known = next(((kind, one) for kind, one in live if kind != own or not is_again), None)
    if known is None:
        return _with_rest(agent, request), None
    kind, one = known
    stands = f"{request.slot(argument)!r} is a {kind} on record already ({one['id']}, {one['status']})."
    if kind == own:
        slots = (Slot(f"{'campaign' if own == 'campaign' else 'package'}_id", one["id"], str(request.slot(argument))),)
        operation, missing = (
            ("ad_campaign_manage", "action") if own == "campaign" else ("work_package_update", "status")
        )
        asked = Ask(f"{stands} What should happen to it?", (missing,))
        return replace(request, operation=operation, slots=slots, missing=(), confidence=1.0), asked
    kept = tuple(slot for slot in request.slots if slot.name not in (argument, "description", "left_over"))
    said = f"{stands} What is the {own} to be called? Please say in a message of its own what the {kind} needs."
    return replace(request, slots=kept), Ask(said, (argument,))


def _with_rest(agent: Agent, request: Request) -> Request:
    """Return an order with a word on the part of its sentence that nothing in it explains: a campaign it also names."""
    titles = {str(one["id"]): str(one["name"]) for one in _distinct(section(agent, "campaigns"))}
    found = words.find_named_records(request.sentence, titles)
    said = words.mentions(request.sentence, found)
    taken = {str(slot.value).casefold() for slot in request.slots}
    rest = [titles[key] for key in found if titles[key].casefold() not in taken]
    if not rest or words.doing_of(said.masked, is_loose=True) not in ("pause", "resume", "stop"):
        return request
    names = " and ".join(map(repr, rest))
    told = f"I did not do anything about {names}; please say in a message of its own what you want there."
    return replace(request, data={**request.data, "told": told})


def _text(agent: Agent, request: Request, titles: Mapping[str, str]) -> str:
    """Return the sentence of a request, with the previous name for an "it"; a move of money is one whole sentence.

    The second half of that sentence is empty: its first half has been read as both.
    """
    message = agent.inbox.find(request.message_id)
    whole = repair_spelling(message.content) if message is not None else ""
    for sentence in split(whole):
        found = words.find_named_records(sentence, titles)
        is_part = request.sentence.rstrip(".!") in sentence and len(found) > 1
        if is_part and words.moved_between(words.mentions(sentence, found).masked, found):
            return sentence if words.find_named_records(request.sentence, titles).keys() & {_first(found)} else ""
    if re.search(r"(?i)^(?:please )?(?:\w+ ){1,2}(?:it|that)\b", request.sentence):
        before, at, _ = whole.partition(request.sentence)
        named = re.findall(r"['‘\"“][^'’\"”]{3,}['’\"”]", before) if at else []
        if len(set(named)) == 1:
            return re.sub(r"(?i)\b(?:it|that)\b", lambda _: str(named[0]), request.sentence, count=1)
    return request.sentence


def _first(found: Mapping[str, tuple[int, int]]) -> str:
    return min(found, key=lambda one: found[one][0])


def _distinct(campaigns: Records) -> Records:
    """Return the campaigns one for each name: one that has not ended before one that has, a new one before an old."""
    chosen = dict[str, Mapping[str, Any]]()
    for one in campaigns:
        before = chosen.get(str(one["name"]).casefold())
        if before is None or before["status"] in OVER or one["status"] not in OVER:
            chosen[str(one["name"]).casefold()] = one
    return list(chosen.values())


def _differing(agent: Agent, request: Request, campaigns: Records, said: words.Mentions) -> Request | None:
    """Return a correction by a difference, "no, by 20", with the amount computed from the record."""
    target = agent.requests.find(request.refers_to) if request.act == "correction" else None
    if target is None or not words.is_relative(request.sentence) or target.operation not in _BUDGETED:
        return None
    names = {str(target.slot(one, "")).casefold() for one in ("campaign_id", "name")}
    of_target = [one for one in campaigns if names & {str(one["id"]).casefold(), str(one["name"]).casefold()}]
    if any(key not in {one["id"] for one in of_target} for key in said.meant):
        return None
    before = of_target[0]["weekly_budget_usd"] if of_target else target.slot("weekly_budget_usd")
    wanted = words.changed_amount(said.masked, float(before)) if before else None
    if wanted is None or wanted <= 0:
        return None
    return replace(request, slots=(Slot("weekly_budget_usd", wanted, request.sentence),))


def _is_of_open_order(agent: Agent, request: Request, campaigns: Records, meant: Sequence[str]) -> bool:
    """Return whether a correction or withdrawal refers to an order about these records, by which it is to be done."""
    target = agent.requests.find(request.refers_to) if request.act in ("correction", "withdrawal") else None
    if target is None or target.status == "failed" or words.is_relative(request.sentence):
        return False
    if request.act == "correction" and target.operation != "ad_campaign_create":
        titles = {str(one["name"]) for one in campaigns if one["id"] in meant}
        is_same = str(target.slot("campaign_id", "")) in {*meant, *titles}
        return target.is_open and target.operation == "ad_campaign_manage" and is_same
    names = [str(one["name"]).casefold() for one in campaigns if one["id"] in meant]
    is_about = any(one in target.sentence.casefold() for one in names)
    return is_about and (target.is_open or (request.act == "correction" and bool(request.slots)))


def _left_alone(request: Request, campaigns: Records) -> Response:
    """Return that records a sentence protects are left unchanged; a rule is offered, never made of it."""
    stands = " ".join(
        f"{one['name']!r} is {one['status']} at {_weekly(one)} a week, and I leave it so." for one in campaigns
    )
    if request.act != "standing":
        return Say(stands)
    kept = "I know no rule that keeps one campaign from being stopped; I can ask you before any campaign is changed."
    return Say(f"{stands} {kept} Shall I do that? Then say: ask me before you change a campaign.")


def _doings(request: Request, campaigns: Records, said: words.Mentions, doing: words.Doing) -> Request | Response:
    """Return the order to pause, resume or stop the records that are meant."""
    meant = [one for one in campaigns if one["id"] in said.meant]
    if said.is_every and said.spared:
        apt = {"pause": ("recorded", "running"), "resume": ("paused",)}.get(doing, ("recorded", "running", "paused"))
        channels = [one for one in ("search", "social", "events", "outbound") if re.search(rf"\b{one}\b", said.masked)]
        meant = [one for one in campaigns if one["status"] in apt and one["id"] not in said.spared]
        meant = [one for one in meant if not channels or one["channel"] in channels]
    spared = [str(one["name"]) for one in campaigns if one["id"] in said.spared]
    if not meant:
        return Say(f"There is no other campaign to {doing}. I leave {' and '.join(map(repr, spared))} as it is.")
    return _order(request, [(one, doing, None) for one in meant], spared)


def _budgets(request: Request, campaigns: Records, said: words.Mentions, keys: list[str]) -> Request | Response:
    """Return the order to change weekly budgets, each worked out from the one on record."""
    by_id = {str(one["id"]): one for one in campaigns}
    wanted = dict[str, float](words.beside(said.masked, keys) or {})
    asked = f"Which weekly budget for which campaign? On record: {_describe_campaigns(campaigns)}."
    if moved := words.moved_between(said.masked, keys):
        source, target, amount = moved
        wanted = {source: -amount, target: amount}
        wanted = {key: float(by_id[key]["weekly_budget_usd"]) + value for key, value in wanted.items()}
        asked = f"{by_id[source]['name']!r} has {_weekly(by_id[source])} a week. How much of it shall I move?"
    elif not wanted and len(said.meant) == 1 and not said.spared and not said.is_every:
        one = by_id[said.meant[0]]
        value = words.changed_amount(said.masked, float(one["weekly_budget_usd"]))
        if value is None and request.operation == "ad_campaign_create":
            return request
        wanted = {said.meant[0]: value or 0.0}
        asked = f"{one['name']!r} is at {_weekly(one)} a week. How much should it be a week?"
    if not wanted or min(wanted.values()) <= 0:
        return Ask(asked, ("weekly_budget_usd",))
    return _order(request, [(by_id[key], "set_budget", value) for key, value in wanted.items()], [])


def _order(
    request: Request, changes: Sequence[tuple[Mapping[str, Any], words.Doing, float | None]], spared: Sequence[str]
) -> Request:
    """Return the request as an order with these changes; a single one has plain slots, which can be corrected."""
    made = [
        {
            "campaign_id": str(one["id"]),
            "action": doing,
            **({"weekly_budget_usd": wanted} if wanted is not None else {}),
        }
        for one, doing, wanted in changes
    ]
    if len(made) == 1:
        name = str(changes[0][0]["name"])
        slots = tuple(
            Slot(key, value, name if key == "campaign_id" else request.sentence) for key, value in made[0].items()
        )
    else:
        slots = (Slot("changes", made, request.sentence),)
    data = {**request.data, "spared": list(spared)} if spared else request.data
    return replace(
        request,
        act="order",
        operation="ad_campaign_manage",
        slots=slots,
        missing=(),
        confidence=1.0,
        data=data,
        refers_to="",
    )


def _package(agent: Agent, request: Request) -> Request | Response:
    """Return the order to move the deadline of a package on record, or to cancel it; else the request as it is."""
    packages = [one for one in section(agent, "work_packages") if one.get("status") not in OVER]
    titles = {str(one["id"]): str(one["title"]) for one in packages}
    message = agent.inbox.find(request.message_id)
    whole = repair_spelling(message.content) if message is not None else request.sentence
    is_over = words.is_ticked_off(request.sentence.lower()) or request.act == "report"
    text = whole if is_over else request.sentence
    found = words.find_named_records(text, titles) or words.work_alluded(text, titles)
    masked = words.mentions(text, found).masked
    if len(found) != 1 or words.is_conditional(masked) or words.is_negated(masked):
        return request
    one = next(one for one in packages if one["id"] in found)
    target = agent.requests.find(request.refers_to) if request.refers_to else None
    if target is not None and target.is_open and str(target.slot("title", "")).casefold() == one["title"].casefold():
        return request
    is_told = request.act in ("report", "unclear") and words.is_finished(masked)
    if is_told or words.is_ticked_off(masked) or words.doing_of(masked) == "stop":
        return _close_package(request, one, masked, is_told=is_told)
    return _changed_package(agent, request, one, masked)


def _changed_package(agent: Agent, request: Request, one: Mapping[str, Any], masked: str) -> Request | Response:
    """Return the order to give a package another deadline or budget, where a sentence does."""
    due = str(one.get("deadline") or "")
    if later := _parse_slipped_deadline(masked, due):
        return request if request.act == "report" else _recorded_again(request, one, "deadline", later)
    until = [time for time in times_in(request.sentence, agent.clock()) if time.kind == "day" and time.iso]
    if len(until) == 1 and _DEADLINE.search(masked):
        return _recorded_again(request, one, "deadline", _in_its_month(until[0].iso[:10], until[0].words, due))
    is_change = words.doing_of(masked) == "set_budget" or _MAY_COST.search(masked)
    if until or not is_change or not _COST.search(masked):
        return request
    budget = words.changed_amount(masked, float(one["budget_usd"]))
    return _recorded_again(request, one, "budget_usd", budget) if budget and budget > 0 else request


def _close_package(request: Request, one: Mapping[str, Any], masked: str, *, is_told: bool) -> Request | Response:
    """Return the order to close a package: cancelled, or complete with the mark that was given for it.

    With `is_told` it is only reported as finished: then the order is read back.
    """
    is_done = is_told or words.is_ticked_off(masked)
    mark = words.mark_of(masked) if is_done else None
    if mark is not None and not 0 <= mark <= 1:
        return Ask(f"Which mark does {one['title']!r} get, out of 10?", ("quality_score",))
    status = "complete" if is_done else "cancelled"
    slots = [Slot("package_id", str(one["id"]), str(one["title"])), Slot("status", status, request.sentence)]
    slots += [Slot("quality_score", mark, request.sentence)] if mark is not None else []
    return replace(
        request, act="order", operation="work_package_update", slots=tuple(slots), missing=(), refers_to="",
        confidence=0.45 if is_told else 1.0,
    )  # fmt: skip


def _parse_slipped_deadline(masked: str, due: str) -> str:
    """Return the day to which a deadline moves that "has slipped a week"; empty where nothing says so."""
    match = re.search(r"§\d+§ (?:has |is )?(?:slipped|delayed|postponed)(?: by)? (?P<count>an?|one|two|three|\d+) "
                      r"(?P<unit>day|week)s?\b", masked)  # fmt: skip
    if match is None or len(due) < 10:
        return ""
    count = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}.get(match["count"]) or int(match["count"])
    days = count * (7 if match["unit"] == "week" else 1)
    return (date.fromisoformat(due[:10]) + timedelta(days=days)).isoformat()


def _in_its_month(given: str, spoken: str, due: str) -> str:
    """Return a bare day, "the 27th", as the first such day from the month of the deadline on record."""
    number = re.fullmatch(r"(?i)\W*(?:(?:on|by|before|until|till|to) )?(?:the )?(\d{1,2})(?:st|nd|rd|th)\W*", spoken)
    if number is None or len(due) < 10 or int(number[1]) > 28:
        return given
    year, month = int(due[:4]), int(due[5:7])
    return f"{year:04}-{month:02}-{int(number[1]):02}"


def _recorded_again(request: Request, one: Mapping[str, Any], name: str, value: Any) -> Request | Response:
    """Return the order to record a package again with another deadline or budget, and to cancel the one before it."""
    noun = name.removesuffix("_usd")
    was = day(str(one["deadline"])) if name == "deadline" and one.get("deadline") else ""
    was = was if name == "deadline" else money(float(one["budget_usd"]))
    if one.get("assigned_to"):
        stands = f"{one['title']!r} is with {one['assigned_to']}{f', {noun} {was}' if was else ''} ({one['id']})."
        return Decline(f"I have no operation that changes the {noun} of a package that is assigned. {stands}")
    given = [key for key in _PACKAGE if key != name and one.get(key) not in (None, "")]
    slots = [Slot(key, one[key], str(one["title"])) for key in given]
    if "required_skills" not in given:
        slots.append(Slot("required_skills", [], ""))
    tool, argument, more = TAKEN_BACK_BY["work_packages"]
    arguments = {argument: one["id"], **more}
    ending = {"id": "U1", "description": f"cancel {one['title']}", "tool": tool, "arguments": arguments}
    wanted = day(value) if name == "deadline" else money(value)
    told = f"You want {one['title']!r} with {noun} {wanted}{f' instead of {was}' if was else ''}."
    data = {**request.data, "after": [ending], "amended": True, "told": told}
    slots.append(Slot(name, value, request.sentence))
    return replace(
        request, act="order", operation="work_package_create", slots=tuple(slots), missing=(), confidence=1.0,
        refers_to="", data=data,
    )  # fmt: skip


def _weekly(one: Mapping[str, Any]) -> str:
    return money(float(one["weekly_budget_usd"]))


def _describe_campaigns(campaigns: Records) -> str:
    live = [one for one in campaigns if one["status"] not in OVER]
    return "; ".join(f"{one['name']!r} ({one['status']}, {_weekly(one)} a week)" for one in live) or "none"
