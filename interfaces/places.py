"""The location of a workspace, and the content of a new one."""

import errno
import logging
import sys
from pathlib import Path
from shlex import quote
from shutil import which
from subprocess import run
from typing import Final

from mabos.configs.errors import UnknownId, file_refused
from mabos.workspace.git_merge import DRIVER
from mabos.workspace.names import usable

LOG = logging.getLogger(__name__)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
FOLDERS = ("agents", "businesses", "contract-net", "ontologies")
SETTINGS = "mabos.yaml"
GIT: Final = {
    ".gitignore": (
        *(".mabos/", "*.journal.jsonl", "*.journal.*.jsonl", "*.sqlite", "*.sqlite-*", ".*.tmp"),
        *("agents/*/MEMORY.md", "agents/*/MEMORY-long-term.md", "!agents/*/Memory.md"),  # one name on some disks
        *("agents/*/memory/mabos-*.md", *(f"agents/*/memory/{span}ly/" for span in ("week", "month", "quarter"))),
        "businesses/*/workflows/*.svg",
    ),
    ".gitattributes": (
        *(f"{names} merge=mabos" for names in ("*.json", "*.jsonld", "agents/*/*.md")),
        *(f"businesses/*/{folder}/** merge=mabos" for folder in ("reports", "outbox", "mail")),
        *("ledger/*.jsonl merge=union", "graph*.jsonl merge=union", "agents/*/memory/**/*.md merge=union"),
    ),
}
"""The rules for git: ignored derived files and snapshots, and the merging of the rest."""

_HEADER = """\
# The settings of this workspace. Every line below is a default and is commented out: take the `#` away from the ones
# to change, with the name of their group above them.

"""


def existing(place: Path) -> Path:
    """Return `place` if it is a workspace; otherwise raise `UnknownId` with the command that creates one."""
    usable(place)
    if not is_workspace(place):
        raise UnknownId(f"no workspace in {place}; make one with: mabos init {place}", argument="workspace")
    return place


def is_workspace(place: Path) -> bool:
    """Return whether `place` is a workspace, even one whose settings or agents are missing."""
    return any((place / name).exists() for name in (SETTINGS, "agents", "businesses"))


def prepare(place: Path) -> list[Path]:
    """Create the missing parts of a workspace at `place` and return them; existing files are not touched.

    A read-only workspace that lacks something, for example one of an older version, is left unchanged, with a notice.
    Raises `InvalidArgument` if no workspace can be in `place`, and `Unavailable` if the file system refuses one.
    """
    try:
        usable(place)
        return _create_folders(place)
    except OSError as error:
        if error.errno not in _READ_ONLY or not (place / FOLDERS[0]).is_dir():
            raise file_refused(error) from error
        LOG.warning("%s is read-only and incomplete: %s", place, error.strerror)
        return []


def make_repository(place: Path) -> bool:
    """Return whether the workspace was made a git repository, which requires git and no enclosing repository."""
    made = _find_repository(place) is None and _run_git(place, "init", "--quiet")
    register_merges(place)
    return made


def register_merges(place: Path) -> None:
    """Register the merge driver of files of truth in the repository around; git does not pass it on to clones."""
    driver = f"{quote(sys.executable)} -m {DRIVER} %O %A %B %P"
    repository = _find_repository(place)
    config = repository and repository / "config"  # in a linked work tree `.git` is a file, and git is asked
    if config and not (config.is_file() and f"\tdriver = {driver}\n" in config.read_text("utf-8", "replace")):
        _run_git(place, "config", "merge.mabos.driver", driver)


def _find_repository(place: Path) -> Path | None:
    return next((found for folder in (place, *place.parents) if (found := folder / ".git").exists()), None)


def _run_git(place: Path, *command: str) -> bool:
    git = which("git")
    return bool(git) and run([str(git), *command], cwd=place, capture_output=True, check=False).returncode == 0  # noqa: S603  # fixed


def _create_folders(place: Path) -> list[Path]:
    from mabos.knowledge.ontology.vocabulary import FOLDER, install
    from mabos.workspace.atomic import write_atomic

    made = []
    for folder in FOLDERS:
        path = place / folder
        if not path.is_dir():
            path.mkdir(parents=True)
            made.append(path)
    install(place / FOLDER)
    settings = place / SETTINGS
    if not settings.exists():
        write_atomic(settings, commented_settings(), durable=False)
        made.append(settings)
    for name, lines in GIT.items():
        if not (place / name).exists():
            write_atomic(place / name, "\n".join((*lines, "")), durable=False)
            made.append(place / name)
    return made


def commented_settings() -> str:
    """Return every setting with its default and meaning, commented out."""
    from mabos.configs.settings import DEFAULTS

    lines = DEFAULTS.read_text(encoding="utf-8").splitlines()
    first = lines.index("") + 1 if "" in lines else 0  # after the heading
    body = [line if not line or line.startswith("#") else f"# {line}" for line in lines[first:]]
    return _HEADER + "\n".join(body) + "\n"
