"""What is sound and what is not: the ledger's chains and the ontologies.

The files of truth are looked at in `soundness.py`, what machine and workspace offer in `health.py`.
"""

from typing import TYPE_CHECKING

from mabos.interfaces.soundness import Finding

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services


def broken_ledgers(services: "Services") -> list[Finding]:
    """Return every entry whose chain does not hold."""
    root = services.layout.root
    return [Finding.of(root, one.path, one.line, one.message) for one in services.ledger.verify(None)]


def faulty_ontologies(services: "Services") -> list[Finding]:
    """Return every defect of the workspace's ontologies; raises `Unavailable` where RDF cannot be read."""
    from mabos.knowledge.ontology.conformance import inspected
    from mabos.knowledge.ontology.vocabulary import FOLDER

    root = services.layout.root
    return [Finding.of(root, one.path, one.line, one.message) for one in inspected(root / FOLDER)]
