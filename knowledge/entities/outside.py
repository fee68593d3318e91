"""Read a session held elsewhere by rules: names with their kind, relations, decisions, undertakings (S2).

Only forms whose meaning is plain are read: a name has a kind where something beside it says so (a speaker, `Ltd`,
`our supplier ...`), and a relation has one of the listed verbs. What is denied, asked or only supposed is no decision
and no undertaking. Parsers of natural language found less of public texts, at ten times the cost.

    told = read_session("Kim: We agreed to use Stripe. I'll send the contract by Friday.", now)
    told.decisions, told.undertakings, told.names
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

from mabos.knowledge.entities.linking import EntityLink
from mabos.knowledge.entities.mentions import Mention, mentions
from mabos.knowledge.entities.statistics import MemoryFigures
from mabos.knowledge.entities.thoughts import EntityDraft, SessionThought, definitions, name_for, sentences
from mabos.knowledge.entities.triples import triples
from mabos.knowledge.entities.turns import SessionTurn, session_forms, turns
from mabos.language.amounts import amounts_in
from mabos.language.sentences import begins_with_verb
from mabos.language.times import times_in
from mabos.memory.stem import stem
from mabos.workspace.dates import MONTHS, WEEKDAYS
from mabos.workspace.text import STOPWORDS, fold, one_line, terms

_ACRONYM = 4  # letters from which capitals alone may shorten a longer name
_MOST_NAMES, _MOST_SENTENCES, _LONGEST = 200, 20, 400
_KINDS = ("organisation", "product", "person", "place")
_TYPED_THOUGHT = re.compile(r"S(\d{1,9})\|([A-Z])\|(.+?)(?=\sS\d{1,9}\|[A-Z]\||\Z)", re.DOTALL)
_ENGLISH, _MARKS = 0.15, ".,;:!?"
"""Least share of little English words in a session whose names and undertakings are read by English forms."""
_OF_PEOPLE = frozenset({"works at", "reports to"})


@cache
def _patterns() -> tuple[dict[str, re.Pattern[str]], list[tuple[str, re.Pattern[str]]], frozenset[str]]:
    """Return the forms of `session_forms` by name, relations by predicate, and words that name nothing."""
    raw = session_forms()

    def pattern(text: str) -> re.Pattern[str]:
        for name, part in raw["parts"].items():
            text = text.replace(f"%{name}%", part)
        return re.compile(text)

    cues = {f"{kind}.{side}": text for kind, sides in raw["kinds"].items() for side, text in sides.items()}
    dates = {word for name in (*MONTHS, *WEEKDAYS) for word in (name.lower(), name[:3].lower())}
    return (
        {name: pattern(text) for name, text in (raw["forms"] | cues).items()},
        [(predicate, pattern(text)) for predicate, text in raw["relations"]],
        STOPWORDS.union(raw["no_names"].split(), dates),
    )


def _form(name: str) -> re.Pattern[str]:
    return _patterns()[0][name]


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name in a session, its kind ("" if unknown), and the sentences that mention it."""

    label: str
    kind: str
    sentences: tuple[str, ...]
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Undertaking:
    """A task as somebody stated it: who, what, and when (ISO); "" if no person or day is named."""

    who: str
    what: str
    due: str
    sentence: str


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A relation between two names that a sentence states."""

    subject: str
    predicate: str
    object: str
    sentence: str


@dataclass(slots=True)
class SessionReading:
    """The content of a session that could be read; amounts and days in the words of the text."""

    names: list[NamedThing] = field(default_factory=list)
    relations: list[NamedRelation] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    undertakings: list[Undertaking] = field(default_factory=list)
    amounts: list[str] = field(default_factory=list)
    days: dict[str, str] = field(default_factory=dict)
    thoughts: list[SessionThought] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return what was read, the names by kind."""
        kinds = sorted({one.kind for one in self.names if one.kind})
        return {
            "names": {kind: [one.label for one in self.names if one.kind == kind] for kind in (*kinds, "")},
            "relations": [asdict(one) for one in self.relations],
            "decisions": list(self.decisions),
            "undertakings": [asdict(one) for one in self.undertakings],
            "amounts": list(self.amounts),
            "days": dict(self.days),
        }


