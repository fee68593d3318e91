"""The planted company, for every test of a surface."""

from tests.mabos.surfaces.offices import company

__all__ = ["company"]
