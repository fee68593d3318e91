"""The claim check: unsupported claims of a reply, the complaint about them, and the reply without them."""

from collections.abc import Iterator, Sequence

from mabos.language.claims.causes import unsupported_causes
from mabos.language.claims.dates import unsupported_days
from mabos.language.claims.deeds import unsupported_completions
from mabos.language.claims.evidence import ClaimKind, Evidence, UnsupportedClaim
from mabos.language.claims.names import unsupported_addresses, unsupported_names
from mabos.language.claims.numbers import unsupported_figures
from mabos.language.claims.promises import unsupported_promises
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.sentences import without_spans
from mabos.language.claims.states import contradicted_states
from mabos.language.claims.stems import with_plain_letters
from mabos.language.claims.support import EvidenceIndex
from mabos.language.claims.verbs import OBSERVING, kind_named
from mabos.workspace.text import one_line, shorten

_REASONS = {
    "number": "no record of this conversation has this number of this thing and time, and it does not follow from two",
    "amount": "no record of this conversation has this amount of this thing and time, and it does not follow from two",
    "date": "no record of this conversation has this day or time for it",
    "state": "its record has another state",
    "cause": "no record of this conversation says this",
    "promise": "nothing is on record that will do it: no reminder, goal, commitment or order that waits",
    "name": "no record of this conversation has this name",
    "address": "no record of this conversation has this address",
}
_ADVICE = {
    "number": "use a number from the records, or leave it out",
    "amount": "use the amount from the records, or leave it out",
    "date": "use a day from the records, or leave it out",
    "name": "use a name from the records, or leave it out",
    "address": "copy the address from the records, or leave it out",
    "state": "say the state of the record",
    "cause": "say that the cause is not known, or that you suppose it",
    "promise": "call the tool that does it or reminds of it, offer it, or leave it out",
    "completion": "say what the record says, say that it is still to be done, or leave it out",
}


def check_claims(text: str, evidence: Evidence) -> tuple[UnsupportedClaim, ...]:
    """Return the claims of a text that its conversation does not support, in the order of the text."""
    if not text.strip():
        return ()
    reply, support = ReplyText(with_plain_letters(text), evidence.now), EvidenceIndex(evidence)
    found = sorted(_claims(reply, support), key=lambda one: (one[0], one[1]))
    claims = []
    for position, kind, words, reason in dict.fromkeys(found):
        sentence = reply.sentences[position]
        claims.append(
            UnsupportedClaim(
                kind, words, one_line(text[sentence.start : sentence.end]), reason, sentence.start, sentence.end
            )
        )
    return tuple(claims)


def _claims(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, ClaimKind, str, str]]:
    for one in unsupported_figures(reply, support):
        kind: ClaimKind = "amount" if one.figure.kind == "money" else "number"
        yield one.sentence, kind, one.figure.words, _REASONS[kind]
    for position, words in unsupported_days(reply, support):
        yield position, "date", words, _REASONS["date"]
    for position, words in unsupported_names(reply, support):
        yield position, "name", words, _REASONS["name"]
    for position, words in unsupported_addresses(reply, support):
        yield position, "address", words, _REASONS["address"]
    for position, words in contradicted_states(reply, support):
        yield position, "state", words, _REASONS["state"]
    for position, words in unsupported_causes(reply, support):
        yield position, "cause", words, _REASONS["cause"]
    for position, words in unsupported_promises(reply, support):
        yield position, "promise", words, _REASONS["promise"]
    for position, words, kind_of_deed in unsupported_completions(reply, support):
        yield position, "completion", words, _completion_reason(kind_of_deed, support)


def _completion_reason(kind: str, support: EvidenceIndex) -> str:
    acts = [one for one in support.evidence.done if kind_named(one.kind) not in OBSERVING]
    done = "; ".join(f"{deed.kind}: {shorten(one_line(deed.words), 60)}" for deed in acts[:4])
    on_record = f"on record is only: {done}" if done else "nothing is on record as done"
    return f"no record says that this is {kind}; {on_record}"


def complaint(unsupported: Sequence[UnsupportedClaim]) -> str:
    """Return the corrections to request from the writer of a text, one line for each claim; "" for none."""
    return "\n".join(
        f'- "{shorten(one.sentence, 160)}": "{one.words}" ({one.kind}): {one.reason}. Please {_ADVICE[one.kind]}.'
        for one in unsupported
    )


def without_claims(text: str, unsupported: Sequence[UnsupportedClaim]) -> str:
    """Return a text without the sentences that contain its unsupported claims; "" if nothing is left."""
    return without_spans(text, {(one.start, one.end) for one in unsupported}) if unsupported else text


def supported_text(text: str, evidence: Evidence) -> str:
    """Return a text from which unsupported claims are removed until all the rest is supported.

    Removing a sentence may also remove the support of a count or sum elsewhere.
    """
    while unsupported := check_claims(text, evidence):
        shorter = without_claims(text, unsupported)
        text = shorter if len(shorter) < len(text) else ""
    return text