def read_session(session: str, now: datetime) -> SessionReading:
    """Return the content of a session; days without a year count from the day of their turn, else from `now`.

    In S2's notation (`S3|C|text`) the letter of a line says the kind of its thought, and nothing else is read.
    """
    if _TYPED_THOUGHT.match(session := session.strip()):
        typed = _TYPED_THOUGHT.finditer(session)
        return SessionReading(thoughts=[SessionThought(int(one[1]), one[2], one[3].strip()) for one in typed])
    told, said = SessionReading(), [(turn, one) for turn in turns(session) for one in _sentences(turn)]
    words = terms(session)
    is_english = sum(word in STOPWORDS for word in words) > len(words) * _ENGLISH
    names = _NameReader(said, is_english=is_english)
    told.names = names.things()
    for number, (turn, sentence) in enumerate(said, 1):
        at = datetime.combine(datetime.fromisoformat(turn.at), time(), UTC) if turn.at else now
        told.amounts += [one.words.rstrip(_MARKS) for one in amounts_in(sentence) if one.kind != "count"]
        told.days |= dict(_days(sentence, at))
        kind, text, who = "O", sentence, ""
        if chosen := _decision(turn, sentence):
            told.decisions.append(chosen)
            kind, text, who = "D", chosen, names.whole(turn.speaker)
        elif (is_english or _form("task").match(sentence)) and (
            undertaking := _undertaking(turn, sentence, at, names.known)
        ):
            told.undertakings.append(replace(undertaking, who=names.whole(undertaking.who)))
        elif any(names.whole(one) not in names.labels for one in definitions(sentence)):
            kind = "X"
        told.thoughts.append(SessionThought(number, kind, text, decided_by=who))
    told.amounts = list(dict.fromkeys(told.amounts))
    told.relations = list(dict.fromkeys(one for _, sentence in said for one in names.relations(sentence)))
    return told


def namesake_notices(draft: EntityDraft, session: str, figures: MemoryFigures) -> tuple[str, ...]:
    """Return a notice if other sessions describe a name in entirely different words."""
    ids = {one.id for one in figures.entities if one.address == draft.address}
    before = [one for one in figures.observations if one.entity_id in ids and one.source_session != session]
    name = {stem(word) for word in terms(draft.label)}
    said, known = (
        {stem(word) for text in texts for word in terms(text) if word not in STOPWORDS} - name
        for texts in (
            (*draft.observations, str(draft.properties.get("definition", ""))),
            [one.content for one in before],
        )
    )
    if not said or not known or said & known:
        return ()
    told = f"{session} says nothing of {draft.label} that {before[-1].source_session} says"
    return (f"{draft.address}: {told}; if they are different, create the other under another name",)


def draft_names(told: SessionReading) -> tuple[list[EntityDraft], list[EntityLink]]:
    """Return the names of a session as concepts, with their descriptions, and the relations between them."""
    owed: dict[str, list[str]] = {}
    for one in told.undertakings:
        owed.setdefault(one.who, []).append(f"undertook{f' by {one.due}' if one.due else ''}: {one.what}"[:_LONGEST])
    at = {one.label: f"concept:{name_for(one.label)}" for one in told.names}
    drafts = [
        EntityDraft(
            "Concept", name_for(one.label), one.label,
            {key: value for key, value in (("domain", one.kind), ("definition", one.definition)) if value}, 0,
            tuple(dict.fromkeys((*owed.get(one.label, ()), *one.sentences))),
        )
        for one in told.names
    ]  # fmt: skip
    links = [
        EntityLink("RELATES_TO", at[one.subject], at[one.object], one.sentence, one.predicate) for one in told.relations
    ]
    return drafts, links


def _sentences(turn: SessionTurn) -> Iterator[str]:
    for line in turn.text.split("\n"):
        bare = re.sub(r"^(?:[-*+•]|\d{1,2}[.)])\s+|\*\*|__", "", line.strip())
        yield from (one[:_LONGEST] for one in sentences(bare) if terms(one))


def _days(sentence: str, at: datetime) -> Iterator[tuple[str, str]]:
    """Yield the words of each day with its ISO form, a month for a month; a day of the past is the one before."""
    for one in times_in(sentence, at):
        day, words = one.day, one.words.rstrip(_MARKS)
        if day is None:
            continue
        is_dated = re.search(r"\d{4}|\b(?:next|coming)\b", words)
        if day > at.date() and not is_dated and _form("past").search(sentence[: one.start]):
            is_weekday = any(name.lower() in words.lower() for name in WEEKDAYS)
            year_before = day.replace(year=day.year - 1, day=min(day.day, 28) if day.month == 2 else day.day)
            day = day - timedelta(days=7) if is_weekday else year_before
        is_month = not re.search(r"\d", words) and any(month[:3].lower() in words.lower() for month in MONTHS)
        yield words, day.isoformat()[: 7 if is_month else 10]


