"""Which of a student's parameters plays which role, and how it is stored.

Found by names, by shapes, and where both leave it open by numbers. What there is to be found is the
course's own data.
"""

from .binding import Binding
from .modules import module_of, randomised
from .roles import Alternative, Cut, Group, Home, Layout, Roles, load_roles

__all__ = [
    "Alternative",
    "Binding",
    "Cut",
    "Group",
    "Home",
    "Layout",
    "Roles",
    "load_roles",
    "module_of",
    "randomised",
]
