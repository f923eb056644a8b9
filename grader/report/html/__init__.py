"""A report as one page that needs nothing else, and as a piece of somebody else's page."""

from grader.report.html.page import fragment, rendered

__all__ = ["fragment", "rendered"]