def _decision(turn: SessionTurn, sentence: str) -> str:
    """Return the decision that a sentence states, "" for none."""
    found = _form("decides").search(sentence)
    is_listed = bool(_form("decisions").match(turn.section)) and len(terms(sentence)) > 2
    if _form("asked").search(sentence) or not (found or is_listed):
        return ""
    lead = sentence[: found.start()] if found else ""
    verb = found[0].split()[0] if found and not found["marked"] else ""
    begun = " ".join((found["said"] or "").split()[:2]) if found else ""
    if any(map(_form("denied").search, (f"{lead} {verb}", begun))):
        return ""
    if not is_listed and (_form("supposed").search(lead) or _form("later").search(sentence) or lead.count('"') % 2):
        return ""
    return (found["marked"] if found and found["marked"] else sentence).strip()


def _undertaking(turn: SessionTurn, sentence: str, at: datetime, people: Collection[str]) -> Undertaking | None:
    """Return who undertakes what in a sentence; None where nobody does. `people` are names that are known, folded."""
    if _form("asked").search(sentence) or sentence.startswith(('"', "“")):
        return None
    task = _form("task").match(sentence)
    listed = task["rest"] if task else sentence if _form("tasks").search(turn.section) else ""
    given = _form("given").match(listed) if listed else None
    if given and fold(given["who"] or given["last"]) not in _patterns()[2]:
        who, what = given["who"] or given["last"], given["what"] or given["task"]
    elif task:
        if not begins_with_verb(listed):
            return None
        who, what = "", listed
    else:
        forms = map(_form, ("mine", "ours", "theirs", "to"))
        found = next((matched for form in forms if (matched := form.match(sentence))), None)
        if found is None or _form("supposed").search(sentence):
            return None
        if any(_form(one).match(found["what"]) for one in ("state", "denied")):
            return None
        who = found["who"] if "who" in found.groupdict() else turn.speaker
        what = found["what"]
        is_nobody = found.re is _form("to") and fold(who) not in people
        if is_nobody or fold(who) in (_patterns()[2] - {"we"}):
            return None
    own = re.split(r" and (?:then )?(?:we|they|you)\b", what + (given["due"] or "" if given else ""))[0]
    due = next((one.iso for one in times_in(own, at) if one.day), "")
    who = turn.speaker if who in ("We", "we") else who
    return Undertaking(who.lstrip("@"), what.rstrip(". "), due, sentence) if who or task else None


def _is_no_name(word: str) -> bool:
    bare = word.lower().replace("’", "'").strip(".,")
    return bare in _patterns()[2] or bool(_form("sounds").match(bare))


