"""Words that mean the same to a person who asks, and how well the words of a question cover a name.

>>> sorted(same("deductible") & same("excess"))[:1]
['deduct']
"""

from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from functools import cache, lru_cache

from mabos.memory.stem import stem
from mabos.workspace.text import terms

_GROUPS = """
    revenue takings sales turnover income receipts
    utilisation utilization busy
    big large
    small little
    project projects engagement engagements assignment assignments
    occupancy occupied
    cost costs expense expenses spend spending spent expenditure outlay
    price priced premium fee charge charges tariff cost costs dear dearer expensive cheap cheaper dollars
    staff employee employees people worker workers headcount personnel
    customer customers client clients buyer buyers
    guest guests visitor visitors attendance footfall
    late delay delays delayed overdue
    profit margin surplus
    insurance insured insure policy cover coverage covered
    excess deductible
    expire expires expiry expiring lapse lapses end ends ended until valid term
    max maximum most allowed limit cap capacity ceiling
    min minimum least
    end ends close closes closing until last lasts run runs
    hold holds last lasts valid until
    start starts begin begins open opens opening commence free available
    stop stops end ends ended until
    repair repaired repairs fixed fix mended
    balance balances cash bank
    complaint complaints complain complained
    sick sickness illness ill absence absences absent
    holiday holidays vacation leave away off
    phone telephone number mobile
    email mail address
    rate wage price cost fee
    delivery deliveries deliver delivered parcel parcels shipment shipments consignment shipping
    order orders ordered
    booking bookings booked reservation reservations
    supplier suppliers supply supplies supplied vendor vendors
    owe owed owes owing unpaid outstanding receivable receivables debt debts
    owe owed loan rest remaining remainder balance
    pay pays paid payment payments payable
    wage wages salary salaries pay earn earns earned hourly
    hour hourly
    member members membership memberships subscriber subscribers
    defect defects defective fault faults faulty reject rejects scrap broken breakage
    machine machines equipment
    notice cancel cancellation terminate termination quit
    guarantee warranty
    discount rebate reduction
    deposit prepayment
    power electricity electric energy
    van vans vehicle vehicles lorry lorries truck trucks car cars fleet
    return returns returned refund refunds refunded
    return returned back brought bring
    sell sells sold
    renew renewal renewed renews extend extension
    recommend recommendation recommended recommends reference references
    licence licences license licenses permit permits
    training course courses
    rent lease rental tenancy
    share percentage proportion
    output production produced produce out
    stock inventory
    wait waiting queue queues
    owner boss
    loan loans lent borrowed
    trip trips ride rides journey journeys
    show shows performance performances screening screenings
"""
_FORMS = """
    hold held; sell sold; pay paid; buy bought; send sent; write wrote written; come came; give gave given; take took
    taken; leave left; lend lent; build built; break broke broken; drive drove driven; grow grew grown; rise rose risen;
    fall fell fallen; win won; lose lost; meet met; spend spent; tell told; begin began begun; keep kept; stand stood;
    teach taught; wear wore worn; choose chose chosen; fly flew flown; steal stole stolen; tear tore torn; throw threw
    thrown; person people; man men; woman women; foot feet; bring brought; catch caught; deal dealt; feed fed; find
    found; hear heard; hurt hurt; make made; read read; ride rode ridden; see saw seen; sing sang sung; sleep slept;
    speak spoke spoken; swim swam swum; think thought; wake woke woken; draw drew drawn; eat ate eaten; lead led
"""
"""Forms of one word that have no stem in common."""
_NEAR = """
    visitor visitors guest guests people persons folk folks attendance ticket tickets admission admissions
    film films movie movies screen screens ticket tickets cinema
    child children kid kids pupil pupils
    parent parents family families
    adult adults grown
    dog dogs pet pets animal animals
    tent tents pitch pitches
    place places space spaces spot spots
    machine machines washer washers
    unpaid open outstanding unsettled
    deliver delivery delivers bring brings
    bid bids tender tenders proposal proposals
    waste wasted bin binned thrown
    debtor debtors invoice invoices payment payments unpaid owe owed owes behind arrears
    overdraft overdraw overdrawn
    ill sick sickness absence absent
    close closed closes shut
    fix fixed mend mended repair repaired
    sit seat seats capacity
    volunteer volunteers helper helpers
"""
"""Words of one matter that are not the same: they find the records nearest to a question, and answer none."""


