"""Names, ids and addresses of a reply that occur in no text of the conversation."""

import re
from collections.abc import Iterator

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.claims.index import addresses_in, masked_text
from mabos.language.claims.reply import CODE, FILE_NAME, ReplyText, codes_in
from mabos.language.claims.sentences import ReplySentence
from mabos.language.claims.stems import folded_word
from mabos.language.claims.support import EvidenceIndex
from mabos.language.wordlists import order_form
from mabos.workspace.dates import MONTHS, WEEKDAYS
from mabos.workspace.text import STOPWORDS, terms

_WORD = re.compile(r"(?<![\w'’])[^\W\d_][\w'’&]*(?:-[^\W\d_][\w'’]*)*")
_OPENS = order_form("claims_names.opens")
_LISTS: dict[str, str] = packaged_yaml("requests/names_in_replies.yaml")
_ORDINARY = frozenset(terms(" ".join((*MONTHS, *WEEKDAYS, _LISTS["ordinary"]))))
_OPENERS = frozenset(terms(_LISTS["openers"]))
_ENDINGS = ("ly", "er", "or", "ing", "ist", "ant", "ent", "ion", "ity", "ness", "day", "s")
"""Endings of words that open a sentence and are seldom names: adverbs, roles, plurals."""
_PAIR = re.compile(r"\b([A-Z][a-zà-ÿ]+) ([A-Z][a-zà-ÿ'’-]+)\b")
_SPEAKER = order_form("claims_names.speaker")
_GIVEN = frozenset(terms(_LISTS["given"]))


def unsupported_names(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str]]:
    """Yield the position of the sentence and the words of each name or id that occurs in no text."""
    small = frozenset(folded_word(word) for word in _WORD.findall(reply.text) if word[0].islower())
    for position, sentence in enumerate(reply.sentences):
        spans = [(start, end) for start, end, _ in addresses_in(sentence.text)]
        for pattern in (FILE_NAME.finditer(sentence.text), codes_in(masked_text(sentence.text, spans))):
            for match in pattern:
                spans.append(match.span())
                if not support.has_phrase(match[0]):
                    yield position, match[0]
        if sentence.kind == "header" or _is_title_case(sentence):
            continue
        masked = masked_text(sentence.text, spans)
        found = list(_names(masked, support, small))
        yield from ((position, words) for words in found or _mixed_names(masked, support, small))


def unsupported_addresses(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str]]:
    """Yield the position of the sentence and the words of each address or link that occurs in no text."""
    for position, sentence in enumerate(reply.sentences):
        for start, end, address in addresses_in(sentence.text):
            if not support.has_address(address):
                yield position, sentence.text[start:end]


def names_in(text: str) -> list[str]:
    """Return the runs of capitalised words in a text that are not ordinary words."""
    found: list[list[str]] = []
    last = -2
    text = CODE.sub(lambda code: " " * len(code[0]), text)
    for match in _WORD.finditer(text):
        word = re.sub(r"['’]s?$", "", match[0])
        if (
            not word[0].isupper()
            or folded_word(word) in _ORDINARY | STOPWORDS
            or (_OPENS.search(text[: match.start()]) and not found and not re.match(r" [A-Z]", text[match.end() :]))
        ):
            continue
        if found and not text[last : match.start()].strip():
            found[-1].append(word)
        else:
            found.append([word])
        last = match.end()
    return [" ".join(run) for run in found]


def _is_title_case(sentence: ReplySentence) -> bool:
    """Return whether a heading is written in capitals throughout, so that they say nothing."""
    long_words = [word for word in _WORD.findall(sentence.text) if len(word) > 4]
    return sentence.kind == "heading" and all(word[0].isupper() for word in long_words)


def _names(text: str, support: EvidenceIndex, small: frozenset[str]) -> Iterator[str]:
    """Yield the runs of capitalised words that are in no text, are no ordinary words and begin no sentence."""
    run: list[str] = []
    last = 0
    for match in _WORD.finditer(text):
        if run and text[last : match.start()].strip(" .&"):
            yield from _told_run(run)
            run = []
        last = match.end()
        if not match[0][0].isupper() or _is_known(match[0], support, small):
            continue
        opens = _OPENS.search(text[: match.start()])
        if not opens or folded_word(match[0]) in _GIVEN:
            run.append(match[0])
    yield from _told_run(run)


def _mixed_names(text: str, support: EvidenceIndex, small: frozenset[str]) -> Iterator[str]:
    """Yield names of people that mix those on record, as "Karl Weiss", and strangers of one name who speak."""
    for match in _PAIR.finditer(text):
        first, last = folded_word(match[1]), folded_word(match[2])
        if last not in support.proper or not _may_be_name(first, small):
            continue
        partners = {found for known in support.texts for found in known.first_names.get(last, ())}
        if partners and first not in partners and not support.share_a_record({first}, {last}):
            yield match[0]
    for match in _SPEAKER.finditer(text):
        if _may_be_name(folded_word(match[1]), small) and not _is_known(match[1], support, small):
            yield match[1]


def _may_be_name(word: str, small: frozenset[str]) -> bool:
    return word not in _ORDINARY | STOPWORDS | small | _OPENERS and not word.endswith(_ENDINGS)


def _told_run(run: list[str]) -> Iterator[str]:
    if run:
        yield " ".join(run)


def _is_known(word: str, support: EvidenceIndex, small: frozenset[str]) -> bool:
    """Return whether a capitalised word is in the evidence, is written small elsewhere, or is an ordinary one."""
    flat = re.sub(r"['’](?:s|ve|m|ll|d|re)?$", "", word)
    parts = re.split(r"[-&]", flat)
    if len(flat) == 1 or (flat.isupper() and len(flat) <= 4):
        return True
    return all(_is_word_known(folded_word(part), support, small) for part in parts if part)


def _is_word_known(word: str, support: EvidenceIndex, small: frozenset[str]) -> bool:
    forms = {word, word.removesuffix("s"), word.removesuffix("'"), f"{word}s", word.removesuffix("es")}
    return any(form in _ORDINARY or form in small or support.has_word(form) for form in forms)
