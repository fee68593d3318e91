"""The operations that can be asked for in words: those of the catalogue, with how people ask for them."""

from functools import lru_cache

from mabos.language.operation import Operation
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Services


def operations(services: Services) -> tuple[Operation, ...]:
    """Return every operation of the workspace, as a reader of requests sees it."""
    return _operations(services.tools)


@lru_cache(maxsize=8)
def _operations(registry: Registry) -> tuple[Operation, ...]:
    return tuple(Operation(one.name, one.summary, one.schema) for one in registry.all())
