"""An archive is read like the folder it was made of; nothing in it reaches a disk or a limit."""

from __future__ import annotations

import io
import struct
import tarfile
import tracemalloc
import unicodedata
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.submission import archive, collection
from grader.submission.submission import Submission, SubmissionError, digest_of, read_submission
from tests.support.archives import TIME_S, tarred, tarred_as, zipped, zipped_link

Pack = Callable[[Mapping[str, bytes]], bytes]
FILES = {"a1_attention.py": b"x = 1\n", "a2.ipynb": b"{}", "part/more.py": b"y = 2\n"}
KINDS: dict[str, Pack] = {
    "zip": zipped,
    "tar": lambda files: tarred(files, "w"),
    "tar.gz": tarred,
    "tgz": lambda files: tarred(files, "w:gz", tarfile.GNU_FORMAT),
    "tar.bz2": lambda files: tarred(files, "w:bz2", tarfile.USTAR_FORMAT),
    "tar.xz": lambda files: tarred(files, "w:xz"),
}
every_kind = pytest.mark.parametrize("suffix", KINDS)
both_kinds = pytest.mark.parametrize("suffix", ["zip", "tar"])


def read(folder: Path, suffix: str, data: bytes) -> Submission:
    path = folder / f"student-001.{suffix}"
    path.write_bytes(data)
    found = read_submission(path)
    assert [one.name for one in folder.iterdir()] == [path.name], "something was unpacked"
    return found


def packed(folder: Path, suffix: str, files: Mapping[str, bytes]) -> Submission:
    return read(folder, suffix, KINDS[suffix](files))


# ---- what is read ----------------------------------------------------------------------------


@every_kind
def test_an_archive_is_the_folder_it_was_made_of(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / "student-001"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (tmp_path / "packed").mkdir()

    found = packed(tmp_path / "packed", suffix, FILES)
    plain = read_submission(folder)

    assert (found.files, found.digest, found.id) == (plain.files, plain.digest, plain.id)
    assert found.digest == digest_of(FILES)
    assert found.modified == dict.fromkeys(FILES, TIME_S)
    assert (found.skipped, found.set_aside) == ((), ())


@every_kind
@pytest.mark.parametrize("wrapper", ["student-001/", "./", "./hand-in/", "과제/"])
def test_one_folder_around_everything_is_taken_off(
    tmp_path: Path, suffix: str, wrapper: str
) -> None:
    files = {f"{wrapper}{name}": content for name, content in FILES.items()}
    assert packed(tmp_path, suffix, files).digest == digest_of(FILES)


def test_only_one_folder_is_taken_off(tmp_path: Path) -> None:
    assert list(packed(tmp_path, "zip", {"a/b/x.py": b""}).files) == ["b/x.py"]


def test_what_macos_adds_is_left_out(tmp_path: Path) -> None:
    files = {f"hand-in/{name}": content for name, content in FILES.items()}
    files |= {
        "__MACOSX/hand-in/._a1_attention.py": b"\0",
        "hand-in/._a2.ipynb": b"\0",
        ".DS_Store": b"\0",
        "hand-in/.ipynb_checkpoints/a2.ipynb": b"old",
    }

    found = packed(tmp_path, "zip", files)

    assert (found.digest, found.skipped) == (digest_of(FILES), ())


@both_kinds
def test_names_are_nfc(tmp_path: Path, suffix: str) -> None:
    files = {unicodedata.normalize("NFD", "과제.py"): b"x = 1\n"}
    assert list(packed(tmp_path, suffix, files).files) == ["과제.py"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "cp437"])
def test_a_name_without_a_stated_encoding_is_still_read(tmp_path: Path, encoding: str) -> None:
    name = "é.py" if encoding == "cp437" else "과제.py"
    raw = name.encode(encoding)
    data = zipped({"x" * (len(raw) - 3) + ".py": b"x = 1\n"})
    assert list(read(tmp_path, "zip", data.replace(b"x" * (len(raw) - 3) + b".py", raw)).files) == [
        name
    ]


def test_folders_of_a_windows_zip_are_folders(tmp_path: Path) -> None:
    data = zipped({"w\\b\\a1.py": b"x = 1\n", "w\\a2.py": b""})
    data = data.replace(b"PK\x01\x02\x14\x03", b"PK\x01\x02\x14\x00")
    assert list(read(tmp_path, "zip", data).files) == ["a2.py", "b/a1.py"]


def test_a_tar_whose_compression_a_browser_took_off_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, "tar.gz", tarred(FILES, "w")).digest == digest_of(FILES)


def test_streams_one_after_the_other_are_one_archive(tmp_path: Path) -> None:
    import bz2

    data = tarred(FILES, "w")
    halves = bz2.compress(data[:700]) + bz2.compress(data[700:])
    assert read(tmp_path, "tar.bz2", halves).digest == digest_of(FILES)


def test_long_names_are_read_in_every_form(tmp_path: Path) -> None:
    name = "/".join(["f" * 60, "g" * 60, "h" * 50]) + ".py"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        data = tarred({name: b"x", "a.py": b"y"}, "w", form)
        assert list(read(tmp_path, "tar", data).files) == ["a.py", name]


