"""The claim check: a model's text may state only facts that its conversation supports.

Reading order: `evidence.py` (the support of a text), `check.py` (the check, the complaint, the text without),
`sentences.py` and `reply.py` (a reply as it is read), `figures.py`, `days.py`, `tables.py`, `stems.py` and `index.py`
(evidence, read once), `support.py` (all of it as one), `numbers.py` with `derived.py`, `dates.py`, `binding.py` (a
value belongs to its own thing and day), `names.py`, `states.py`, `causes.py`, `promises.py`, and `completion.py` with
`verbs.py` and `deeds.py` (claims that something is done).

    from datetime import UTC, datetime
    from mabos.language.claims import Deed, Evidence, check_claims, complaint, supported_text
    now = datetime(2026, 11, 9, tzinfo=UTC)
    evidence = Evidence(("Write to Hanna Weiss.",), (Deed("drafted", "letter to Hanna Weiss"),), now)
    [claim] = check_claims("I drafted the letter. It was sent to Hanna Weiss.", evidence)
    claim.kind, claim.words     # ("completion", "sent")

Measured on sentences not used for tuning, at their first reading. Of values, states, causes, forecasts, promises and
people over 3 sets of records (`kept` in `records.yaml` of the tests), it caught 27 of 30 false ones and refused 2 of 27
true ones; over 3 more, 31 of 35 and 4 of 35. Before it knew of these kinds, it had caught 14 and 15. Of deeds, numbers
and names (`fresh.yaml`), it caught 29 of 30 and refused 2 of 30. Now, over all files, it catches 290 of 299 and refuses
3 of 294. A reply of 2,000 characters over 200 kB of evidence takes half a second.

Of 167 numbers of real replies that were each replaced by another one of their records, it catches 57.

Not caught: a true value of a thing that is named by a pronoun or by a word that no record has, most values that are
swapped within long sentences, a number that by chance is the sum or difference of two records, and deeds in verbs that
are not listed, unless as "I ...ed" or "has been ...ed".
"""

from mabos.language.claims.check import check_claims, complaint, supported_text, without_claims
from mabos.language.claims.evidence import ClaimKind, Deed, Evidence, UnsupportedClaim

__all__ = [
    "ClaimKind",
    "Deed",
    "Evidence",
    "UnsupportedClaim",
    "check_claims",
    "complaint",
    "supported_text",
    "without_claims",
]
