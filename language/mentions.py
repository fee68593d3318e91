"""Find the earlier order that a sentence means: by name, kind, its words, or position: "the second one"."""

import re
from collections.abc import Sequence

from mabos.language.request import Request
from mabos.language.sentences import plain
from mabos.language.wordlists import order_form, word_lists

_KINDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"\b(remind\w*|ping|nudge|alarm)\b"), ("remind",)),
    (re.compile(r"\b(reports?|summar\w+|line|duty|weekly|monthly|daily|figures|update|"
        r"overview)\b"), ("report_regularly",)),
    (re.compile(r"\b(campaigns?|ads?|adverts?|advertis\w*|"
        r"promotion)\b"), ("ad_campaign_create", "ad_campaign_manage")),
    (re.compile(r"\b(letters?|e-?mails?|mail|mailing|newsletter|write|writing)\b"), ("email_send", "email_campaign")),
    (re.compile(r"\b(work packages?|packages?|orders?|ordering|ordered|booking)\b"), ("work_package_create", "task")),
    (re.compile(r"\b(projects?|plans?)\b"), ("project",)),
    (re.compile(r"\b(posts?|articles?|pages?|texts?|blog)\b"), ("content_generate",)),
    (re.compile(r"\b(goal|target)\b"), ("improve", "goal_create")),
)  # fmt: skip


def by_mention(flat: str, requests: Sequence[Request]) -> list[Request]:
    """Return requests by how well a sentence names them; ties go to open ones, then to the newest."""
    flat = _KEPT.sub(" ", flat)
    if (named := find_counted(flat, requests)) is not None:
        return [named]

    def rank(position: int, request: Request) -> tuple[int, int, int]:
        return (-mentions(flat, request), 0 if request.is_open else 1, position)

    return [one for _, one in sorted(enumerate(requests), key=lambda pair: rank(*pair))]


_COUNTED, _KEPT = order_form("mentions.counted"), order_form("mentions.kept")
"""Words that count orders, and those that say which of them stays as it is."""
_NTH = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}


def find_counted(flat: str, requests: Sequence[Request]) -> Request | None:
    """Return the order meant by position, as "the second one", in order of giving; `requests` are newest first."""
    found = _COUNTED.search(flat)
    if found is None or not (found["noun"] or re.search(r"\bthe \w+(?: one| of |\W*$|[,;.])", flat[found.start() :])):
        return None
    orders = [one for one in requests if one.is_open]
    if len(orders) <= 1:  # those that are on record already, of the day of the newest
        newest = max((one.created_at for one in requests), default="")[:10]
        orders = [one for one in requests if one.is_open or (one.status == "done" and one.created_at[:10] == newest)]
    given = orders[::-1]
    kinds = [kinds for pattern, kinds in _KINDS if found["noun"] and pattern.search(found["noun"])]
    if kinds and (of_kind := [one for one in given if any(one.operation in kind for kind in kinds)]):
        given = of_kind
    number = _NTH[found["nth"]]
    return given[number] if len(given) > 1 and -len(given) <= number < len(given) else None


_GENERAL = re.compile(r"(?=.*\bany(?:thing|one|body)?\b)(?!.*\b(?:it|that|this|them|these|those|of)\b)")


def takes_back_nothing(flat: str, request: Request) -> bool:
    """Return whether words are of things in general, and not of a request: "do not take on any new building"."""
    return bool(_GENERAL.match(flat)) and mentions(flat, request) < 2


def mentions(flat: str, request: Request) -> int:
    """Return how clearly a sentence names a request: by its kind, its name, or words of it."""
    words = set(re.findall(r"[a-z]{3,}", flat)) - word_lists().empty
    named = [str(request.slot(name, "")).lower() for name in ("name", "title", "subject", "campaign_id")]
    score = 4 * any(name and name in flat.replace('"name"', "") for name in named)
    score += 2 * any(pattern.search(flat) and request.operation in kinds for pattern, kinds in _KINDS)
    own = set(re.findall(r"[a-z]{3,}", plain(request.sentence))) | {word for name in named for word in name.split()}
    return score + len(words & own)
