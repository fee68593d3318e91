"""The wordings by which a description is read, from `configs/requests/descriptions.yaml`."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from mabos.configs.yaml_file import read_yaml
from mabos.workspace.text import terms

_FILE = Path(__file__).parents[1] / "configs" / "requests" / "descriptions.yaml"


@cache
def patterns_of(section: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of a section of the file, by name."""
    content = read_yaml(_FILE)
    found = dict[str, str](content[section])
    for name, part in content["parts"].items():
        found = {key: pattern.replace(f"{{{name}}}", part) for key, pattern in found.items()}
    return {key: re.compile(pattern) for key, pattern in found.items()}


def words_of(name: str) -> frozenset[str]:
    """Return a list of words of the file, as they are compared."""
    return frozenset(terms(read_yaml(_FILE)["words"][name]))
