"""Loads a submission statement by statement, from bytes, in the untrusted worker.

Standard library only, and no access to files: the package may be delivered as text.
"""

from .digest import definition_digest
from .loaded import Loaded, Plan

__all__ = ["Loaded", "Plan", "definition_digest"]
