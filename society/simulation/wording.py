"""How people name what the market names in short: `mid-sized customers` for the segment `mid`."""

_CUSTOMERS = {
    "smb": "small customers",
    "mid": "mid-sized customers",
    "ent": "large customers",
    "all": "all customers",
}


def customers(segment: str) -> str:
    """Return the customers of a segment in words; one of a scenario of one's own is called by its name."""
    return _CUSTOMERS.get(segment) or f"customers of segment {segment}"


def called(title: str, record_id: str) -> str:
    """Return a thing by its title with its id behind, or by its id alone where it has none."""
    return f"{title!r} ({record_id})" if title else record_id
