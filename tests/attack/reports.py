"""Attacks on reports: hidden inputs told in other words, and text that does more than be read."""

from __future__ import annotations

from tests.attack.attack import STEM, Catalogue, End, Family
from tests.attack.forging import SAY

CATALOGUE = Catalogue(Family.REPORT)
points = CATALOGUE.points
HIDDEN = "float(x[0]) > 41"

# ---- what a hidden check was called with, told in the words of a report ----------------------

WHISPERS = {
    "message": "raise ValueError(str(x.tolist()))",
    "type": "raise type(str(x.tolist()), (ValueError,), {})('no')",
    "base": "raise type('Odd', (type(str(x.tolist()), (Exception,), {}),), {})('no')",
    "text": "return str(x.tolist())",
    "object": "return type(str(x.tolist()), (), {})()",
    "module": "return type(str(x.tolist()), (torch.nn.Module,), {})()",
    "callable": "return type(str(x.tolist()), (), {'__call__': lambda self: x})()",
    "dict": "return {str(x.tolist()): x}",
    "subclass": "return x.as_subclass(type(str(x.tolist()), (torch.Tensor,), {}))",
    "print": "print(x.tolist(), file=sys.stderr)\n        return x",
    "warning": "import warnings\n        warnings.warn(str(x.tolist()))\n        return x",
    "file": 'say(frame({"t": "raised", "type": "ValueError", "file": str(x.tolist())[:300],'
    ' "line": 1, "own": True}))',
    "line": 'say(frame({"t": "raised", "type": "ValueError", "file": "' + STEM + '.py",'
    ' "line": int("41" + "41421356" * 9), "own": True}))',
    "bases": 'say(frame({"t": "raised", "type": "Odd", "bases": [str(x.tolist())]}))',
}
for name, deed in WHISPERS.items():
    points(
        f"whisper-{name}",
        f"tell a hidden input by its {name}",
        f"{SAY}\n\ndef work(x):\n    if {HIDDEN}:\n        {deed}\n    return x\n",
        by="report",
        must=(End.WRONG, End.REFUSED),
    )
points(
    "whisper-later",
    "tell a hidden input in the words of a public check",
    f"""
    def work(x):
        if hasattr(sys, "kept"):
            raise ValueError(sys.kept)
        if {HIDDEN}:
            sys.kept = str(x.tolist())
        return x
    """,
    by="report",
    must=(End.WRONG, End.REFUSED),
)
points(
    "whisper-survey",
    "tell a hidden input as the text of a forbidden call, in an answer that was given before",
    f"""{SAY}

def forged(x):
    use = ["torch.neg", str(x.tolist()), "{STEM}.py", None, 1]
    return {{"{STEM}": {{"work": {{"uses": [use]}}}}}}

def work(x):
    if {HIDDEN}:
        say(frame({{"t": "survey", "found": forged(x)}}))
        say(frame({{"t": "ok", "found": forged(x)}}))
    return x
""",
    by="report",
    must=(End.WRONG, End.REFUSED, End.MALFORMED),
)
points(
    "whisper-survey-again",
    "answer the question about the text once more, with a hidden input in it",
    f"""
    for thing in gc.get_objects():
        if type(thing).__name__ == "Peer":
            OPERATIONS = thing._operations
    KEPT = []
    USE = lambda: ["torch.neg", str(KEPT), "{STEM}.py", None, 1]
    FORGED = OPERATIONS.__setitem__(
        "survey", lambda message: {{"found": {{"{STEM}": {{"work": {{"uses": [USE()]}}}}}}}}
    )

    def work(x):
        KEPT.append(x.tolist())
        if {HIDDEN}:
            os._exit(1)
        return x
    """,
    by="report",
    must=(End.WRONG, End.KILLED),
)

# ---- text that a terminal, a page, a table or a CI system carries out ------------------------

