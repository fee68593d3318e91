"""The claim check: a model's text may state only facts that its conversation supports.

Reading order: `evidence.py` (the support of a text), `check.py` (the check, the complaint, the text without),
`sentences.py` and `reply.py` (a reply as it is read), `figures.py`, `days.py`, `tables.py`, `stems.py` and `index.py`
(evidence, read once), `support.py` (all of it as one), `numbers.py` with `derived.py`, `dates.py`, `binding.py` (a
value belongs to its own thing and day), `names.py`, `states.py`, `causes.py`, `promises.py`, and `completion.py` with
`verbs.py`, `deeds.py` and `shown.py` (claims that something is done).

    from datetime import UTC, datetime
    from mabos.language.claims import Deed, Evidence, check_claims, complaint, supported_text
    now = datetime(2026, 11, 9, tzinfo=UTC)
    evidence = Evidence(("Write to Hanna Weiss.",), (Deed("drafted", "letter to Hanna Weiss"),), now)
    [claim] = check_claims("I drafted the letter. It was sent to Hanna Weiss.", evidence)
    claim.kind, claim.words     # ("completion", "sent")

`docs/models.md` says what was measured. A reply of 2,000 characters over 200 kB of evidence takes half a second.

Not caught: a true value of a thing that is named by a pronoun or by a word that no record has, most values that are
swapped within long sentences, a number that by chance is the sum or difference of two records, and deeds in verbs that
are not listed, unless as "I ...ed" or "has been ...ed".
"""

from mabos.language.claims.check import check_claims, complaint, supported_text, without_claims
from mabos.language.claims.evidence import ClaimKind, Deed, Evidence, UnsupportedClaim

__all__ = [
    "ClaimKind", "Deed", "Evidence", "UnsupportedClaim", "check_claims", "complaint", "supported_text",
    "without_claims",
]  # fmt: skip
