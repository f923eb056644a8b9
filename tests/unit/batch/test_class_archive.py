"""A zip of a class is unpacked once, costs nobody a grade, and touches nothing outside."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.batch import class_archive
from grader.batch.class_archive import class_folder
from grader.batch.discovery import BatchError, discover
from grader.submission.submission import SubmissionError
from tests.support.archives import zipped, zipped_link

STEM = "a1_attention"
CODE = b"one = 1\n"


@pytest.fixture(autouse=True)
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One for each time that the disks were to be synchronised, which takes seconds here."""
    seen: list[None] = []
    monkeypatch.setattr("grader.batch.class_archive.os.sync", lambda: seen.append(None))
    return seen


def given(folder: Path, data: bytes) -> Path:
    path = folder / "class.zip"
    path.write_bytes(data)
    return path


def unpacked(folder: Path, data: bytes) -> Path:
    return class_folder(given(folder, data), folder / "out", (STEM,))


def ids(folder: Path, out: Path) -> list[str]:
    return [entry.id for entry in discover(folder, out, (STEM,)).entries]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["one_101_1_a1_attention.py", "two_LATE_102_2_a1_attention.py"], ["one_101", "two_102"]),
        (["hand-ins/one_101_1_a1_attention.py"], ["one_101"]),
        (["One_101_assignsubmission_file_/a1_attention.py"], ["One_101"]),
        (["student-001/a1_attention.py", "student-002.py"], ["student-001", "student-002"]),
        (["class/student-001/a1_attention.py", "__MACOSX/class/._x"], ["student-001"]),
        (["student-001/a1_attention.py"], ["student-001"]),
        (["student-001/", "student-002/a1_attention.py"], ["student-001", "student-002"]),
    ],
    ids=["Canvas", "a folder around", "Moodle", "plain", "macOS", "one student", "empty folder"],
)
def test_a_zip_holds_the_class_of_its_folder(
    tmp_path: Path, files: list[str], expected: list[str]
) -> None:
    folder = unpacked(tmp_path, zipped(dict.fromkeys(files, CODE)))
    assert ids(folder, tmp_path / "out") == expected


def test_what_is_unpacked_is_used_again(tmp_path: Path, syncs: list[None]) -> None:
    folder = unpacked(tmp_path, zipped({"one_101_1_a1_attention.py": CODE}))
    assert len(syncs) == 1
    (folder / "one_101_1_a1_attention.py").write_bytes(b"seen = 1\n")

    assert unpacked(tmp_path, zipped({"one_101_1_a1_attention.py": CODE})) == folder
    assert (folder / "one_101_1_a1_attention.py").read_bytes() == b"seen = 1\n"
    assert len(syncs) == 1
    # Another download is another folder, and the first one stays for appeals.
    assert unpacked(tmp_path, zipped({"one_101_2_a1_attention.py": CODE})) != folder
    assert folder.is_dir()


def test_what_a_killed_run_left_is_nobodys(tmp_path: Path) -> None:
    rest = tmp_path / "out" / "unpacked" / ".new-0000"
    rest.mkdir(parents=True)
    (rest / "half.py").write_bytes(CODE)
    folder = unpacked(tmp_path, zipped({"one_101_1_a1_attention.py": CODE}))

    assert [path.name for path in (tmp_path / "out" / "unpacked").iterdir()] == [folder.name]


