"""Words of a request with their positions, their stems and their classes.

The classes come from closed lists (prepositions, determiners, auxiliaries, common verbs of requests) and from spelling:
no tagger is needed. `tokenize` keeps codes, paths, addresses and formulas whole.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.wordlists import order_form


def split_words(text: str) -> list[str]:
    """Return the words of a list written as one text."""
    return text.split()


CLASSES = (
    "edge", "sentence", "comma", "bracket", "quote", "determiner", "preposition", "conjunction", "pronoun",
    "auxiliary", "verb", "question", "number", "capital", "word", "code", "adverb",
)  # fmt: skip
"""Classes of tokens in the order of the features; "edge" is before the first token and after the last."""
CLASS_INDEX = {name: index for index, name in enumerate(CLASSES)}

PREPOSITIONS = (
    "of", "in", "at", "on", "for", "from", "to", "by", "with", "between", "under", "over", "during", "since", "until",
    "about", "near", "within", "after", "before", "as", "into", "per", "than", "using", "named", "called", "is", "=",
    "and",
)  # fmt: skip
"""Words before a value that tell its role, in the order of the features."""
_LISTS: Mapping[str, str] = packaged_yaml("requests/word_classes.yaml")
_LISTED = {**_LISTS, "preposition": f"{' '.join(PREPOSITIONS[:-3])} {_LISTS['preposition']}"}
CLASS_OF_WORD: dict[str, str] = {word: name for name in reversed(list(_LISTED)) for word in _LISTED[name].split()}
_CHUNK = re.compile(r"\S+")
_OPENING = "([{<\"'“‘«`*"
_CLOSING = ".,;:!?)]}>\"'”’»`*…"
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(=|:)([-+]?[\w.$%/]+)")
_COMMAS = order_form("claims_tokens.commas")
_POSSESSIVE = re.compile(r"(?i)(.+)(['’]s)$|(.+s)(['’])$")
_NUMBER = re.compile(r"[-+−]?[$€£¥₹]?[-−]?\d[\d,]*(?:\.\d+)?(?:%|[a-zA-Z°µμ]{1,4})?|\.\d+")
_SUFFIXES = (
    "ationally", "ational", "ization", "isation", "izing", "ising", "ized", "ised", "izes", "ize", "ations", "ation",
    "ments", "ment", "ings", "ing", "ities", "ity", "ives", "ive", "ers", "er", "ors", "or", "ies", "ied", "ed", "es",
    "ly", "al", "s", "e", "y",
)  # fmt: skip


_SHORT = (
    "stats statistics stat statistic info information temp temperature max maximum min minimum num number lang language"
    " loc location qty quantity addr address avg average calc calculate dest destination msg message desc description"
    " pct percent freq frequency lat latitude lon longitude lng longitude len length img image dept department"
    " acct account config configuration param parameter vol volume dist distance diff difference prob probability"
    " std standard ppl people pics pictures photo picture photos pictures"
)
_IN_FULL = dict(zip(_SHORT.split()[::2], _SHORT.split()[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class RequestToken:
    """A word, number, code or mark of punctuation at `start` to `end` of the request."""

    text: str
    start: int
    end: int
    low: str
    stem: str
    kind: str

    @property
    def is_mark(self) -> bool:
        """Return whether it is punctuation."""
        return self.kind in ("sentence", "comma", "bracket", "quote")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word's stem: crude, but equal for most forms of a word.

    >>> stem("calculating") == stem("calculation") == stem("Calculate")
    True
    """
    low = word.lower().strip("'’")
    low = _IN_FULL.get(low, low)
    if len(low) > 5 and low.endswith(("our", "ours")):
        low = low.replace("our", "or")
    for suffix in _SUFFIXES:
        if low.endswith(suffix) and len(low) - len(suffix) >= 3 and not low.endswith("ss"):
            low = low[: -len(suffix)]
            break
    if len(low) > 3 and low[-1] == low[-2] and low[-1] not in "lsz":
        low = low[:-1]
    if len(low) > 5 and low.endswith("at"):
        return low[:-2]
    return low[:-1] if len(low) > 4 and low[-1] in "aeiy" else low


@lru_cache(maxsize=5_000)
def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text; `snake_case`, `camelCase` and digits are split."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return tuple(stem(word) for word in re.findall(r"[^\W_]+", parts))


def tokenize(text: str) -> list[RequestToken]:
    """Return the tokens of a text in order."""
    tokens: list[RequestToken] = []
    for chunk in _CHUNK.finditer(text.replace("\\n\\n", "    ")):  # line ends of JSON, as some programs paste them
        start, end = chunk.span()
        while start < end and text[start] in _OPENING:
            tokens.append(_mark(text, start))
            start += 1
        tail: list[RequestToken] = []
        while end > start and text[end - 1] in _CLOSING and not _keeps_end(text[start:end]):
            end -= 1
            tail.append(_mark(text, end))
        _add_words(text, start, end, tokens)
        tokens.extend(reversed(tail))
    return tokens


def _keeps_end(word: str) -> bool:
    """Return whether the last character belongs to the word, as in "f(x)", "U.S." and "Inc."."""
    if word[-1] == ")":
        return "(" in word
    if word[-1] == "]":
        return "[" in word
    return word[-1] == "." and bool(re.fullmatch(r"(?:[A-Za-z]\.){2,}|(?:Dr|Mr|Mrs|Ms|St|Inc|Jr|Sr|Ltd|Co)\.", word))


def _add_words(text: str, start: int, end: int, tokens: list[RequestToken]) -> None:
    if start >= end:
        return
    word = text[start:end]
    assigned = _ASSIGNED.fullmatch(word)
    if assigned and not (assigned[2] == ":" and assigned[3][0] in "/\\0123456789"):
        tokens += [_word(text, start + assigned.start(n), start + assigned.end(n)) for n in (1, 2, 3)]
        return
    if "://" not in word and (comma := _COMMAS.search(word)):
        _add_words(text, start, start + comma.start(), tokens)
        tokens.append(_mark(text, start + comma.start()))
        _add_words(text, start + comma.end(), end, tokens)
        return
    if (possessive := _POSSESSIVE.match(word)) and word.lower() not in CLASS_OF_WORD:
        cut = start + (possessive.start(2) if possessive[2] else possessive.start(4))
        tokens.append(_word(text, start, cut))
        tokens.append(RequestToken(text[cut:end], cut, end, "'s", "'s", "auxiliary"))
        return
    tokens.append(_word(text, start, end))


def _mark(text: str, at: int) -> RequestToken:
    mark = text[at]
    kind = (
        "quote"
        if mark in "\"'“”‘’«»`*"
        else "comma"
        if mark in ",;:"
        else "bracket"
        if mark in "()[]{}<>"
        else "sentence"
    )
    return RequestToken(mark, at, at + 1, mark, "", kind)


def _word(text: str, start: int, end: int) -> RequestToken:
    word = text[start:end]
    low = word.lower()
    return RequestToken(word, start, end, low, stem(word), _class_of(word, low))


def _class_of(word: str, low: str) -> str:
    if low in CLASS_OF_WORD:
        return CLASS_OF_WORD[low]
    if _NUMBER.fullmatch(word):
        return "number"
    if not re.search(r"[^\W_]", word):
        return "code" if len(word) > 1 else "comma" if word in "-–—" else "code"
    if re.search(r"[\d_/\\@#^*=+<>{}()\[\]|~]|\.\w", word):
        return "code"
    return "capital" if word[0].isupper() else "word"
