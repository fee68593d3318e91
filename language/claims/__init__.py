"""The claim check: a text that a model wrote says nothing that its conversation does not support.

from datetime import UTC, datetime
from mabos.language.claims import Deed, Evidence, check_claims, complaint, supported_text
now = datetime(2026, 11, 9, tzinfo=UTC)
evidence = Evidence(("Write to Hanna Weiss.",), (Deed("drafted", "letter to Hanna Weiss"),), now)
[claim] = check_claims("I drafted the letter. It was sent to Hanna Weiss.", evidence)
claim.kind, claim.words     # ("completion", "sent")
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
