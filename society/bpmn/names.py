"""The namespaces of BPMN 2.0 files and how elements are named in them."""

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"
POINTS = "http://www.omg.org/spec/DD/20100524/DC"
LINES = "http://www.omg.org/spec/DD/20100524/DI"
OWN = "urn:mabos:bpmn"
"""The namespace of the attributes by which MABOS performs a node."""


def tag(name: str, namespace: str = BPMN) -> str:
    """Return the full name of an element or attribute."""
    return f"{{{namespace}}}{name}"


DEFINITIONS = tag("definitions")


def local(full: object) -> str:
    """Return the name of an element without its namespace; "" for what is none, as a comment."""
    return full.rpartition("}")[2] if isinstance(full, str) else ""
