"""The ontologies that come with MABOS, and their copies in a workspace."""

from pathlib import Path

from mabos.workspace.atomic import write_atomic

SHIPPED = Path(__file__).parents[2] / "configs" / "ontologies"
SCAFFOLDS = SHIPPED / "scaffolds"
FOLDER = "ontologies"

DOMAINS = (
    "mabos-upper", "business-core", "ecommerce", "saas", "consulting", "marketplace", "retail", "cross-domain",
)  # fmt: skip
SHAPES = ("shapes", "shapes-sbvr")
FILES = tuple(f"{name}.jsonld" for name in (*DOMAINS, *SHAPES))
"""The ten files of S3 section 8.2, what others build on first."""


def install(directory: Path) -> list[Path]:
    """Copy the ontologies that `directory` does not have yet, and return the new files; what exists is not touched."""
    made = [directory / name for name in FILES if not (directory / name).exists()]
    for path in made:
        write_atomic(path, (SHIPPED / path.name).read_bytes(), durable=False)
    return made
