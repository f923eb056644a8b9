"""A secret line is found in a file however it is packed, and what students may get is no leak."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import pickle
import random
import shutil
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.release import leaks as leak_check
from grader.release.leaks import UnsearchableError, leaks
from grader.release.secrets import LEAST_CHARACTERS, SecretLine, secret_lines, squeezed
from grader.text.language import use_language

TOY = Path(__file__).parents[2] / "toy_course"
LINE = "windows = wide.unfold(1, side, 1).unfold(2, side, 1)"
SECRET = SecretLine(squeezed(LINE), "reference/f1_filters.py:28")
TEXT = f"def f(x):\n    {LINE}  # B R C K K\n    return x\n"
DATA = TEXT.encode()
NOISE = random.Random(0).randbytes(1 << 15)
"""What does not become smaller by packing."""
HALVES = [TEXT[:30], TEXT[30:]]


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("solution.py", data)
    return file.getvalue()


def notebook(**cell: object) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", **cell}], "nbformat": 4}).encode()


def in_words(data: bytes) -> str:
    return base64.encodebytes(data).decode()


PACKED = {
    "as it is": DATA,
    "other blanks": TEXT.replace(" = ", "=").replace(", ", ",\n\t").encode(),
    "in one line": json.dumps(TEXT).encode(),
    "in a text of Python": repr(TEXT).encode(),
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16, big end first": TEXT.encode("utf-16-be"),
    "zlib": zlib.compress(DATA),
    "zlib, fast": zlib.compress(DATA, 1),
    "zlib, behind something": b"\x00\xffdata" + zlib.compress(DATA) + b"more",
    "zlib, cut off": zlib.compress(DATA + bytes(range(256)) * 40)[:-9],
    "gzip": gzip.compress(DATA),
    "bz2": bz2.compress(DATA),
    "xz": lzma.compress(DATA),
    "zip": zipped(DATA),
    "pickle": pickle.dumps({"solution": TEXT}),
    "pickle of bytes": pickle.dumps([DATA]),
    "old pickle": pickle.dumps(TEXT, protocol=0),
    "base64": base64.b64encode(DATA),
    "base64, for addresses": base64.urlsafe_b64encode(b"\xfb\0\0" + DATA),
    "base64 in lines": base64.encodebytes(DATA * 3),
    "base64 without its end": base64.b64encode(DATA * 2)[:-6],
    "base64 with a letter too many": base64.b64encode(DATA * 2)[:-3],
    "base64 in a text": json.dumps(in_words(DATA * 3)).encode(),
    "source of a cell": notebook(source=HALVES),
    "output": notebook(outputs=[{"output_type": "stream", "text": HALVES}]),
    "output as data": notebook(outputs=[{"data": {"image/png": in_words(zlib.compress(DATA))}}]),
    "metadata": notebook(metadata={"solution": TEXT}),
    "name in metadata": notebook(metadata={TEXT: True}),
    "zlib, far behind in it": zlib.compress(NOISE + DATA),
    "layers": base64.b64encode(gzip.compress(pickle.dumps(zipped(DATA)))),
}


@pytest.mark.parametrize("data", PACKED.values(), ids=PACKED)
def test_a_secret_line_is_found(data: bytes) -> None:
    (leak,) = leaks({"kit/file": data}, [SECRET])
    assert str(leak) == (
        "kit/file: holds a line of reference/f1_filters.py:28, which no student may get"
    )


@pytest.mark.parametrize("data", PACKED.values(), ids=PACKED)
def test_another_line_is_not_found_there(data: bytes) -> None:
    """The negative control: half of a line, or a line that goes on in another way, is no leak."""
    other = SecretLine(SECRET.text.replace("side,1)", "side,2)"), "x:1")
    assert list(leaks({"kit/file": data}, [other])) == []


QUOTING = 'raise ValueError(f"가로 {side}: must be odd")'
ESCAPED = {
    "in quotes": ("x = " + repr(f"'{QUOTING}'")).replace('"', '\\"').encode(),
    "value in metadata": notebook(metadata={"solution": QUOTING}),
    "name in metadata": notebook(metadata={QUOTING: True}),
    "source of a cell": notebook(source=[QUOTING[:9], QUOTING[9:]]),
}


@pytest.mark.parametrize("data", ESCAPED.values(), ids=ESCAPED)
def test_a_line_with_quotes_and_korean_is_found(data: bytes) -> None:
    """JSON writes both in another way."""
    assert QUOTING.encode() not in data
    secret = SecretLine(squeezed(QUOTING), "x:1")
    assert [leak.secret for leak in leaks({"kit/file": data}, [secret])] == [secret]


def test_a_secret_line_is_found_in_the_name_of_a_file() -> None:
    assert len(list(leaks({f"assignments/{LINE}.py": b""}, [SECRET]))) == 1


def test_each_leak_is_named_once_for_each_file() -> None:
    result = [(leak.file, leak.secret) for leak in leaks({"b": DATA, "a": DATA * 2}, [SECRET])]
    assert result == [("a", SECRET), ("b", SECRET)]


def test_a_leak_is_named_in_korean() -> None:
    (leak,) = leaks({"kit/file": DATA}, [SECRET])
    use_language("ko")
    assert str(leak) == (
        "kit/file: 학생에게 주면 안 되는 reference/f1_filters.py:28의 줄이 들어 있습니다"
    )


def test_what_is_packed_too_often_is_not_released() -> None:
    data = b"harmless " * 9
    for _layer in range(leak_check.MOST_LAYERS + 1):
        data = base64.b64encode(data)
    with pytest.raises(UnsearchableError) as error:
        list(leaks({"kit/file": data}, [SECRET]))
    assert str(error.value) == (
        "kit/file: too large, or packed too often, to look for secret lines in it"
    )


def test_what_is_too_large_unpacked_is_not_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak_check, "MOST_BYTES", 1 << 16)
    assert list(leaks({"f": gzip.compress(bytes(1 << 15))}, [SECRET])) == []
    large = bytes(1 << 17)
    for bomb in (gzip.compress(large), zipped(large), bz2.compress(large), lzma.compress(large)):
        with pytest.raises(UnsearchableError):
            list(leaks({"f": bomb}, [SECRET]))


def test_a_bomb_is_unpacked_up_to_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MiB of zeros in 64 KiB, of which no more than a little over the bound is ever held."""
    monkeypatch.setattr(leak_check, "MOST_BYTES", 1 << 16)
    bombs = [packed(bytes(1 << 26)) for packed in (gzip.compress, zlib.compress)]
    tracemalloc.start()
    try:
        for bomb in bombs:
            with pytest.raises(UnsearchableError):
                list(leaks({"f": bomb}, [SECRET]))
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_what_only_begins_like_something_packed_is_no_layer() -> None:
    data = b"!\x78\x9c, and no stream! "
    for _layer in range(leak_check.MOST_LAYERS - 1):
        data = base64.b64encode(data)
    assert list(leaks({"kit/file": data}, [SECRET])) == []


