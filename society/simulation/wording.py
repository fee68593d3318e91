"""Word the market's short names for people: `mid-sized customers` for the segment `mid`."""

import re

_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_ID_BEHIND = re.compile(r" \([A-Z]+-\d{10,}-[0-9a-f]+\)")
_CUSTOMERS = {"smb": "small customers", "mid": "mid-sized customers", "ent": "large customers", "all": "all customers"}


def customers(segment: str) -> str:
    """Return the customers of a segment in words; a segment of a custom scenario keeps its name."""
    return _CUSTOMERS.get(segment) or f"{segment} customers"


def label_record(title: str, record_id: str) -> str:
    """Return the label of a record: its title and id, or its id alone without a title."""
    return f"{title!r} ({record_id})" if title else record_id


def plainly(said: str) -> str:
    """Return a sentence with the names of figures and facts as words, without ids next to titles, and signs as printed.

    >>> plainly("goal Win more customers: new_subscribers >= 4.4")
    'goal Win more customers: new subscribers ≥ 4.4'
    >>> plainly("Campaign 'Spring' (CMP-1767604500000-fbac) has run")
    "Campaign 'Spring' has run"
    """
    words = _NAME.sub(lambda found: found[0].replace("_", " "), _ID_BEHIND.sub("", said))
    return words.replace(">=", "≥").replace("<=", "≤")


def came_to_pass(approval: str) -> bool:
    """Return whether a request was carried out: the owner neither refused it nor left it waiting."""
    return approval not in ("rejected", "pending")


NOT_DONE = "Wanted, and not done: "
ASKED = "Asked the owner: "
BELIEF, AWARD = "belief ", "award "
"""The first words of a question to the owner, and of reasons that are a belief or an answer of finance."""


def not_done(said: str) -> str:
    """Return a request as a sentence that marks it as not done.

    >>> not_done("Raised the price")
    'Wanted, and not done: raised the price'
    """
    return f"{NOT_DONE}{said[:1].lower()}{said[1:]}"


def aim(said: str) -> str:
    """Return the subject of a deed, the same whether it was done or only requested."""
    return said.removeprefix(NOT_DONE).casefold()
