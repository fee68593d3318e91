"""A sequence diagram of messages: sender, recipient, content, top to bottom."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from markupsafe import Markup

from mabos.interfaces.dashboard.svg import mark, picture
from mabos.interfaces.views.words import cut
from mabos.society.messages import Message

_LEFT, _TOP, _ROW = 70, 46, 46
_NARROW, _WIDE, _ALL = 62, 300, 660
"""The least and the most room between two lines, and what all of them take if they can."""
_LONGEST = 400
"""Characters of a message that the picture tells where one rests on it; the page has all of them."""
_ASKS = ("REQUEST", "QUERY", "QUERY_REF", "CFP", "PROPOSE", "SUBSCRIBE")
_DENIES = ("REFUSE", "REJECT", "FAILURE", "NOT_UNDERSTOOD", "CANCEL")


def diagram(messages: Sequence[Message], *, broken: Collection[str] = (), order: Sequence[str] = ()) -> Markup:
    """Return the messages as a picture; `broken` are those that violate their protocol, `order` is the agents' order.

    Each message links to its own line below the picture, by id.
    """
    lanes, room = _lanes(messages, order)
    width = _LEFT + room * len(lanes)
    height = _TOP + _ROW * len(messages) + 20
    parts = [*_heads(lanes, height, room)]
    day = ""
    for row, one in enumerate(messages):
        y = _TOP + _ROW * row + 30
        parts += _times(one, y, is_new_day=one.timestamp[:10] != day)
        parts.append(_arrow(one, lanes, y, is_broken=one.id in broken))
        day = one.timestamp[:10]
    return picture(width, height, f"{len(messages)} messages between {', '.join(lanes)}", parts, class_="sequence")


def _lanes(messages: Sequence[Message], order: Sequence[str]) -> tuple[Mapping[str, float], float]:
    """Return the position of each speaker's line, in `order` and others as they come, and the distance between two."""
    found = dict.fromkeys(name for one in messages for name in (one.sender, one.to))
    named = [*(one for one in order if one in found), *(one for one in found if one not in order)]
    room = max(_NARROW, min(_WIDE, _ALL / len(named)))
    return {name: _LEFT + room * (number + 0.5) for number, name in enumerate(named)}, room


def _heads(lanes: Mapping[str, float], height: float, room: float) -> Iterator[Markup]:
    for name, x in lanes.items():
        yield mark("line", x1=x, x2=x, y1=34, y2=height - 8, class_="lane")
        yield mark("rect", x=x - room / 2 + 2, y=8, width=room - 4, height=26, rx=7, class_="head")
        told = mark("text", cut(name, int(room / 8)), x=x, y=26, text_anchor="middle", class_="name")
        yield mark("g", mark("title", name) + told)


def _times(one: Message, y: float, *, is_new_day: bool) -> Iterator[Markup]:
    if is_new_day and one.timestamp:
        yield mark("text", one.timestamp[:10], x=6, y=y - 14, class_="day")
    yield mark("text", one.timestamp[11:16], x=6, y=y, class_="time")


def _arrow(one: Message, lanes: Mapping[str, float], y: float, *, is_broken: bool) -> Markup:
    start, end = lanes[one.sender], lanes[one.to]
    tone = "denies" if one.performative in _DENIES else "asks" if one.performative in _ASKS else "tells"
    classes = f"message {tone}" + (" broken" if is_broken or one.flag else "")
    told = f"{one.sender} to {one.to}, {one.performative}: {cut(one.content, _LONGEST)}"
    if start == end:
        way = f"M{start} {y}h34v14h-28"
        tip = f"{start},{y + 14} {start + 8},{y + 10} {start + 8},{y + 18}"
    else:
        ahead = 1 if end > start else -1
        way = f"M{start} {y}H{end - 8 * ahead}"
        tip = f"{end},{y} {end - 9 * ahead},{y - 4.5} {end - 9 * ahead},{y + 4.5}"
    middle = (start + end) / 2 if start != end else start + 60
    inside = Markup("").join(
        (
            mark("title", told),
            mark("path", d=way),
            mark("polygon", points=tip),
            mark("text", one.performative, x=middle, y=y - 6, text_anchor="middle", class_="act"),
            mark("text", cut(one.content, _room(start, end)), x=middle, y=y + 14, text_anchor="middle", class_="said"),
        )
    )
    return mark("a", mark("g", inside, class_=classes), href=f"#{one.id}")


def _room(start: float, end: float) -> int:
    """Return how many letters fit next to an arrow."""
    return max(20, int(abs(end - start) / 6.2))
