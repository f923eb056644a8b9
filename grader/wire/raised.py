"""An exception that was raised on the other side, as the other side reported it."""

from __future__ import annotations

from typing import Any

from .frame import Meta
from .load_report import MAX_PLACE
from .values import items, text


class RemoteRaised(Exception):
    """An exception that a function of the other side raised. Its texts are untrusted."""

    def __init__(self, report: Meta) -> None:
        self.type_name = text(report.get("type"), 200) or "Exception"
        self.bases = tuple(text(name, 200) for name in items(report.get("bases"))[:32])
        self.message = text(report.get("message"), 4000)
        self.file = text(report.get("file"), 400) or None
        self.line, self.cell = _place(report.get("line")), _place(report.get("cell"))
        self.own = report.get("own") is True
        self.refused = text(report.get("refused"), 40)
        super().__init__(f"{self.type_name}: {self.message}")


def _place(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < MAX_PLACE else None