# ---- what is refused, file by file -----------------------------------------------------------

LEADS_OUT = "has a path that leads out of the archive: not read. Pack it again."
LINK = "is a symbolic link: not read. Hand in the file itself."
SPECIAL = "is not a regular file: not read. Hand in the file itself."


@pytest.mark.parametrize(
    ("suffix", "data", "line"),
    [
        ("zip", zipped({"../a.py": b"", "z.py": b""}), f"../a.py {LEADS_OUT}"),
        ("zip", zipped({"/tmp/a.py": b"", "z.py": b""}), f"/tmp/a.py {LEADS_OUT}"),
        ("zip", zipped({"C:/a.py": b"", "z.py": b""}), f"C:/a.py {LEADS_OUT}"),
        ("tar", tarred({"b/../../a.py": b"", "z.py": b""}, "w"), f"b/../../a.py {LEADS_OUT}"),
        ("tar", tarred({"/a.py": b"", "z.py": b""}, "w"), f"/a.py {LEADS_OUT}"),
        ("zip", zipped_link("a.py", b"/etc/hostname"), f"a.py {LINK}"),
        ("tar", tarred_as(tarfile.SYMTYPE, "a.py", "/etc/hostname"), f"a.py {LINK}"),
        ("tar", tarred_as(tarfile.LNKTYPE, "a.py", "z.py"), f"a.py {LINK}"),
        ("tar", tarred_as(tarfile.FIFOTYPE, "a.py"), f"a.py {SPECIAL}"),
        ("tar", tarred_as(tarfile.CHRTYPE, "a.py"), f"a.py {SPECIAL}"),
        ("tar", tarred_as(tarfile.BLKTYPE, "a.py"), f"a.py {SPECIAL}"),
        (
            "zip",
            zipped({"inner.zip": zipped({"a.py": b""}), "z.py": b""}),
            "inner.zip is an archive in the submission: not opened. Hand in the files in it.",
        ),
        (
            "zip",
            zipped({"A.py": b"1", "a.py": b"2", "z.py": b""}),
            "a.py differs from A.py only in capital letters, and many systems take both for one: "
            "not read. Rename it.",
        ),
        (
            "zip",
            zipped({"a\u202eyp.py": b"", "z.py": b""}),
            r"'a\u202eyp.py' has invisible characters in its name: not read. Rename it.",
        ),
        (
            "tar",
            tarred({"a/b/c/d/e/f/g/h/i/a.py": b"", "z.py": b""}, "w"),
            "a/b/c/d/e/f/g/h/i/a.py is more than 8 folders deep: not read.",
        ),
    ],
)  # fmt: skip
def test_one_bad_file_is_named_and_costs_no_other(
    tmp_path: Path, suffix: str, data: bytes, line: str
) -> None:
    found = read(tmp_path, suffix, data)
    assert (list(found.files)[-1], found.skipped) == ("z.py", (line,))
    assert "a.py" not in found.files


def test_an_unusual_method_is_named(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError) as refused:
        read(tmp_path, "zip", zipped({"a.py": b"x"}, zipfile.ZIP_LZMA))
    line = "a.py is packed by an unusual method: not read. Pack it as an ordinary zip."
    assert line in str(refused.value)


@both_kinds
def test_of_two_files_of_one_name_none_is_read(tmp_path: Path, suffix: str) -> None:
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        data = io.BytesIO()
        if suffix == "zip":
            with zipfile.ZipFile(data, "w") as file:
                for text in ("1", "2"):
                    file.writestr("a.py", text)
                file.writestr("z.py", "")
        else:
            data.write(
                tarred({"a.py": b"1"}, "w")[:1024] + tarred({"a.py": b"2", "z.py": b""}, "w")
            )
    found = read(tmp_path, suffix, data.getvalue())
    line = "a.py is in the archive 2 times: none was read. Pack the folder again."
    assert (list(found.files), set(found.skipped)) == (["z.py"], {line})