# ---- which lines are secret -------------------------------------------------------------------

SECRETS = {one.text: one.place for one in secret_lines(find_course(TOY))}


@pytest.mark.parametrize(
    ("line", "file"),
    [
        (LINE, "reference/f1_filters.py"),
        (f"{LINE}  # B R C K K", "reference/f1_filters.py"),
        ("images[:, 0, 0] = 9.0  # no", ""),
        ("wanted[:, :2, :2] = torch.tensor([[4.0, 2.0], [2.0, 1.0]], dtype=torch.float64)",
         "tests/suites/f1_filters/test_blur.py"),
        ("if side % 2 == 0 or side < 2:", "reference/exercises/f1.blur/mistakes.diff"),
        ("cause: Zeros beyond the border make it dark.",
         "reference/exercises/f1.blur/mistakes.diff"),
        ("def box_blur(images: torch.Tensor, side: int) -> torch.Tensor:", ""),
        ("images   (B, R, C)  Beyond the border, the nearest pixel", ""),
        ("import torch.nn.functional as functional", ""),
        ("return x", ""),
    ],
)  # fmt: skip
def test_solutions_hidden_suites_and_mistakes_are_secret(line: str, file: str) -> None:
    assert SECRETS.get(squeezed(line), "").partition(":")[0] == file


def test_no_line_of_a_public_suite_is_secret() -> None:
    lines = [
        squeezed(line)
        for path in TOY.glob("tests/suites/*/public/*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len([line for line in lines if len(line) >= LEAST_CHARACTERS]) > 20
    assert not SECRETS.keys() & set(lines)


def test_a_name_in_quotes_is_no_secret_and_code_around_one_is(tmp_path: Path) -> None:
    """A kit's record holds the names of parameters, which suites list as well."""
    course = tmp_path / "toy"
    shutil.copytree(TOY, course)
    suite = course / "tests" / "suites" / "f2_learned" / "test_learned.py"
    text = suite.read_text(encoding="utf-8")
    suite.write_text(
        text + 'NAMES = (\n    "attention.projection.weight",\n)\nLAST = NAMES["of_a_layer"] + 1\n',
        encoding="utf-8",
    )
    texts = _secrets_of(course)
    assert '"attention.projection.weight",' not in texts
    assert 'LAST=NAMES["of_a_layer"]+1' in texts


def test_a_line_of_the_roles_is_no_secret_of_a_hidden_suite_but_one_of_a_solution(
    tmp_path: Path,
) -> None:
    """A kit that checks holds the roles; a line that they share with a solution stays secret."""
    course = tmp_path / "toy"
    shutil.copytree(TOY, course)
    both = "KERNELS_OF_THE_LEARNED_FILTER = (3, 5, 7)\n"
    suite = course / "tests" / "suites" / "f2_learned" / "test_learned.py"
    suite.write_text(suite.read_text(encoding="utf-8") + both, encoding="utf-8")
    assert both.replace(" ", "").strip() in _secrets_of(course)
    (course / "reference" / "roles.py").write_text(both, encoding="utf-8")
    assert both.replace(" ", "").strip() not in _secrets_of(course)
    solution = course / "reference" / "f2_learned.py"
    text = solution.read_text(encoding="utf-8")
    kept = "        self.noise = noise\n"
    assert kept in text
    line = "self.filters_of_the_learned_kernel = noise\n"
    solution.write_text(text.replace(kept, f"{kept}        {line}"), encoding="utf-8")
    (course / "reference" / "roles.py").write_text(both + line, encoding="utf-8")
    assert line.replace(" ", "").strip() in _secrets_of(course)


def _secrets_of(course: Path) -> set[str]:
    return {one.text for one in secret_lines(find_course(course))}
