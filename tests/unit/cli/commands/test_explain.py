"""`grader explain` shows one step at a time, and always how to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli import cli

ROOT = Path(__file__).resolve().parents[4]


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["explain", *arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def _at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")


def test_a_cause_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "sdpa.unscaled") == (
        "sdpa.unscaled  Scores are not divided by √Dh.\n"
        "\n"
        "Each score is a sum of Dh products. If the numbers in it are independent, with\n"
        "mean 0 and variance 1, the sum has variance Dh, so scores grow like √Dh. The\n"
        "softmax of large scores is almost one-hot, and an almost one-hot softmax has\n"
        "almost no gradient.\n"
        "\n"
        "    Attention(Q, K, V) = softmax(Q Kᵀ / √Dh) V\n"
        "    Vaswani et al. 2017, equation 1 and section 3.2.1\n"
        "\n"
        "for a hint: grader explain sdpa.unscaled --hint 1\n"
    )


@pytest.mark.parametrize(
    ("step", "ending"),
    [
        ("1", "for more: grader explain sdpa.unscaled --hint 2\n"),
        ("2", "for more: grader explain sdpa.unscaled --hint 3\n"),
        ("3", "for the reason: grader explain sdpa.unscaled\n"),
    ],
)
def test_a_step_leads_to_the_next(
    step: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(capsys, "sdpa.unscaled", "--hint", step)

    assert f"hint {step} of 3" in out
    assert out.endswith(ending)
    assert all(len(line) <= 80 for line in out.splitlines())


def test_only_the_step_that_was_asked_for_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    first, last = (shown(capsys, "sdpa.unscaled", "--hint", step) for step in "13")

    assert "query.shape[-1] ** 0.5" in last
    assert "query.shape[-1] ** 0.5" not in first


def test_a_slip_is_answered_with_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "sdpa.unscald"]) == 2
    assert "did you mean 'sdpa.unscaled'?" in capsys.readouterr().err


def test_the_course_is_named_again_in_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    out = shown(capsys, "a1.sdpa", "--course", str(ROOT))

    assert out.endswith(f"for a hint: grader explain a1.sdpa --course {ROOT} --hint 1\n")
