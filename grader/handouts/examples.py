"""Turn the examples in a hand-out's docstrings into code to run and change."""

from __future__ import annotations

import ast
import doctest
import io
import tokenize

_BLANK_LINE = "<BLANKLINE>"
_ENDS = (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER)


def examples_of(node: ast.stmt) -> str:
    """Return the statements of the examples in a definition's docstrings, with what they print.

    >>> definition = "def f():\\n    '''Double.\\n\\n    >>> 1 + 1\\n    2\\n    '''"
    >>> examples_of(ast.parse(definition).body[0])
    'print(1 + 1)\\n# 2\\n'
    """
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    texts = [ast.get_docstring(item) for item in ast.walk(node) if isinstance(item, documented)]
    examples = [
        example
        for text in texts
        for example in doctest.DocTestParser().get_examples(text or "")
        if example.exc_msg is None
    ]
    return "".join(_shown(example) for example in examples)


def _shown(example: doctest.Example) -> str:
    source = example.source
    if _is_expression(source) and example.want:
        expression, comment = _without_comment(source)
        if isinstance(ast.parse(expression, mode="eval").body, ast.Tuple):
            expression = f"({expression})"  # print would take its values apart
        source = f"print({expression}){comment}\n"
    printed = example.want.replace(_BLANK_LINE, "").splitlines()
    return source + "".join(f"# {line}".rstrip() + "\n" for line in printed)


def _without_comment(source: str) -> tuple[str, str]:
    """Return an expression, and the comment at its end with the space before it."""
    source = source.rstrip()
    *_, last = (
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _ENDS
    )
    if last.type != tokenize.COMMENT:
        return source, ""
    expression = source.removesuffix(last.string).rstrip()
    return expression, source[len(expression) :]


def _is_expression(source: str) -> bool:
    try:
        ast.parse(source.strip(), mode="eval")
    except SyntaxError:
        return False
    return True
