"""Markers of nbgrader and otter mean here what they mean there; slips stop and are not ignored."""

from __future__ import annotations

import textwrap

import pytest

from grader.handouts.foreign_markers import Dialect, MarkerError, Removed, dialect_of, taken_out
from grader.handouts.stubs import StubError, stub_of

NBGRADER = '''\
def squares(n):
    """Compute the squares."""
    ### BEGIN SOLUTION
    if n < 1:
        raise ValueError("n must be at least 1")
    return [i ** 2 for i in range(1, n + 1)]
    ### END SOLUTION


assert squares(1) == [1]
### BEGIN HIDDEN TESTS
assert squares(2) == [1, 4]
### END HIDDEN TESTS
x = 1
### BEGIN MARK SCHEME
# two points for the loop
### END MARK SCHEME
'''
NBGRADER_STUB = '''\
def squares(n):
    """Compute the squares."""
    # YOUR CODE HERE
    raise NotImplementedError()


assert squares(1) == [1]
x = 1
'''

# The example of otter's own documentation.
OTTER = '''\
pi = 3.14
if True:
    # BEGIN SOLUTION
    radius = 3
    area = radius * pi * pi
    # END SOLUTION
    print('A circle with radius', radius, 'has area', area)

def circumference(r):
    # BEGIN SOLUTION NO PROMPT
    return 2 * pi * r
    # END SOLUTION
    """ # BEGIN PROMPT
    # Next, define a circumference function.
    pass
    """; # END PROMPT

def square(x):
    y = x * x # SOLUTION NO PROMPT
    return y # SOLUTION

nine = square(3) # SOLUTION
np.random.seed(42) # SEED
'''
OTTER_STUB = """\
pi = 3.14
if True:
    ...
    print('A circle with radius', radius, 'has area', area)

def circumference(r):
    # Next, define a circumference function.
    pass

def square(x):
    ...

nine = ...
"""


def test_nbgrader_gets_its_own_stub() -> None:
    stub = stub_of(NBGRADER, "m.py")

    assert stub.text == NBGRADER_STUB
    assert stub.removed == (
        Removed("hidden tests", "m.py:11"),
        Removed("mark scheme", "m.py:15"),
    )


def test_otter_gets_its_own_stub() -> None:
    stub = stub_of(OTTER, "m.py")

    assert stub.text == OTTER_STUB
    assert stub.removed == ()


@pytest.mark.parametrize(
    ("line", "stub"),
    [
        ("    return x * 2  # SOLUTION", "    ..."),
        ("    return x * 2 #SOLUTION", "    ..."),
        ("    model.width = x * 2  # SOLUTION", "    model.width = ..."),
        ("    y = z = x  # SOLUTION", "    y = ..."),
        ("    x == 2  # SOLUTION", "    ..."),
        ("    a, b = x  # SOLUTION", "    ..."),
        ("    print('x = 3')  # SOLUTION", "    ..."),
    ],
)
def test_a_line_of_otter_keeps_its_left_side(line: str, stub: str) -> None:
    assert taken_out(line, Dialect.OTTER, "m.py").text == stub


def test_a_text_of_nbgrader_asks_for_an_answer() -> None:
    text = "Why?\n### BEGIN SOLUTION\nBecause.\n### END SOLUTION"

    assert taken_out(text, Dialect.NBGRADER, "m.py", is_code=False).text == (
        "Why?\nYOUR ANSWER HERE"
    )


def test_in_a_file_of_nbgrader_one_number_sign_is_enough() -> None:
    """As nbgrader has it: the words count, wherever they stand in a line."""
    text = "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS\n  # BEGIN SOLUTION\n  x\n  # END SOLUTION"

    assert taken_out(text, Dialect.NBGRADER, "m.py").text == (
        "  # YOUR CODE HERE\n  raise NotImplementedError()"
    )


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ("def f():\n    # BEGIN SOLUTION\n    x = 1\n    # END SOLUTION\n", Dialect.OWN),
        ("x = 1\n", Dialect.OWN),
        ("### END MARK SCHEME\n", Dialect.NBGRADER),
        ("    ### BEGIN HIDDEN TESTS\n", Dialect.NBGRADER),
        ("# BEGIN HIDDEN TESTS\n", Dialect.NBGRADER),
        ("x = 1 # SOLUTION NO PROMPT\n", Dialect.OTTER),
        ("''' # BEGIN PROMPT\n", Dialect.OTTER),
    ],
)
def test_markers_tell_whose_they_are(source: str, dialect: Dialect) -> None:
    assert dialect_of(source, "m.py") is dialect


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("### BEGIN SOLUTION\nx = 1\n", r"m\.py:1: 'BEGIN SOLUTION' is never closed"),
        ("x = 1\n### END SOLUTION\n", r"m\.py:2: 'END SOLUTION' without a 'BEGIN SOLUTION'"),
        (
            "### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS\n",
            r"m\.py:2: 'BEGIN HIDDEN TESTS' inside 'BEGIN SOLUTION' of line 1",
        ),
        (
            "### BEGIN SOLUTION\n### END MARK SCHEME\n",
            r"m\.py:2: 'END MARK SCHEME' inside 'BEGIN SOLUTION' of line 1",
        ),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n", r"m\.py:2: 'BEGIN SOLUTION' inside"),
        (
            "### BEGIN SOLUTION\n### END SOLUTION\n### begin hidden tests\n",
            r"m\.py:3: '### begin hidden tests' is almost a marker",
        ),
        ("# begin hidden tests\n", r"m\.py:1: '# begin hidden tests' is almost a marker"),
        (
            "x = 1  # SOLUTION\ny = 2  # SOLUTION: because\n",
            r"m\.py:2: '# SOLUTION' is almost a marker",
        ),
        ("x = 1  # SOLUTION\n# Solution\n", r"m\.py:2: '# Solution' is almost a marker"),
        ("x = 1  # SOLUTION\n# SOLUTION\n", r"m\.py:2: '# SOLUTION' is almost a marker"),
        ("# BEGIN SOLUTION NO PROMPT\nx = 1\n", r"m\.py:1: 'BEGIN SOLUTION' is never closed"),
        ('""" # BEGIN PROMPT\nx = 1\n', r"m\.py:1: 'BEGIN PROMPT' is never closed"),
        ('x = 1  # SOLUTION\n""" # END PROMPT\n', r"m\.py:2: 'END PROMPT' without a"),
        (
            '# BEGIN SOLUTION\n""" # BEGIN PROMPT\n',
            r"m\.py:2: 'BEGIN PROMPT' inside 'BEGIN SOLUTION' of line 1",
        ),
        (
            "x = 1  # SOLUTION\n### BEGIN SOLUTION\n",
            r"m\.py:2: markers of nbgrader and of otter in one file \(the first one in line 1\)",
        ),
    ],
)
def test_a_bad_marker_is_told_with_its_line(source: str, message: str) -> None:
    with pytest.raises(StubError, match=f"^{message}.*Next: "):
        stub_of(source, "m.py")


def test_a_stub_that_would_not_parse_is_refused() -> None:
    source = textwrap.dedent("""\
        def f():
            # BEGIN SOLUTION NO PROMPT
            return 1
            # END SOLUTION
    """)
    with pytest.raises(StubError, match=r"m\.py \(its stub\):.* not valid Python"):
        stub_of(source, "m.py")


def test_a_bad_marker_is_no_dialect_of_its_own() -> None:
    with pytest.raises(MarkerError, match="almost a marker"):
        taken_out("x = 1  # Solution", Dialect.OTTER, "m.py")
