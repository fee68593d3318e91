"""Verbs of completion: their forms by kind of deed, and which deeds on record support which."""

import re
from functools import cache

from mabos.workspace.text import terms

FORMS = {
    "sent": r"sent|e-?mailed|mailed|dispatched|forwarded|(?:gone|went) out|(?:is|are|was|were|be|been) out(?! of)|"
    r"on (?:its|their) way to|delivered|shipped|handed in",
    "published": r"published|['’](?:s|re) (?:now |already )?(?:live|online)|"
    r"posted|uploaded|released|(?:is|are|was|were|gone|went|goes|now|been|be) (?:now )?(?:live|online)|"
    r"put (?:\w+ ){0,4}online",
    "running": r"launched|started|begun|commenced|kicked off|activated|switched on|turned on|up and running|"
    r"under ?way|"
    r"(?:is|are|was|were|now|been) (?:\w+ly |already |now )?running(?! (?:out|low|late|behind|short|at a|costs?))",
    "booked": r"booked|reserved|secured",
    "ordered": r"ordered|purchased|bought|commissioned|placed",
    "paid": r"paid(?! ads| search| social| media)|transferred|wired|settled|reimbursed|refunded|remitted",
    "agreed": r"agreed|accepted|confirmed|signed(?! up| in\b)|countersigned|concluded|negotiated",
    "approved": r"approved|authorised|authorized|signed off|cleared|green-?lit|given (?:the|its|his|her|your) (?:ok|"
    r"go-ahead)",
    "rejected": r"rejected|declined|turned down|refused|denied",
    "filed": r"filed|submitted|lodged|registered",
    "scheduled": r"scheduled|rescheduled|fixed for|set for|put in (?:the|your) (?:calendar|diary)",
    "cancelled": r"cancell?ed|called off|withdrawn|withdrew|revoked|stopped|paused|terminated|halted",
    "created": r"created|set up|drawn up|generated|made|built|established",
    "drafted": r"drafted|prepared|composed|written(?! to\b)|wrote(?! to\b| that\b|:)|"
    r"(?:is|are) (?:now )?ready(?! to (?!be\b|read\b|send\b|sign\b|approve\b|go\b)| when)",
    "recorded": r"recorded|noted|logged|entered|saved|stored|registered internally|written to|written down|added",
    "updated": r"updated|changed|amended|corrected|adjusted|revised|modified|raised|lowered|increased|reduced|moved|"
    r"extended|postponed|replaced|renamed",
    "asked": r"asked|requested|queried",
    "delegated": r"delegated|assigned|handed (?:\w+ ){0,3}(?:over|on)|passed (?:\w+ ){0,3}(?:on|over|to)",
    "informed": r"informed|notified|contacted|told|reminded|alerted|briefed|invited|answered|replied|"
    r"(?:wrote|written|spoke|spoken|talked) (?:to|with)|phoned|called(?! off)|rang|reached out",
    "hired": r"hired|engaged|appointed|contracted|recruited",
    "deleted": r"deleted|removed|archived|erased",
    "invoiced": r"invoiced|billed|charged",
    "done": r"done|completed?|finished|finali[sz]ed|accomplished|fulfilled|executed|carried out|taken care of|"
    r"sorted(?! by| into| in )(?: out)?|handled|arranged|resolved|implemented|dealt with|achieved|wrapped up|"
    r"(?:went|gone) through|all set|successful(?:ly)?|ticked off",
}  # fmt: skip
"""Participles and past forms of each kind; a deed's `kind` is one of them or of these names."""

NAMING = frozenset(terms("sent published paid agreed approved rejected filed cancelled"))
"""Kinds of which even "the paid invoice" says that it happened."""

STRONG = frozenset(
    terms("sent published running booked paid agreed approved rejected filed scheduled cancelled done ordered hired")
)
"""Kinds that anybody's deed of is checked; of the others only what the writer or nobody in particular did."""

SUPPORTED_BY = {
    "sent": "sent informed",
    "published": "published",
    "running": "running published",
    "booked": "booked ordered scheduled",
    "ordered": "ordered booked",
    "paid": "paid",
    "agreed": "agreed approved",
    "approved": "approved agreed",
    "rejected": "rejected cancelled",
    "filed": "filed",
    "scheduled": "scheduled booked created",
    "cancelled": "cancelled rejected deleted",
    "created": "created drafted published sent running booked ordered scheduled",
    "drafted": "drafted created sent published",
    "recorded": "recorded created updated booked scheduled filed drafted",
    "updated": "updated",
    "asked": "asked delegated sent informed",
    "delegated": "delegated asked sent",
    "informed": "informed sent delegated",
    "hired": "hired ordered",
    "deleted": "deleted cancelled",
    "invoiced": "invoiced sent",
}  # fmt: skip
"""The kinds of deed that support a claim of a kind; `done` is supported by every deed that takes effect."""

NO_EFFECT = frozenset(
    terms(
        "drafted asked recorded waiting pending proposed planned refused failed withdrawn rejected suggested requested"
    )
)
"""Kinds that leave the thing itself still to be done."""

OBSERVING = frozenset(
    terms(
        """
    been had become seen found looked checked read reviewed searched compared counted calculated computed understood
    noticed considered tried summed summarised summarized listed included assumed used based kept left taken shown
    verified examined analysed analyzed studied gathered collected identified mentioned described explained
    reported stated said given got gotten come gone risen fallen grown dropped declined improved doubled tripled halved
    remained stayed changed increased decreased gained lost won earned cost run held known heard learned learnt received
    passed asked liked wanted needed hoped expected planned intended proposed suggested recommended waited waited missed
    failed worked lived existed happened occurred appeared seemed sold spent attended arrived returned
    applied highlighted grouped ordered sorted marked quoted cited below above followed focused limited
    linked related concerned interested pleased based closed overdue delayed expired reached exceeded averaged totalled
    totaled ended begun turned divided multiplied added rounded outlined set made brought combined referred pointed
    retrieved obtained located fetched accessed caused covered selected chosen
    """
    )
)
"""Verbs that a reply may use freely: of looking, telling and reckoning, and of how figures move."""


@cache
def form_of(kind: str) -> re.Pattern[str]:
    """Return the pattern of all forms of a kind of deed, or of one verb that has no kind."""
    return re.compile(rf"\b(?:{FORMS.get(kind, re.escape(kind))})\b", re.IGNORECASE)


@cache
def any_form() -> re.Pattern[str]:
    """Return the pattern of all forms of all kinds; the name of its group is the kind."""
    return re.compile("|".join(rf"\b(?P<{kind}>{forms})\b" for kind, forms in FORMS.items()), re.IGNORECASE)


@cache
def kind_named(words: str) -> str:
    """Return the kind of deed that words name: "emailed" is sent, "written to outbox" is recorded."""
    low = " ".join(words.lower().replace("_", " ").split())
    if low in FORMS:
        return low
    match = any_form().search(low)
    return match.lastgroup or low if match else low


def supporting(kind: str) -> frozenset[str]:
    """Return the kinds of deed that support a claim of this kind, but for `done`."""
    return frozenset((*SUPPORTED_BY.get(kind, kind).split(), kind))
