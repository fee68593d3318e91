"""The claim check: a text that a model wrote says nothing that its conversation does not support.

Reading order: `evidence.py` (what supports a text), `check.py` (the check, the complaint, the text without),
`sentences.py` and `reply.py` (a reply as it is read), `figures.py`, `days.py`, `tables.py`, `stems.py` and `index.py`
(evidence, read once), `support.py` (all of it as one), `numbers.py` with `derived.py`, `dates.py`, `names.py`, and
`completion.py` with `verbs.py` and `deeds.py` (what is said to be done).

    from datetime import UTC, datetime
    from mabos.language.claims import Deed, Evidence, check_claims, complaint, supported_text
    now = datetime(2026, 11, 9, tzinfo=UTC)
    evidence = Evidence(("Write to Hanna Weiss.",), (Deed("drafted", "letter to Hanna Weiss"),), now)
    [claim] = check_claims("I drafted the letter. It was sent to Hanna Weiss.", evidence)
    claim.kind, claim.words     # ("completion", "sent")

Measured on replies that it was not tuned by (`tests/language/claims/fresh.yaml`), read once: of the first 124, it
caught 59 of 62 false ones and complained of 10 of 62 honest ones; after mending, of 60 more, it caught 29 of 30 and
complained of 2 of 30. Now, over all files, it catches 217 of 221 and complains of 3 of 224. A reply of 2,000
characters over 200 kB of evidence takes half a second the first time and a quarter afterwards.

Not caught: a true name, number or date that is given to the wrong thing, a number that by chance is the sum or
difference of two records, "half" and "twice", and deeds in verbs that are not listed, unless as "I ...ed" or "has been
...ed".
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