def encrypted(name: str) -> bytes:
    data = bytearray(zipped({name: CODE}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    return bytes(data)


def twice(name: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive, pytest.warns(UserWarning):
        archive.writestr(name, CODE)
        archive.writestr(name, CODE)
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zipped({"../x_1_2_a.py": CODE}), "'../x_1_2_a.py' leads out of the folder. Unpack it"),
        (zipped({"/tmp/x.py": CODE}), "'/tmp/x.py' leads out of the folder. Unpack it"),
        (zipped({"C:/x.py": CODE}), "'C:/x.py' leads out of the folder. Unpack it"),
        (zipped_link("x_1_2_a.py", b"/etc/passwd"), "'x_1_2_a.py' is a link or a device. Unpack"),
        (encrypted("x_1_2_a.py"), "'x_1_2_a.py' is encrypted. Unpack it yourself"),
        (twice("x_1_2_a.py"), "'x_1_2_a.py' is in it more than once. Unpack it yourself"),
        (zipped({"a": CODE, "a/b.py": CODE}), "'a/b.py' is in it more than once. Unpack it"),
        (zipped({"x_1_2_a.py": CODE})[:-30], "damaged or not complete (File is not a zip file)"),
        (zipped({"x_1_2_a.py": CODE}).replace(b"PK\x03\x04", b"PK\x03\x05"), "Download it again."),
        (b"", "empty. Download it again."),
    ],
    ids=[
        "up", "from the root", "drive", "link", "encrypted", "twice", "file and folder", "cut off",
        "damaged", "nothing",
    ],
)  # fmt: skip
def test_what_no_system_writes_refuses_the_whole_download(
    tmp_path: Path, data: bytes, says: str
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with pytest.raises(BatchError) as refused:
        unpacked(place, data)

    assert str(refused.value).startswith(f"{place / 'class.zip'}: ")
    assert says in str(refused.value)
    # Nothing is left, inside or outside.
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "class.zip", "out", "place", "unpacked",
    ]  # fmt: skip


def reasons(folder: Path, out: Path) -> Mapping[str, str]:
    result = {}
    for entry in discover(folder, out, (STEM,)).entries:
        try:
            entry.read()
            result[entry.id] = ""
        except SubmissionError as error:
            result[entry.id] = str(error)
    return result


def test_a_huge_file_or_a_long_name_costs_its_student_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_archive, "LIMIT_ARCHIVE_BYTES", 64 << 20)
    long = f"three_103_3_{'김' * 100}.py"
    deep = f"Four_104/{'a/' * 40}a1_attention.py"
    names = {"one_101_1_a1_attention.py": bytes((64 << 20) + 5), "two_102_2_a1_attention.py": CODE}
    folder = unpacked(tmp_path, zipped({**names, long: CODE}))
    known = reasons(folder, tmp_path / "out")

    assert [*known] == ["one_101", "three_103", "two_102"]
    assert "one_101_1" not in known["two_102"] + known["three_103"] == ""
    assert "a1_attention.py is larger than 64 MiB: not read" in known["one_101"]
    # A file of nothing takes no room.
    assert (folder / "one_101_1_a1_attention.py").stat().st_blocks == 0

    known = reasons(unpacked(tmp_path, zipped({deep: CODE, "Five_105.py": CODE})), tmp_path / "out")
    assert "is more than 8 folders deep: not read." in known["Four_104"]


def test_a_bomb_is_refused_before_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_archive, "LIMIT_CLASS_BYTES", 1 << 20)
    files = {f"x_{number}_{number}_a.py": bytes(1 << 18) for number in range(9)}

    with pytest.raises(BatchError, match=r"class\.zip: unpacks to more than 0 GiB\. Unpack it"):
        unpacked(tmp_path, zipped(files))
    assert list((tmp_path / "out" / "unpacked").iterdir()) == []


def test_too_many_files_are_refused_before_any_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_archive, "LIMIT_CLASS_RECORDS", 5)
    with pytest.raises(BatchError, match="holds more than 5 files"):
        unpacked(tmp_path, zipped({f"x_{n}_{n}_a.py": CODE for n in range(6)}))


def test_a_folder_is_given_as_it_is(tmp_path: Path) -> None:
    assert class_folder(tmp_path, tmp_path / "out") == tmp_path
    # Which is no folder either: who reads it says so.
    assert class_folder(tmp_path / "none.zip", tmp_path / "out") == tmp_path / "none.zip"
