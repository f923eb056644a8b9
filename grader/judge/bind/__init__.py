"""Find out which parameter of a student's module plays which role, and how it is stored.

Names decide first, then shapes, and where both leave it open, numbers. The roles and the ways to
store them are data of the course.
"""

from .binding import Binding, BindingRequest, bind
from .modules import module_of, randomised
from .roles import Alternative, Cut, Group, Home, Layout, Roles, load_roles

__all__ = [
    "Alternative",
    "Binding",
    "BindingRequest",
    "Cut",
    "Group",
    "Home",
    "Layout",
    "Roles",
    "bind",
    "load_roles",
    "module_of",
    "randomised",
]
