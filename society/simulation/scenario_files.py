"""The files of scenarios: YAML by name or path, optionally built on another, with errors that name the key.

scenario = load_scenario("saas")                 # configs/scenarios/saas.yaml, or a path
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.extensions import extension_file
from mabos.configs.yaml_file import load_yaml
from mabos.society.simulation.families import family, family_names, market
from mabos.society.simulation.scenario import Scenario

_BASE = "extends"
_DRAW = re.compile(r"([a-z]+)-(\d+)")


def scenario_names() -> tuple[str, ...]:
    """Return the names of the scenarios that ship."""
    folder = files("mabos.configs") / "scenarios"
    return tuple(sorted(one.name.removesuffix(".yaml") for one in folder.iterdir() if one.name.endswith(".yaml")))


def load_scenario(given: str | Path | Mapping[str, Any]) -> Scenario:
    """Return the scenario with this name, the draw of a family with this name (`pricing-17`), or the one in this file.

    A mapping is the content of a file. Names of installed packages come after ours. Raises `UnknownId` for an unknown
    name, and `InvalidArgument` that names file and key for what cannot be read as a scenario.
    """
    if isinstance(given, Mapping):
        return _validate_scenario(given, "scenario")
    text = str(given)
    path = Path(text)
    if path.suffix in {".yaml", ".yml"} or "/" in text:
        return _from_file(path)
    drawn = _DRAW.fullmatch(text)
    if drawn and drawn[1] in family_names():
        return drawn_scenario(drawn[1], int(drawn[2]))
    if text not in scenario_names():
        if installed := extension_file("mabos.scenarios", text):
            return _from_file(installed)
        families = (f"{name}-1" for name in family_names())
        raise unknown("scenario", text, (*scenario_names(), *families), argument="scenario")
    shipped = files("mabos.configs") / "scenarios" / f"{text}.yaml"
    return parse_scenario(shipped.read_text(encoding="utf-8"), source=f"{text}.yaml")


def drawn_scenario(name: str, draw: int) -> Scenario:
    """Return one market of a family, by its number; raises `UnknownId` for an unknown family."""
    return market(name, draw, load_scenario(family(name).base))


def _from_file(path: Path) -> Scenario:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        message = f"scenario file {path}: {wrong}; give a name ({', '.join(scenario_names())}) or a readable file"
        raise InvalidArgument(message, argument="scenario") from None
    return parse_scenario(text, source=str(path))


def parse_scenario(text: str, *, source: str) -> Scenario:
    """Return the scenario that YAML text describes; `source` is the file that errors name.

    With `extends: saas` it is that shipped scenario, overlaid with the text's values, mapping by mapping.
    """
    try:
        content: Any = load_yaml(text)
    except yaml.YAMLError as wrong:
        raise InvalidArgument(f"scenario file {source} is not YAML: {wrong}", argument="scenario") from None
    if not isinstance(content, dict):
        message = f"scenario file {source} holds no mapping; expected keys such as scenario, title, start, segments"
        raise InvalidArgument(message, argument="scenario")
    return _validate_scenario(content, f"scenario file {source}")


def _validate_scenario(content: Mapping[str, Any], source: str) -> Scenario:
    try:
        return Scenario.model_validate(_whole(content))
    except ValidationError as wrong:
        said = "; ".join(_problem(error) for error in wrong.errors()[:5])
        raise InvalidArgument(f"{source}: {said}", argument="scenario") from None


def _whole(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contents of a file, laid over the scenario it extends, if any."""
    own = {key: value for key, value in content.items() if key != _BASE}
    if _BASE not in content:
        return own
    base = str(content[_BASE])
    if base not in scenario_names():  # no file: two that extend each other would never be read to an end
        raise unknown("scenario to extend", base, scenario_names(), argument="scenario")
    return _laid_over(load_scenario(base).model_dump(mode="json"), own)


def _laid_over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in own.items():
        below = merged.get(key)
        is_mapping = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _laid_over(below, value) if is_mapping else value  # type: ignore[arg-type]  # both are mappings
    return merged


def _problem(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"]) or "the whole file"
    given = "" if error["type"] in {"missing", "value_error"} else f", got {error['input']!r}"
    return f"{key}: {error['msg'].removeprefix('Value error, ')}{given}"