@lru_cache(maxsize=50_000)
def stems_of(word: str) -> tuple[str, ...]:
    """Return the stems of the parts of a word: `no_show_rate` has three."""
    return tuple(stem(one) for one in terms(word))


@cache
def _table(*, is_near: bool = False) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    lines = _NEAR.splitlines() if is_near else [*_GROUPS.splitlines(), *" ".join(_FORMS.split()).split(";")]
    for line in filter(None, map(str.strip, lines)):
        group = {one for word in line.split() if "_" not in word for one in stems_of(word)}
        for one in group:
            table.setdefault(one, {one}).update(group)
    return {one: frozenset(group) for one, group in table.items()}


def same(word: str) -> frozenset[str]:
    """Return the stems that mean the same as that of a word or stem, itself among them."""
    found = _table().get(word) or _table().get(stem(word))
    return found or frozenset({word, stem(word)})


def akin(word: str) -> frozenset[str]:
    """Return the stems of words that belong to the same matter as a stem."""
    return _table(is_near=True).get(word, frozenset())


_WHOLE_STEM = 5
_ENDINGS = ("ag", "er", "or", "ing", "ment", "ion", "abl", "iv", "al", "ist", "ship", "hood", "ful")
_OPPOSITES = """
    open closed shut
    allowed forbidden prohibited banned permitted
    included excluded extra
    free cost costs charged
    covered excluded
    """


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Return the stems that answer a yes-or-no question about another with no."""
    groups = [{one for word in line.split() for one in stems_of(word)} for line in _OPPOSITES.splitlines()]
    return {one: frozenset(group) for group in groups for one in group}


@lru_cache(maxsize=50_000)
def is_slip(given: str, meant: str) -> bool:
    """Return whether one stem is the other with a slip of the pen."""
    if min(len(given), len(meant)) < 5 or abs(len(given) - len(meant)) > 2 or given[0] != meant[0]:
        return False
    return SequenceMatcher(None, given, meant).ratio() >= (0.85 if len(meant) > 5 else 0.88)


def covering(part: str, stems: Iterable[str]) -> str:
    """Return the stem of a question that covers a stem of a name: the same, one that means the same, or a slip."""
    every = list(stems)
    if part in every:
        return part
    alike = same(part)
    return (
        next((one for one in every if one in alike), "")
        or next((one for one in every if is_slip(one, part)), "")
        or next((one for one in every if _is_form(one, part)), "")
    )


def _is_form(one: str, other: str) -> bool:
    """Return whether a longer stem is made of a shorter one, as that of spoilage is of spoil."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _WHOLE_STEM and long.startswith(short) and long[len(short) :] in _ENDINGS


_GENERIC = frozenset(
    stem(one)
    for one in terms(
        """rate usd eur gbp pct percent count number total m3 kg kwh km litre litres liter liters m2 l per month
        monthly weekly daily avg average level of on the in a an and our we company current value amount figure sum"""
    )
)


def core(name: str) -> tuple[str, ...]:
    """Return the stems of a name that tell it from others: without units and words as rate or total."""
    parts = [one for one in stems_of(name) if not one.isdigit()]
    return tuple(dict.fromkeys([one for one in parts if one not in _GENERIC] or parts))


def coverage(name: str, stems: Collection[str]) -> tuple[float, frozenset[str]]:
    """Return the share of a name's core that a question covers, and the stems of the question that do."""
    parts = core(name)
    found = [covering(part, stems) for part in parts]
    covered = sum(map(bool, found))
    extra = {one for one in stems_of(name) if one in stems}  # `rate` and the like belong to the name too
    return covered / max(1, len(parts)), frozenset(filter(None, found)) | extra
