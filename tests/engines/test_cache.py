"""Files of the cache: whole, or none at all."""

import os
from pathlib import Path

import pytest

from engines.cache import hash_folder, prune, read_whole, remove_unused, write_whole


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b", b"code")
    assert read_whole(tmp_path / "a" / "b") == b"code"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    assert read_whole(tmp_path / "a" / "c") is None


@pytest.mark.parametrize("damage", ["empty", "cut", "foreign", "one bit"])
def test_a_damaged_file_is_none(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "code"
    write_whole(path, b"code" * 100)
    whole = path.read_bytes()
    damaged = {
        "empty": b"",
        "cut": whole[:-7],
        "foreign": b"\x7fELF" + bytes(500),
        "one bit": whole[:-1] + bytes([whole[-1] ^ 1]),
    }
    path.write_bytes(damaged[damage])
    assert read_whole(path) is None


def test_the_hash_of_a_folder_follows_names_and_bytes_but_not_byte_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "cards.yaml").write_text("2")
    before = hash_folder(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.cpython-311.pyc").write_text("x")
    assert hash_folder(tmp_path) == before
    (tmp_path / "cards.yaml").write_text("3")
    changed = hash_folder(tmp_path)
    (tmp_path / "cards.yaml").rename(tmp_path / "tiles.yaml")
    assert len({before, changed, hash_folder(tmp_path)}) == 3


def test_old_machine_code_is_pruned_and_the_rest_stays(tmp_path: Path) -> None:
    build, other = tmp_path / "0123456789abcdef", tmp_path / "photos"
    for path in (build / "karmaka" / "old", build / "nakum" / "old", build / "nakum" / "young"):
        write_whole(path, b"code")
    write_whole(other / "old", b"a file of somebody else")
    for path in (*tmp_path.rglob("old"), build / "karmaka"):
        os.utime(path, (0, 0))
    prune(tmp_path)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"0123456789abcdef/nakum/young", "photos/old"}


def test_a_folder_of_which_nothing_was_used_for_long_is_removed(tmp_path: Path) -> None:
    for name in ("old/bot.py", "used/bot.py", "used/data"):
        write_whole(tmp_path / name, b"x = 1")
    for path in (*tmp_path.rglob("bot.py"), tmp_path / "old", tmp_path / "used"):
        os.utime(path, (0, 0))
    remove_unused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["used"]
