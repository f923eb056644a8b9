"""The plug-in that pytest loads wherever the grader is installed: one option, and nothing else.

All that the option needs is imported when it is given; without it, pytest waits for nothing.
"""

from __future__ import annotations

import pytest

OPTION = "--grader"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the option."""
    parser.getgroup("grader").addoption(
        OPTION,
        action="store_true",
        default=False,
        help="collect the public checks of the assignments here, and grade them in the jail",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Load no conftest.py: the grader's verdicts are none of a submission's business."""
    if early_config.known_args_namespace.grader:
        early_config.known_args_namespace.noconftest = True


def pytest_configure(config: pytest.Config) -> None:
    """Register what collects and grades, if it is asked for."""
    if config.getoption("grader"):
        from .collection import ItemCollection

        config.pluginmanager.register(ItemCollection(config), "grader-items")
