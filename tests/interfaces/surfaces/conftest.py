"""The planted company, for every test of a surface."""

from tests.interfaces.surfaces.offices import company

__all__ = ["company"]
