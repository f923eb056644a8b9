"""Load a submission statement by statement, from bytes, in the untrusted worker.

Standard library only, and no access to files: the package may be delivered as text.
"""

from .running.loaded import Loaded, load
from .source.digest import definition_digest

__all__ = ["Loaded", "definition_digest", "load"]
