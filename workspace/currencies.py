"""The known currencies: their words, signs and codes, and the currency of the active business.

    CURRENCIES["pounds"], money(1200.5, "EUR"), money(30, "CHF")      # 'GBP', '€1,200.50', 'CHF 30'

Amounts of operations (`budget_usd` and the like) are in the currency of the business. The gate and each phase set it
with `speaking_in`; the default is dollars.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

DOLLARS = "USD"
CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "buck": "USD", "bucks": "USD",
    "£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "quid": "GBP",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "chf": "CHF", "franc": "CHF", "francs": "CHF", "franken": "CHF", "¥": "JPY", "jpy": "JPY", "yen": "JPY",
    "cad": "CAD", "aud": "AUD", "₹": "INR", "inr": "INR", "rupees": "INR", "sek": "SEK", "nok": "NOK", "dkk": "DKK",
    "kronor": "SEK", "kroner": "NOK", "pln": "PLN", "zloty": "PLN",
}  # fmt: skip
"""The code of each word and sign, in small letters."""
CODES = tuple(dict.fromkeys(CURRENCIES.values()))
SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"} | {
    code: f"{code} " for code in CODES if code not in ("USD", "EUR", "GBP", "JPY", "INR")
}
"""The prefix of an amount, by currency code."""
MARKS = r"US\$|[$€£¥₹]"
"""A pattern of the signs."""
CODE = "|".join(CODES)
"""A pattern of the codes."""
WORDS = "|".join(sorted((word for word in CURRENCIES if word.isalpha()), key=len, reverse=True))
"""A pattern of the words and codes, the longest first."""
_HOME: ContextVar[str] = ContextVar("home_currency", default=DOLLARS)


def home() -> str:
    """Return the currency code of the active business."""
    return _HOME.get()


@contextmanager
def speaking_in(currency: str) -> Iterator[None]:
    """Use `currency` as the currency of the active business, in this context only."""
    token = _HOME.set(currency or DOLLARS)
    try:
        yield
    finally:
        _HOME.reset(token)


def sign_of(currency: str = "") -> str:
    """Return the sign written before an amount, by default that of the active business's currency."""
    code = currency or home()
    return SIGNS.get(code, f"{code} ")


def money(amount: float, currency: str = "", *, places: int = 2) -> str:
    """Return money as people write it, by default in the currency of the active business.

    >>> money(1200), money(-49.5, "GBP"), money(49.5, "EUR", places=0)
    ('$1,200', '-£49.50', '€50')
    """
    digits = f"{abs(amount):,.{places}f}".removesuffix(".00")
    return f"{'-' if amount < 0 and digits.strip('0,.') else ''}{sign_of(currency)}{digits}"
