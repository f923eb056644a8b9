"""The examples in a hand-out's docstrings, as code to run and change."""

from __future__ import annotations

import ast
import doctest

_BLANK_LINE = "<BLANKLINE>"
_TRY = "# Run this, change it, add to it: it is never graded."


def examples_of(node: ast.stmt) -> str:
    """The statements of the examples in a definition's docstrings, with what they print.

    >>> definition = "def f():\\n    '''Double.\\n\\n    >>> 1 + 1\\n    2\\n    '''"
    >>> examples_of(ast.parse(definition).body[0])
    'print(1 + 1)\\n# 2\\n'
    """
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    texts = [ast.get_docstring(item) for item in ast.walk(node) if isinstance(item, documented)]
    found = [
        example
        for text in texts
        for example in doctest.DocTestParser().get_examples(text or "")
        if example.exc_msg is None
    ]
    return "".join(_shown(example) for example in found)


def demo_cell(code: str) -> str:
    """The source of a notebook cell in which to try something."""
    return f"# demo\n{_TRY}\n{code}".rstrip()


def demo_section(titled: list[tuple[str, str]]) -> str:
    """The end of a `.py` file, in which to try what the (title, code) pairs hold; runs only when
    the file is started by itself."""
    parts = [f"# {title}\n{code}" for title, code in titled if code]
    if not parts:
        return ""
    body = "\n".join(parts).rstrip().split("\n")
    inner = "\n".join(f"    {line}" if line else "" for line in body)
    return f'\n\n# demo\n{_TRY}\nif __name__ == "__main__":\n{inner}\n'


def _shown(example: doctest.Example) -> str:
    source = example.source
    if _is_expression(source) and example.want:
        source = f"print({source.rstrip()})\n"
    printed = example.want.replace(_BLANK_LINE, "").splitlines()
    return source + "".join(f"# {line}".rstrip() + "\n" for line in printed)


def _is_expression(source: str) -> bool:
    try:
        ast.parse(source.strip(), mode="eval")
    except SyntaxError:
        return False
    return True