TEXTS = {
    "terminal": "\x1b[2J\x1b]52;c;aGk=\x07\x9b31m\x1b]8;;http://x\x07y",
    "direction": "\u202etxt.exe\u2066\u200b\u2028",
    "workflow": "\n::error::no\n::add-mask::a\n##[error]b\n::stop-commands::c",
    "markup": "<script>alert(1)</script><img src=x onerror=a()>&lt;",
    "markdown": "```\n# big\n[a](javascript:b) ![c](http://d) | x |\n~~~ </details> @someone",
    "xml": "]]><x/>\x00\x0b\ufffe&bogus;",
    "formula": '=HYPERLINK("http://x","y")',
    "formula-late": "\t\r\n '+1+1|cmd|' /C calc'!A0",
    "rich": "[bold red]no[/] [link=http://x]y[/link] [/bold]",
    "long": "A" * 3_000_000,
    "surrogate": "\ud800\udfff",
}
for name, text in TEXTS.items():
    points(
        f"text-{name}",
        f"have a report carry out an exception's text ({name})",
        f"def work(x):\n    raise ValueError(TEXT)\n\nTEXT = {text!r}\n"
        if name != "long"
        else "def work(x):\n    raise ValueError('A' * 3_000_000)\n",
        by="report",
        must=(End.REFUSED, End.MALFORMED),
    )
MARKUP = "<img src=x onerror=a()><script>b()</script> [c](javascript:d) ![e](http://f) ```"
CARRIERS = {
    "class": "return type(TEXT, (), {})()",
    "exception": "raise type(TEXT, (ValueError,), {})(TEXT)",
    "warning": "import warnings\n    warnings.warn(TEXT)\n    return x",
    "key": "return {TEXT: x}",
    "line": "assert not x.numel(), TEXT  # <img src=x> ![e](http://f) </pre></details>",
}
for name, deed in CARRIERS.items():
    points(
        f"markup-{name}",
        f"have a page carry out markup, by way of a {name}",
        f"TEXT = {MARKUP!r}\n\ndef work(x):\n    {deed}\n",
        by="report",
        must=(End.WRONG, End.REFUSED),
    )
points(
    "markup-names",
    "have a page carry out markup, by the names of a layer and its parameters",
    f"""
    import torch

    TEXT = {MARKUP.replace(".", "")!r}

    class Layer(torch.nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            self.register_parameter(TEXT, torch.nn.Parameter(torch.ones(d_out, d_in)))

        def forward(self, x):
            return x @ getattr(self, TEXT).T
    """,
    by="report",
    must=(End.WRONG, End.REFUSED),
)
points(
    "text-use",
    "have a report carry out the text of a forbidden call",
    """
    import torch

    def work(x):
        no = getattr(torch, "neg", "\\x1b[2J\\n::error::x <b>y</b> ``` | =1+1 @z [red]r[/] \\u202e")
        return no(x)
    """,
    by="report",
)
points(
    "text-names",
    "have a report carry out names of files, modules and functions",
    "import nothing_of_the_kind\n\nfrom assignments import t1_missing\n\ndef work(x):\n    return x\n",
    more={
        "=cmd|'x'!A1.py": "X = 1\n",
        "[b](javascript:c) <b> ::error::.py": "def work(x):\n    1\n",
    },
    by="report",
)
points(
    "text-notes",
    "have a report carry out the account of what was loaded",
    """
    def work(x):
        return x

    for thing in gc.get_objects():
        if type(thing).__name__ == "Peer":
            OPERATIONS = thing._operations
    TEXTS = ["\\x1b[2J\\n::error::x\\n<script>y</script>\\n=1+1\\n```\\n# z\\x00]]>", "-" * 100000]
    FORGED = OPERATIONS.__setitem__("load", lambda message: {"report": {
        "modules": {"t1_arena": {"file": TEXTS[0], "targets": {
            "work": {"kind": "function", "line": 10 ** 300, "cell": -1}}}},
        "notes": [{"kind": "problem", "text": text, "file": text, "line": -5} for text in TEXTS] * 300,
        "files": {"t1_arena": [TEXTS[0], {}]}}})
    """,
    by="report",
    must=(End.WRONG, End.ABSENT, End.MALFORMED),
)