def test_an_encrypted_file_is_named(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.py": b"x = 1\n", "z.py": b""}))
    data[6] |= 1  # the flag in the file's own header, and in the table of contents
    data[data.index(b"PK\x01\x02") + 8] |= 1
    found = read(tmp_path, "zip", bytes(data))
    assert found.skipped == ("a.py is encrypted: not read. Pack it again without a password.",)


def test_damaged_bytes_of_one_file_cost_that_file(tmp_path: Path) -> None:
    data = zipped({"a.py": b"x = 1\n", "z.py": b"z"}, zipfile.ZIP_STORED)
    found = read(tmp_path, "zip", data.replace(b"x = 1", b"x = 2"))
    assert list(found.files) == ["z.py"]
    assert "a.py is damaged or not complete (Bad CRC-32" in found.skipped[0]


# ---- what is refused as a whole --------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "data", "says"),
    [
        ("zip", b"", "damaged or not complete"),
        ("zip", zipped(FILES)[:-30], "damaged or not complete"),
        ("zip", b"Rar!\x1a\x07\x01\x00", "this kind of archive is not read. Pack it as .zip"),
        ("rar", b"anything", "this kind of archive is not read. Pack it as .zip"),
        ("7z", b"anything", "this kind of archive is not read. Pack it as .zip"),
        ("tar", b"no tar" * 200, "damaged or not complete (a header is not valid)"),
        ("tar", tarred(FILES, "w")[:514], "it ends in the middle of a file"),
        ("tar.gz", tarred(FILES)[:60], "damaged or not complete (it ends in the middle)"),
        ("tar.xz", tarred(FILES, "w:xz")[:80], "damaged or not complete (it ends in the middle)"),
        ("zip", zipped({"notes.txt": b""}), "no .py or .ipynb file that can be read"),
        ("tar", bytes(1024), "no .py or .ipynb file that can be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # the bytes hold the time
)  # fmt: skip
def test_what_is_no_archive_is_refused_by_name(
    tmp_path: Path, suffix: str, data: bytes, says: str
) -> None:
    with pytest.raises(SubmissionError) as refused:
        read(tmp_path, suffix, data)
    assert f"student-001.{suffix}: " in str(refused.value)
    assert says in str(refused.value)


@both_kinds
@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        ("LIMIT_FILES", 2, "more than 2 code files"),
        ("LIMIT_ENTRIES", 2, "more than 2 files and folders"),
        ("LIMIT_TOTAL_BYTES", 1 << 20, "more than 1 MiB of code files"),
    ],
)
def test_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, limit: str, value: int, says: str
) -> None:
    monkeypatch.setattr(collection, limit, value)
    with pytest.raises(SubmissionError, match=says):
        packed(tmp_path, suffix, {f"a{n}.py": b" " * (1 << 19) for n in range(3)})


def test_what_is_unpacked_in_vain_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "LIMIT_FILE_BYTES", 1 << 10)
    monkeypatch.setattr(collection, "LIMIT_READ_BYTES", 1 << 14)
    with pytest.raises(SubmissionError, match="in files that are too large"):
        packed(tmp_path, "zip", {f"a{n}.py": b" " * 2000 for n in range(20)})


def test_too_large_an_archive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.submission.submission.LIMIT_ARCHIVE_BYTES", 1 << 20)
    with pytest.raises(SubmissionError, match=r"larger than 1 MiB\. Pack only"):
        packed(tmp_path, "tar", {"a.py": b"x" * (1 << 20)})


# ---- bombs: refused by what was unpacked, in memory that is bounded ---------------------------


def zip_bomb(count: int, size: int = 256 << 20) -> bytes:
    """`count` members that each unpack to `size` zeros and say that they hold 10 bytes."""
    import zlib

    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packer.flush()
    local, table = bytearray(), bytearray()
    for n in range(count):
        name = b"a%05d.py" % n
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(body), size, len(name), 0)
        table += b"PK\x01\x02\x14\x03" + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
        if n == 0:
            local += b"PK\x03\x04" + fields + name + body
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(table), len(local), 0)
    return bytes(local + table + end)


@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, suffix: str) -> None:
    bomb = zip_bomb(3) if suffix == "zip" else KINDS[suffix]({"a.py": bytes(200 << 20)})
    tracemalloc.start()
    try:
        with pytest.raises(
            SubmissionError, match=r"unpacks to more than 200 times its size|damaged"
        ):
            read(tmp_path, suffix, bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 << 20


def test_a_table_of_contents_without_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(SubmissionError, match="holds too many files"):
            read(tmp_path, "zip", zip_bomb(60_000, 1 << 20))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 32 << 20


def test_what_would_unpack_too_far_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import random

    monkeypatch.setattr(archive, "LIMIT_UNPACKED_BYTES", 1 << 20)
    noise = random.Random(1).randbytes(2 << 20)
    with pytest.raises(SubmissionError, match="unpacks to more than 1 MiB"):
        packed(tmp_path, "tar.gz", {"a.py": noise})


def test_an_xz_stream_may_not_ask_for_gigabytes(tmp_path: Path) -> None:
    import lzma

    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    data = lzma.compress(tarred(FILES, "w"), filters=filters)
    with pytest.raises(SubmissionError, match="Memory usage limit"):
        read(tmp_path, "tar.xz", data)


# ---- whatever bytes they are -----------------------------------------------------------------

WHOLE = {suffix: pack(FILES) for suffix, pack in KINDS.items()}


@given(
    suffix=st.sampled_from(["zip", "tar"]),
    edits=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), min_size=1, max_size=12),
    keep=st.integers(0, 8000),
)
@example(suffix="zip", edits=[(191, 0)], keep=340)  # a name without a letter
def test_any_bytes_give_a_submission_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, edits: list[tuple[int, int]], keep: int
) -> None:
    data = bytearray(WHOLE[suffix])
    for place, byte in edits:
        data[place % len(data)] = byte
    path = tmp_path_factory.mktemp("fuzz") / f"a.{suffix}"
    path.write_bytes(data[:keep])
    try:
        found = read_submission(path)
    except SubmissionError as error:
        assert f"a.{suffix}" in str(error)
    else:
        assert found.digest == digest_of(found.files)
