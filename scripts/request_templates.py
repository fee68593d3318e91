"""Requests made from templates, with the calls they ask for: more pairs to train the reader of requests on.

`made_requests()` returns rows in the form of the leaderboard's: id, query, functions, answer. The operations are odd
trades that no data set has. `request_templates.txt` has them: an operation is its name, what it does, its slots and its
sentences. A slot is `name*: type; description; pool` with a star where it is required; a pool holds words and the value
that they mean. A slot whose sentence does not name it is left out.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

_FIRST = "Ada Bruno Carla Dmitri Elif Farid Greta Hugo Ines Jonas Keiko Lars Mina Nadia Olga Pavel Rosa Sven Tara Uwe"
_LAST = (
    "Abel Brandt Castro Dahl Egan Fuchs Garcia Holm Ivanov Jung Kato Lind Moreau Novak Okoro Petit Quint Ruiz Sato Voss"
)
_PLACES = (
    "Lisbon|Porto|Antwerp|Ghent|Split|Bergen|Tromso|Turku|Gdansk|Leipzig|Graz|Basel|Lyon|Nantes|Bilbao|Cork|Galway|"
    "Leeds|Dundee|Oslo|Helsinki|Riga|Tallinn|Izmir|Haifa|Nairobi|Accra|Lagos|Cape Town|Buenos Aires|Sao Paulo|"
    "San Sebastian|Le Havre|Rio de Janeiro|Kuala Lumpur|Ho Chi Minh City|Salt Lake City|Stoke-on-Trent|Fort Collins|"
    "Baton Rouge|Isle of Wight|Lake Geneva|Bay of Biscay|Port of Rotterdam|Old Town|Harbour Street|North Gate"
)
_COMPANIES = (
    "Baltic Timber|Nordlicht|Harbour & Sons|Quill Press|Meridian Textiles|Orchard Foods|Blue Kettle|Ferro Works|"
    "Lantern Books|Pine Valley Dairy|Atlas Freight|Willow and Rye|Copper Fox Ltd|Tidewater Inc|Mosaic Tiles"
)
_TITLES = (
    "The Salt Road|A Winter in Bergen|Bread of the North|Night Train to Graz|The Clockmaker of Lyon|Rules of the Tide|"
    "Letters from Izmir|Sonata for Two Lamps|The Siege of Split|History of Glass|Theory of Knots|Song of the Mill"
)
_THINGS = (
    "rye bread|oak boards|linen sheets|copper pipes|goat cheese|garden roses|ceramic tiles|brass bells|wool yarn|"
    "apple cider|walnut oil|river stones|tin soldiers|paper lanterns|ginger|saffron|plum jam|beeswax|chalk|slate"
)
_COLORS = "amber|teal|crimson|ivory|olive|navy|scarlet|beige|turquoise|violet|red|green|blue|black|white|grey"
_SUBJECTS = (
    "tide tables|copper mining|medieval bridges|bee diseases|glass blowing|wind erosion|sourdough|bookbinding|"
    "harbour law|soil acidity|railway clocks|river fish|folk dances|canal locks|peat fires|alpine flowers"
)
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SIGNATURES = Path(__file__).with_suffix(".txt")
Pair = tuple[str, Any]
_Pool = Callable[[random.Random], Pair]


def _one_of(words: str) -> _Pool:
    choices = words.split("|")
    return lambda chance: (chance.choice(choices),) * 2


def _person(chance: random.Random) -> Pair:
    name = f"{chance.choice(_FIRST.split())} {chance.choice(_LAST.split())}"
    name = chance.choice(("", "", "", "Dr. ", "Mr. ")) + name if chance.random() < 0.8 else name.split(maxsplit=1)[0]
    return name, name


def _count(low: int, high: int) -> _Pool:
    def draw(chance: random.Random) -> Pair:
        number = chance.randint(low, high)
        spoken = number < len(_WORDS) and number > 1 and chance.random() < 0.4
        return (_WORDS[number] if spoken else f"{number:,}" if chance.random() < 0.5 else str(number)), number

    return draw


def _money(chance: random.Random) -> Pair:
    number = chance.choice((45, 80, 120, 250, 900, 1200, 1500, 4000, 12_500, 60_000, 350_000, 2_000_000))
    shape = chance.randint(0, 4)
    if shape == 4 and number >= 1_000_000:
        return f"${number // 1_000_000} million", number
    if shape == 3 and number % 1000 == 0:
        return f"${number // 1000}k", number
    return (f"${number:,}", f"{number} dollars", f"{number:,} euros", f"${number}", f"${number:,}")[shape], number


def _percent(*, fraction: bool) -> _Pool:
    def draw(chance: random.Random) -> Pair:
        number = chance.choice((2, 3, 3.5, 4.25, 5, 7, 8, 12, 15, 20, 60))
        words = chance.choice((f"{number}%", f"{number} percent", f"{number}%"))
        return words, round(number / 100, 6) if fraction else number

    return draw


def _decimal(chance: random.Random) -> Pair:
    number = round(chance.uniform(0.1, 90), chance.randint(1, 3))
    return str(number), number


def _day(shape: str) -> _Pool:
    def draw(chance: random.Random) -> Pair:
        year, month, day = chance.randint(1995, 2030), chance.randint(1, 12), chance.randint(1, 28)
        ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        name = _MONTHS[month - 1]
        words = chance.choice((
            f"{name} {day}, {year}", f"{name} {day}{ending}, {year}", f"{day} {name} {year}",
            f"{year}-{month:02}-{day:02}",
            f"{day}{ending} of {name} {year}", f"{name[:3]} {day} {year}",
        ))  # fmt: skip
        return words, shape.format(y=year, m=month, d=day)

    return draw


def _clock(chance: random.Random) -> Pair:
    hour, minute = chance.randint(6, 21), chance.choice((0, 0, 15, 30, 45))
    minutes, space = f":{minute:02}" if minute else "", chance.choice((" ", ""))
    half = f"{(hour - 1) % 12 + 1}{minutes}{space}{'am' if hour < 12 else 'pm'}"
    return chance.choice((half, f"{hour}:{minute:02}")), f"{hour:02}:{minute:02}"


def _measure(*units: tuple[str, float]) -> _Pool:
    def draw(chance: random.Random) -> Pair:
        unit, factor = chance.choice(units)
        number = chance.choice((2, 3, 5, 8, 12, 15, 20, 45, 90, 1.5, 2.5))
        value = float(f"{number * factor:.12g}")
        return f"{number}{unit}", int(value) if float(value).is_integer() else value

    return draw


def _ahead(chance: random.Random) -> Pair:
    number = chance.randint(2, 14)
    return chance.choice((
        ("the next week", 7), ("the coming week", 7), ("the next month", 30), ("the upcoming month", 30),
        ("the following week", 7), (f"the next {number} days", number), (f"{number} days", number),
        (f"the coming {number} days", number),
    ))  # fmt: skip


def _rhythm(chance: random.Random) -> Pair:
    return chance.choice((("quarterly", 4), ("monthly", 12), ("annually", 1), ("weekly", 52), ("daily", 365)))


def _code(chance: random.Random) -> Pair:
    letters = "".join(chance.choice("ABCDEFGHKLMNPRSTXYZ") for _ in range(chance.randint(1, 3)))
    number = chance.randint(10, 99_999)
    text = chance.choice(
        (f"{letters}{number}", f"{letters}-{number}", str(number + 1000), f"{letters.lower()}_{number}")
    )
    return text, text


def _mail(chance: random.Random) -> Pair:
    first, last = chance.choice(_FIRST.split()), chance.choice(_LAST.split())
    text = f"{first}.{last}@{chance.choice(('quill', 'lantern', 'ferro'))}.example".lower()
    return text, text


def _path(chance: random.Random) -> Pair:
    stem = chance.choice(("stock", "harvest", "crew", "tides", "ledger_2024", "rooms-north"))
    text = chance.choice((f"{stem}.csv", f"/data/{stem}.json", f"C:\\files\\{stem}.txt", f"{stem}.xlsx"))
    return text, text


def _link(chance: random.Random) -> Pair:
    text = f"https://{chance.choice(('tides', 'kiln', 'orchard'))}.example/{chance.choice(('feed', 'api/v2', 'list'))}"
    return text, text


def _said(chance: random.Random) -> Pair:
    text = chance.choice((
        "The kiln is cold until Monday", "Please bring the ladder back", "We open an hour later tomorrow",
        "Tea at four in the workshop", "I can't find the second key", "Mind the wet paint on the stairs",
    ))  # fmt: skip
    return chance.choice((f"'{text}'", f'"{text}"')), text


def _quoted(pool: _Pool) -> _Pool:
    def draw(chance: random.Random) -> Pair:
        words, value = pool(chance)
        return chance.choice((f"'{words}'", words, f'"{words}"')), value

    return draw


def _numbers(chance: random.Random) -> Pair:
    values = [
        chance.choice((chance.randint(1, 99), round(chance.uniform(0, 20), 1))) for _ in range(chance.randint(3, 6))
    ]
    written = [str(value) for value in values]
    listed = f"{', '.join(written[:-1])} and {written[-1]}"
    return chance.choice((f"[{', '.join(written)}]", listed, listed, ", ".join(written))), values


def _several(pool: str) -> _Pool:
    def draw(chance: random.Random) -> Pair:
        values = chance.sample(pool.split("|"), chance.randint(2, 4))
        spoken = f"{', '.join(values[:-1])} and {values[-1]}"
        oxford = f"{', '.join(values[:-1])}, and {values[-1]}" if len(values) > 2 else spoken
        literal = "[" + ", ".join(f"'{value}'" for value in values) + "]"
        return chance.choice((spoken, spoken, oxford, literal)), values

    return draw


def _bounds(chance: random.Random) -> Pair:
    low = chance.randint(1900, 2010)
    high = low + chance.randint(1, 40)
    return chance.choice((f"from {low} to {high}", f"between {low} and {high}", f"{low} to {high}")), [low, high]


def _year(chance: random.Random) -> Pair:
    year = chance.randint(1890, 2029)
    return str(year), year


def _year_text(chance: random.Random) -> Pair:
    year = str(chance.randint(1890, 2029))
    return year, year


def _polynomial(chance: random.Random) -> Pair:
    size = [chance.randint(1, 9) for _ in range(3)]
    return f"{size[0]}x^2 + {size[1]}x - {size[2]}", [size[0], size[1], -size[2]]


def _grid(chance: random.Random) -> Pair:
    rows = [[chance.randint(1, 50) for _ in range(2)] for _ in range(2)]
    return str(rows), rows


def _record(chance: random.Random) -> Pair:
    names = chance.sample(_THINGS.split("|"), 3)
    record = {name: chance.randint(1, 90) for name in names}
    return str(record), record


def _city_with_state(chance: random.Random) -> Pair:
    return chance.choice((
        ("Boston", "Boston, MA"), ("Austin", "Austin, TX"), ("Seattle", "Seattle, WA"), ("Phoenix", "Phoenix, AZ"),
        ("Oakland", "Oakland, CA"), ("Buffalo", "Buffalo, NY"),
        ("Austin, TX", "Austin, TX"), ("Tucson, AZ", "Tucson, AZ"),
    ))  # fmt: skip


def _currency(chance: random.Random) -> Pair:
    return chance.choice((
        ("euros", "EUR"), ("US dollars", "USD"), ("Japanese yen", "JPY"), ("British pounds", "GBP"),
        ("Swiss francs", "CHF"), ("Canadian dollars", "CAD"), ("USD", "USD"), ("EUR", "EUR"),
    ))  # fmt: skip


_SECONDS = _measure((" seconds", 1), (" minutes", 60), (" hours", 3600), ("s", 1))
_MINUTES = _measure((" minutes", 1), (" minutes", 1), (" hours", 60))
_METERS = _measure((" meters", 1), ("m", 1), (" km", 1000), (" cm", 0.01))
_KILOS = _measure((" kg", 1), (" kilograms", 1), ("g", 0.001), ("kg", 1))
_FARADS = _measure(("µF", 1e-6), (" microfarads", 1e-6), ("nF", 1e-9), (" farads", 1))
_VOLTS = _measure((" volts", 1), ("V", 1), ("mV", 0.001), ("kV", 1000))
POOLS: Mapping[str, _Pool] = {
    "place": _one_of(_PLACES), "person": _person, "company": _one_of(_COMPANIES), "title": _quoted(_one_of(_TITLES)),
    "thing": _one_of(_THINGS), "color": _one_of(_COLORS), "subject": _one_of(_SUBJECTS), "few": _count(2, 12),
    "many": _count(15, 5000), "money": _money, "fraction": _percent(fraction=True), "percent": _percent(fraction=False),
    "decimal": _decimal, "iso": _day("{y}-{m:02}-{d:02}"), "us": _day("{m:02}/{d:02}/{y}"),
    "european": _day("{d:02}-{m:02}-{y}"), "clock": _clock, "seconds": _SECONDS, "minutes": _MINUTES,
    "meters": _METERS, "kilos": _KILOS, "farads": _FARADS, "volts": _VOLTS, "ahead": _ahead, "rhythm": _rhythm,
    "code": _quoted(_code), "mail": _mail, "path": _path, "link": _link, "said": _said, "numbers": _numbers,
    "things": _several(_THINGS), "places": _several(_PLACES), "colors": _several(_COLORS),
    "people": _several("|".join(_FIRST.split())), "bounds": _bounds, "year": _year, "yeartext": _year_text,
    "polynomial": _polynomial, "grid": _grid, "record": _record, "citystate": _city_with_state, "currency": _currency,
}  # fmt: skip
_EVENT = _one_of(
    "Treaty of Ghent|Battle of the Kiln|Peace of Graz|Siege of Riga|signing of the Charter of Bergen|"
    "Great Fire of Turku|theory of knots|art of glass blowing|principle of least effort|law of tides|"
    "steam plough|double-entry ledger"
)
_LEAGUE = _one_of("Northern League|Baltic Cup|Liga Norte|Harbour Premier League|Serie Azul|NBL")


def _pair_limits(chance: random.Random) -> Pair:
    low, high = chance.randint(-5, 3), chance.randint(4, 12)
    words = (f"from {low} to {high}", f"between x = {low} and x = {high}", f"between {low} and {high}")
    return chance.choice(words), [low, high]


def _whole_percent(chance: random.Random) -> Pair:
    number = chance.randint(5, 100)
    return f"{number}%", number


_MORE_POOLS: Mapping[str, _Pool] = {
    "event": _EVENT, "league": _LEAGUE, "pairlimits": _pair_limits, "percentint": _whole_percent,
}  # fmt: skip
_LEADS = ("", "", "", "", "", "Please ", "Hi, ", "Hello! ", "Good morning. ", "For a friend: ")
_TAILS = ("", "", "", "", "", " Thanks.", " Thank you!", " It is for a report.", " I'm in a hurry.")


def made_requests(each: int = 5, seed: int = 4) -> list[dict[str, Any]]:
    """Return rows made from every sentence of every operation, `each` of a sentence."""
    chance = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for block in ("\n" + SIGNATURES.read_text("utf-8")).split("\n# ")[1:]:
        lines = block.strip().splitlines()
        name, _, description = lines[0].partition(": ")
        slots = [line for line in lines[1:] if not line.startswith("- ")]
        function, pools = _function(name, description, slots)
        for sentence in (line[2:] for line in lines[1:] if line.startswith("- ")):
            rows += [_row(f"made_{len(rows) + n}", sentence, function, pools, chance) for n in range(each)]
    return rows


def _function(name: str, description: str, slots: Sequence[str]) -> tuple[dict[str, Any], dict[str, str]]:
    properties, required, pools = {}, [], {}
    for line in slots:
        label, _, rest = line.partition(": ")
        kind, told, pool = (part.strip() for part in rest.split(";", 2))
        slot, key = label.rstrip("*"), kind.partition("<")[0]
        spec: dict[str, Any] = {"type": key, "description": told}
        if "<" in kind:
            spec["items"] = {"type": kind.partition("<")[2].rstrip(">")}
        if pool.startswith("enum "):
            spec["enum"] = pool[5:].split("|")
        properties[slot], pools[slot] = spec, pool
        if label.endswith("*"):
            required.append(slot)
    parameters = {"type": "dict", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters}, pools


def _row(
    key: str, sentence: str, function: Mapping[str, Any], pools: Mapping[str, str], chance: random.Random
) -> dict[str, Any]:
    """Return one filled sentence; `{slot}` takes words of its pool, `{slot:words|value}` has its own."""
    values: dict[str, list[Any]] = {}

    def put(match: re.Match[str]) -> str:
        slot, _, own = match[1].partition(":")
        if own in POOLS:
            return POOLS[own](chance)[0]
        if own:
            words, _, written = own.partition("|")
            values[slot] = [True if written == "true" else written]
            return words
        words, value = _pool_of(pools[slot])(chance)
        values[slot] = [value]
        return words

    filled = re.sub(r"\{([^{}]+)\}", put, sentence)
    lead = "" if filled.startswith("Please") else chance.choice(_LEADS)
    query = lead + filled + chance.choice(_TAILS)
    required = function["parameters"]["required"]
    for slot, spec in function["parameters"]["properties"].items():
        if slot not in values:
            values[slot] = [""] if slot not in required else []
        elif spec["type"] == "boolean":
            values[slot] = [bool(values[slot][0])]
    return {"id": key, "query": query, "functions": [dict(function)], "answer": [{function["name"]: values}]}


def _pool_of(name: str) -> _Pool:
    if name.startswith(("enum ", "listed ")):
        return _one_of(name.partition(" ")[2])
    return POOLS.get(name) or _MORE_POOLS[name]