class _NameReader:
    """The names of a session: which are one, what kind each is of, and where it is mentioned."""

    def __init__(self, said: Iterable[tuple[SessionTurn, str]], *, is_english: bool) -> None:
        self._said, self._is_english = list(said), is_english
        self._people = self._list_people()
        self.known = {part for one in self._people for part in (fold(one), *fold(one).split())}
        self._lower = Counter(word for _, one in self._said for word in re.findall(r"\b[a-z][\w'-]+", one))
        spots = [spot for _, one in self._said for spot in mentions(one) if spot.kind == "name"]
        self._middle = Counter(spot.text for spot in spots if spot.start > 1)
        self._middle.update(word for spot in spots for word in spot.text.split() if " " in spot.text)
        self._labels: dict[str, str] = {}
        every = Counter(spot.text for _, one in self._said for spot in self._spots(one))
        for name in sorted({*every, *self._people}, key=lambda one: -len(one.split())):
            self._labels[fold(name)] = self._longer(name)
        self.labels: dict[str, str] = {}
        about = "\n".join(one for _, one in self._said if _form("stating").search(one))
        self._subjects = {self.whole(one.subject) for one in triples(about)}

    def whole(self, name: str) -> str:
        """Return the longest form of a name that the session uses."""
        return self._labels.get(fold(name)) or self._longer(name)

    def things(self) -> list[NamedThing]:
        """Return every name with its kind and sentences, those mentioned most first; names of unknown kind need two."""
        kinds: dict[str, Counter[str]] = {}
        where: dict[str, dict[str, None]] = {self.whole(one): {} for one in self._people}
        for turn, sentence in self._said:
            for spot in self._spots(sentence):
                label = self.whole(spot.text)
                kinds.setdefault(label, Counter()).update(self._cues(sentence, spot))
                said = f"{turn.speaker}: {sentence}" if turn.speaker else sentence
                where.setdefault(label, {}).update({said: None} if len(terms(sentence)) > len(terms(label)) else {})
        defined = {self.whole(one): text for _, text in self._said for one in definitions(text)}
        people, found = {*map(self.whole, self._people)}, []
        is_talk = self._is_english and any(turn.speaker for turn, _ in self._said)
        for label, told in sorted(where.items(), key=lambda one: -len(one[1])):
            likely = kinds.get(label, Counter()).most_common(1)
            kind = "person" if label in people else likely[0][0] if likely else ""
            if kind or len(told) > 1 or label in self._subjects or (is_talk and self._middle[label]):
                found.append(NamedThing(label, kind, tuple(told)[:_MOST_SENTENCES], defined.get(label, "")))
        self.labels = {one.label: one.kind for one in found[:_MOST_NAMES]}
        return found[:_MOST_NAMES]

    def relations(self, sentence: str) -> Iterator[NamedRelation]:
        """Yield the relations that a sentence states between names that follow each other."""
        if _form("asked").search(sentence):
            return
        for one, other in pairwise(self._spots(sentence)):
            subject, object_ = self.whole(one.text), self.whole(other.text)
            between = sentence[one.end : other.start]
            predicate = next((name for name, form in _patterns()[1] if form.fullmatch(between)), "")
            is_fit = predicate not in _OF_PEOPLE or self.labels.get(subject) == "person"
            is_fit &= predicate != "works at" or self.labels.get(object_) != "person"
            if predicate and is_fit and subject != object_ and {subject, object_} <= self.labels.keys():
                yield NamedRelation(subject, predicate, object_, sentence)

    def _list_people(self) -> list[str]:
        people = [
            turn.speaker for turn, _ in self._said if turn.speaker and fold(turn.speaker) not in ("user", "assistant")
        ]
        for turn, sentence in self._said:
            if _form("attending").search(turn.section) and len(sentence) < 80:
                people.append(re.split(r"\s*[(,–—:|-]\s*|@", sentence)[0].strip())
            if present := _form("present").match(sentence):
                people += [re.sub(r"\(.*", "", one).strip() for one in re.split(r",|;|\band\b", present["names"])]
            people += re.findall(r"@([A-Z]\w+)", sentence)
        return [one for one in dict.fromkeys(people) if _form("person").fullmatch(one)]

    def _longer(self, name: str) -> str:
        """Return the one longer known name that begins or ends with this one, else the name."""
        bare = fold(name)
        if name.isupper() and len(name) < _ACRONYM:
            return name
        longer = {
            label for known, label in self._labels.items()
            if known != bare
            and (known.startswith(f"{bare} ") or known.endswith(f" {bare}") or known.replace(" ", "") == bare)
        }  # fmt: skip
        return next(iter(longer)) if len(longer) == 1 else one_line(name)

    def _spots(self, sentence: str) -> list[Mention]:
        """Return the names of a sentence, without words that are capital only because a sentence begins."""
        found = []
        for spot in mentions(sentence):
            if spot.kind != "name":
                continue
            text, start = spot.text, spot.start
            opening = re.match(r"\S+ (?:(?:of|for) (?:the )?|the )(?=[A-Z])", text)
            if opening and start <= 1 and not self._middle[text]:
                start, text = start + opening.end(), text[opening.end() :]
            text = text.rstrip(".") if text.count(".") == 1 or text[-2:-1].isdigit() else text
            if said := re.search(r" I(?:['’]\w+)?$", text):
                text = text[: said.start()]
            while (words := text.split()) and _is_no_name(words[0]):
                rest = text.lstrip()[len(words[0]) :].lstrip()
                start, text = start + len(text) - len(rest), rest
            is_first = start <= 1 and len(words) == 1 and not self._middle[text] and fold(text) not in self.known
            is_word = len(words) == 1 and self._lower[text.lower()] > 0 and not any(map(str.isdigit, text))
            is_first &= not (_form("firm").search(text) or _form("called").match(sentence[spot.end :]))
            if words and text[0].isalpha() and not is_word and not is_first:
                found.append(Mention(text, start, start + len(text), "name"))
        return found

    def _cues(self, sentence: str, spot: Mention) -> Iterator[str]:
        before, after = sentence[max(0, spot.start - 40) : spot.start], sentence[spot.end : spot.end + 40]
        if _form("firm").search(spot.text):
            yield from ("organisation", "organisation")
        elif re.search(r" v?\d+(?:\.\d+)*$", spot.text):
            yield "product"
        for kind in _KINDS:
            if _form(f"{kind}.before").search(before) or _form(f"{kind}.after").search(after):
                yield kind
