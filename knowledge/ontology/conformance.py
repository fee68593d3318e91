"""The ontologies as RDF: readability by other tools, and conformance to their SHACL shapes.

Only `mabos verify ontologies` needs this, with rdflib and pySHACL.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mabos.configs.errors import Damaged, Unavailable
from mabos.knowledge.ontology.checks import defects
from mabos.knowledge.ontology.model import NAMESPACE, Defect
from mabos.knowledge.ontology.notation import local_name, read_ontology
from mabos.knowledge.ontology.vocabulary import Vocabulary, files

if TYPE_CHECKING:
    from rdflib import Graph

_SHACL = "http://www.w3.org/ns/shacl#"


def check_ontologies(directory: Path) -> list[Defect]:
    """Return the defects that any check finds in a folder's ontologies, including unreadable files.

    Missing ones of ours are read as shipped. Raises `Unavailable` without rdflib and pySHACL.
    """
    ontologies, broken = [], []
    for path in files(directory):
        try:
            ontologies.append(read_ontology(path))
        except Damaged as error:
            where, _, message = error.message.removeprefix(f"{path}:").partition(": ")
            broken.append(Defect("load", path, int(where) if where.isdecimal() else 1, path.stem, message))
    vocabulary = Vocabulary(ontologies)
    return [*broken, *defects(vocabulary), *rdf_defects(vocabulary)]


def rdf_defects(vocabulary: Vocabulary) -> list[Defect]:
    """Return the files that are not valid JSON-LD, and the violations of shapes."""
    terms, shapes, broken = graphs(vocabulary)
    return [*broken, *(_shape_defects(vocabulary, terms, shapes) if not broken else ())]


def graphs(vocabulary: Vocabulary) -> tuple[Graph, Graph, list[Defect]]:
    """Return the terms and shapes of a vocabulary as RDF graphs, and the unreadable files."""
    try:
        from rdflib import Graph
    except ImportError as error:
        raise Unavailable(f"{error.name} is not installed but needed here: pip install rdflib pyshacl") from None
    terms, shapes, broken = Graph(), Graph(), []
    for ontology in vocabulary.ontologies.values():
        try:
            for graph in (*([shapes] if ontology.shapes else []), *([] if ontology.is_of_shapes else [terms])):
                graph.parse(ontology.path, format="json-ld")
        except Exception as error:  # noqa: BLE001  # the parser raises whatever its own parts raise
            message = f"{ontology.name} is not valid JSON-LD: {error}; correct it by hand"
            broken.append(Defect("load", ontology.path, 1, ontology.name, message))
    return terms, shapes, broken


def _shape_defects(vocabulary: Vocabulary, terms: Graph, shapes: Graph) -> list[Defect]:
    from pyshacl import validate
    from pyshacl.errors import ConstraintLoadError, ReportableRuntimeError, ShapeLoadError
    from rdflib import RDF, Graph, URIRef

    try:
        conforms, report, _ = validate(terms, shacl_graph=shapes, inference="none", inplace=True, do_owl_imports=False)
    except (ConstraintLoadError, ReportableRuntimeError, ShapeLoadError) as error:
        return [_locate_defect(vocabulary, "", f"a shape cannot be used: {error}; correct it by hand")]
    if conforms or not isinstance(report, Graph):
        return []
    found = []
    for result in report.subjects(RDF.type, URIRef(f"{_SHACL}ValidationResult")):
        focus = str(report.value(result, URIRef(f"{_SHACL}focusNode")))
        said = str(report.value(result, URIRef(f"{_SHACL}resultMessage")))
        path = report.value(result, URIRef(f"{_SHACL}resultPath"))
        where = f" ({local_name(str(path))})" if path is not None else ""
        found.append(_locate_defect(vocabulary, focus, f"{said}: {compact(focus)}{where}"))
    return sorted(found, key=lambda one: (str(one.path), one.line, one.message))


def compact(address: str) -> str:
    """Return the compact id of one of our IRIs."""
    rest = address.removeprefix(NAMESPACE)
    prefix, _, name = rest.rpartition("/")
    return address if rest == address else f"{prefix or 'mabos'}:{name}"


def _locate_defect(vocabulary: Vocabulary, address: str, message: str) -> Defect:
    term = compact(address)
    for ontology in vocabulary.ontologies.values() if address else ():
        line = ontology.lines.get(term) or ontology.lines.get(address)
        if line:
            return Defect("shapes", ontology.path, line, term, message)
    shapes = [one.path for one in vocabulary.ontologies.values() if one.shapes]
    return Defect("shapes", shapes[-1], 0, term, message)
