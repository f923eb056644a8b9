"""A report as a single page that needs no other file, and as a piece of somebody else's page."""

from grader.report.html.page import fragment, rendered

__all__ = ["fragment", "rendered"]
