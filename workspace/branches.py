"""Branches: copies inside a workspace, for trying out changes that must not reach the original.

    branch = make_branch(Path("my-company"), "cheaper", now="2026-03-02T09:00:00Z")
    branch.path                          # my-company/branches/cheaper: a workspace like any other

A file is cloned where the file system shares blocks until one side writes (Btrfs, XFS), and else copied. It is never a
hard link: journals grow in place, and a person's editor may write in place whatever we do.

A branch copies no locks, no unsent data (`outbox.json`, the backlog of a graph copy) and no checkpoints.
`configs.settings` keeps it off servers: its letters, notices and prices stay in its own folders.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from mabos.configs.errors import Damaged, InvalidArgument, Unavailable, unknown
from mabos.configs.settings import BRANCH_MARK
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock
from mabos.workspace.names import INTERNAL, Layout, name
from mabos.workspace.regular import content

FOLDER: Final = "branches"
_KEPT_INTERNAL: Final = ("stores", "heads", "vectors", "budgets")
"""Of what is internal, that which a branch would miss or make again at a cost; the rest is the original's own."""
_LEFT: Final = (BRANCH_MARK, "lock", "outbox.json", "outbox.journal.jsonl")
_CLONE: Final = 0x40049409  # FICLONE of Linux: share the blocks of another file
_LOOKS: Final = 5

Signatures = Mapping[Path, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch: its name and folder, its creation time, and the time and cycle its records date from."""

    name: str
    path: Path
    made_at: str
    as_of: str = ""
    cycle: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the branch as JSON."""
        return {**asdict(self), "path": str(self.path)}


def is_branch(root: Path) -> bool:
    """Return whether a workspace is a branch of another."""
    return (root / BRANCH_MARK).is_file()


def branches(root: Path) -> list[Branch]:
    """Return the branches of a workspace by name."""
    folders = sorted((root / FOLDER).glob("*/")) if (root / FOLDER).is_dir() else []
    return [_read(folder) for folder in folders if is_branch(folder)]


def find_branch(root: Path, branch: str) -> Branch:
    """Return a branch; raises `UnknownId` that names the nearest."""
    found = {one.name: one for one in branches(root)}
    if branch not in found:
        raise unknown("branch", branch, found, argument="name")
    return found[branch]


def make_branch(root: Path, branch: str, *, now: str) -> Branch:
    """Return a new branch of the current workspace; no cycle runs while it is copied.

    Raises `InvalidArgument` for a name that cannot be used or is taken, and `Unavailable` if something keeps writing to
    the workspace.
    """
    path = root / FOLDER / name(branch, kind="name of a branch", argument="name")
    if path.exists():
        message = f"{path} is there already; choose another name, or delete it: mabos branch {branch} --delete"
        raise InvalidArgument(message, argument="name")
    part = path.with_name(f".{branch}.part")
    shutil.rmtree(part, ignore_errors=True)  # of a copy that was cut short
    try:
        with ExitStack() as held:
            for agent in sorted(one.name for one in Layout(root).agents.glob("*/")):
                held.enter_context(file_lock(Layout(root).internal / "locks" / f"{agent}.lock"))
            _copy_settled(root, part)
        made = Branch(branch, path, now)
        _write(made, part)
        part.rename(path)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return made


def note_moment(branch: Branch, *, as_of: str, cycle: str) -> Branch:
    """Record the time that the branch's records now date from, and return the branch."""
    noted = Branch(branch.name, branch.path, branch.made_at, as_of, cycle)
    _write(noted, branch.path)
    return noted


def delete_branch(root: Path, branch: str) -> Branch:
    """Delete a branch with all its changes, and return it; raises `UnknownId`."""
    found = find_branch(root, branch)
    shutil.rmtree(found.path)
    return found


def _read(folder: Path) -> Branch:
    try:
        given = json.loads(content(folder / BRANCH_MARK))
        return Branch(folder.name, folder, given["made_at"], given.get("as_of", ""), given.get("cycle", ""))
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{folder / BRANCH_MARK}: not the mark of a branch ({error}); delete the folder") from error


def _write(branch: Branch, folder: Path) -> None:
    mark = {"made_at": branch.made_at, "as_of": branch.as_of, "cycle": branch.cycle}
    write_atomic(folder / BRANCH_MARK, json.dumps(mark, indent=2) + "\n")


def _copy_settled(root: Path, target: Path) -> None:
    """Copy the files, and again those that were written meanwhile, until a look finds none: then they fit together."""
    copied: dict[Path, tuple[int, int]] = {}
    for _ in range(_LOOKS):
        present = dict(_signatures(root))
        changed = [path for path, signature in present.items() if copied.get(path) != signature]
        gone = copied.keys() - present.keys()
        if not changed and not gone:
            return
        for path in gone:
            (target / path).unlink(missing_ok=True)
        for path in changed:
            _copy(root / path, target / path)
        copied = present
    raise Unavailable(f"{root} is being written constantly; stop the writers, then branch again")


def _signatures(root: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    """Yield the files that a branch takes over, with a signature that changes on every write."""
    for folder, below, files in os.walk(root):
        here = Path(folder).relative_to(root)
        below[:] = [one for one in below if _is_taken(here / one) and not (root / here / one).is_symlink()]
        for file in files:
            path = here / file
            if file not in _LEFT and not file.endswith((".lock", ".tmp")) and ".sqlite" not in file:
                try:
                    found = (root / path).lstat()
                except FileNotFoundError:  # replaced at this moment
                    continue
                if not (root / path).is_symlink():  # who writes through a link would write into the original
                    yield path, (found.st_size, found.st_mtime_ns)


def _is_taken(folder: Path) -> bool:
    """Return whether a branch has this folder."""
    parts = folder.parts
    if parts[0] == INTERNAL:
        return len(parts) == 1 or (parts[1] in _KEPT_INTERNAL and parts[-1] != "outbox.journal")
    return parts[0] != FOLDER and not (parts[0] == "businesses" and parts[2:3] == ("outbox",))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with source.open("rb") as original, target.open("wb") as copy:
            try:
                fcntl.ioctl(copy.fileno(), _CLONE, original.fileno())
            except OSError:
                shutil.copyfileobj(original, copy, 1 << 20)
        shutil.copystat(source, target)
    except FileNotFoundError:  # replaced at this moment: the next look finds what took its place
        target.unlink(missing_ok=True)
