"""The patterns for reading descriptions, from `configs/requests/descriptions.yaml`."""

import re
from collections.abc import Mapping
from functools import cache

from mabos.configs.yaml_file import packaged_yaml
from mabos.workspace.text import terms

_FILE = "requests/descriptions.yaml"


@cache
def patterns_of(section: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of a section of the file, by name."""
    found = dict[str, str](packaged_yaml(_FILE)[section])
    for name, part in packaged_yaml(_FILE)["parts"].items():
        found = {key: pattern.replace(f"{{{name}}}", part) for key, pattern in found.items()}
    return {key: re.compile(pattern) for key, pattern in found.items()}


def words_of(name: str) -> frozenset[str]:
    """Return a list of words in the file, normalized."""
    return frozenset(terms(packaged_yaml(_FILE)["words"][name]))
