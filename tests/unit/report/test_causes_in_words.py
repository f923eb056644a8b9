"""The words of causes that fit equally well."""

from grader.grade.evidence import Cause, Observation, Outcome
from grader.report.words import facts


def seen(*texts: str) -> dict[str, str]:
    """Return the facts of a check with these causes, the likeliest first."""
    first, *others = (Cause(f"a.{number}", text, 2, 2) for number, text in enumerate(texts))
    observation = Observation("a/b/c", "", Outcome.FAILED, cause=first, also=tuple(others))
    return dict(facts(observation))


def test_causes_in_the_same_words_are_told_once() -> None:
    assert seen("It is scaled.", "It is scaled.", "It is not.", "It is not.")["or"] == "It is not."


def test_a_cause_told_in_the_words_of_the_first_is_no_other_one() -> None:
    assert "or" not in seen("It is scaled.", "It is scaled.")


def test_a_second_mistake_beside_the_first_is_no_other_explanation() -> None:
    first, second = Cause("a.0", "It is scaled.", 3, 3), Cause("a.1", "It is cut.", 3, 3, True)
    third = Cause("a.2", "It is not.", 3, 3)
    words = dict(facts(Observation("a/b/c", "", Outcome.FAILED, cause=first, also=(second, third))))
    assert (words["and"], words["or"]) == ("It is cut.", "It is not.")
