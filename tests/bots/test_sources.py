"""Bots of more than one file: what belongs to them, where they are found, and what they find beside them."""

import contextlib
import os
import sys
import threading

import pytest

from bots import sources
from bots.registry import parse_bot
from bots.sources import Parcel, read_source, unpack
from engines.errors import UserError

CODE = '''
"""Says what stands beside it."""
from pathlib import Path
import helper

class Reader:
    def __init__(self):
        self.beside = (Path(__file__).parent / "data.txt").read_text()
        self.relative = Path("data.txt").read_text()

    def reset(self, game, view, seed):
        import late  # at play, not when the file is read
        self.late = late.WORD

    def act(self, view, legal):
        return self.beside, self.relative, helper.WORD, self.late, Path("data.txt").read_text()

    def close(self):
        pass
'''


def folder(path, word="a", entry="bot.py"):
    """A bot that needs two modules and a file beside it; each says the same word."""
    path.mkdir(parents=True)
    (path / entry).write_text(CODE)
    for name in ("helper", "late"):
        (path / f"{name}.py").write_text(f"WORD = {word!r}")
    (path / "data.txt").write_text(word)
    return path


def said(text, **more):
    bot = parse_bot(str(text), **more).make()
    bot.reset(None, None, 0)
    return bot.act(None, [])


def digest(path, files=()):
    return read_source(str(path), files).digest


@pytest.mark.parametrize("entry", ["bot.py", "__init__.py"])
def test_a_folder_finds_its_modules_and_data_from_any_working_folder(tmp_path, monkeypatch, entry):
    folder(tmp_path / "mine", "a", entry)
    (tmp_path / "elsewhere").mkdir()
    for cwd, text in ((tmp_path, "mine"), (tmp_path, "mine:Reader"), (tmp_path, "./mine")):
        monkeypatch.chdir(cwd)
        assert said(text) == ("a",) * 5
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert said("../mine:Reader") == ("a",) * 5
    assert said(tmp_path / "mine") == ("a",) * 5


def test_two_folders_with_modules_of_one_name_do_not_meet(tmp_path):
    texts = [folder(tmp_path / name, name) for name in ("one", "two")]
    before, modules = list(sys.path), set(sys.modules)
    made = [parse_bot(str(text)).make() for text in texts]
    for bot in made:
        bot.reset(None, None, 0)
    assert [bot.act(None, []) for bot in made] == [("one",) * 5, ("two",) * 5]
    assert sys.path == before
    assert not {"helper", "late"} & (set(sys.modules) - modules)
    assert not list(tmp_path.rglob("__pycache__"))


def test_relative_imports_work_in_a_folder(tmp_path):
    home = folder(tmp_path / "mine")
    (home / "bot.py").write_text(CODE.replace("import helper", "from . import helper"))
    assert said(home) == ("a",) * 5


def test_every_file_of_a_folder_is_its_identity(tmp_path):
    home = folder(tmp_path / "mine")
    first = digest(home)
    for name in (".hidden", "__pycache__/x.pyc", "notes/draft.tmp", "big.log"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text("anything")
    (home / ".arenaignore").write_text("# not mine\n*.log\nnotes/\n")
    assert digest(home) == first
    (home / "weights.npy").write_bytes(b"1")
    second = digest(home)
    (home / "weights.npy").write_bytes(b"2")
    assert len({first, second, digest(home)}) == 3
    assert digest(folder(tmp_path / "copy")) == first


def test_a_file_names_what_belongs_to_it_and_is_not_run_for_that(tmp_path):
    file, weights = tmp_path / "net.py", tmp_path / "weights.npy"
    weights.write_bytes(b"1")
    plain = "raise SystemExit('run')\n"
    file.write_text(plain)
    alone = digest(file)
    file.write_text(f"files = ['weights.npy']\n{plain}")
    named = digest(file)
    weights.write_bytes(b"2")
    assert len({alone, named, digest(file)}) == 3


def test_a_single_file_keeps_the_digest_it_always_had(tmp_path):
    file = tmp_path / "net.py"
    file.write_bytes(b"a = 1")
    assert digest(file) == sources.digest_of(b"a = 1")


def test_files_may_be_named_from_outside_and_a_folder_counts_whole(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("a = 1")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "one.txt").write_text("1")
    found = read_source(str(file), ["data"])
    assert [name for name, _ in found.files] == ["net.py", "data/one.txt"]
    assert found.digest != digest(file)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ("['nothing.npy']", "files: 'nothing.npy', no such file in"),
        ("['../out.npy']", "files: '../out.npy', does not lie below"),
    ],
)
def test_a_file_that_cannot_belong_to_a_bot_is_one_line(tmp_path, files, problem):
    (tmp_path / "out.npy").touch()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "net.py").write_text(f"files = {files}")
    with pytest.raises(UserError, match=problem) as caught:
        parse_bot(f"{tmp_path}/in/net.py:Net")
    assert "\n" not in str(caught.value)


def test_too_many_bytes_are_an_error_with_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_BYTES", 1 << 20)
    home = folder(tmp_path / "mine")
    (home / "weights.npy").write_bytes(bytes(2 << 20))
    with pytest.raises(UserError, match="its files have 2 MB, 1 MB is the limit"):
        parse_bot(str(home))


def test_a_bot_plays_as_it_was_where_its_files_have_changed_or_are_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    home = folder(tmp_path / "mine")
    source = read_source(str(home))
    unpack(Parcel(source.digest, source.entry, source.files))
    (home / "data.txt").write_text("changed")
    assert said(home)[0] == "changed"
    assert said(home, wanted=source.digest) == ("a",) * 5
    for path in sorted(home.rglob("*")):
        path.unlink()
    home.rmdir()
    spec = parse_bot(f"{home}:Reader", wanted=source.digest)
    assert spec.kind.source_hash == source.digest
    assert said(spec.place) == ("a",) * 5


def test_what_was_unpacked_and_is_not_whole_is_not_played(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    home = folder(tmp_path / "mine")
    source = read_source(str(home))
    parcel = Parcel(source.digest, source.entry, source.files)
    unpack(parcel)
    there = tmp_path / "cache" / "bots" / source.digest / "bot.py" / "data.txt"
    there.unlink()
    (home / "data.txt").write_text("changed")
    assert read_source(str(home), wanted=source.digest).digest != source.digest
    unpack(parcel)
    assert there.read_text() == "a"
    os.utime(there, (0, 0))
    unpack(parcel)
    assert there.stat().st_mtime > 0  # else it would be removed as unused
    for path in (tmp_path / "cache" / "bots").rglob("*"):
        os.utime(path, (0, 0))
    unpack(Parcel("another", "b.py", (("b.py", b"x = 1"),)))
    assert not there.exists()


def test_equal_files_under_two_names_are_unpacked_in_two_places(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    code = b"x = 1\n"
    digest = sources.digest_of(code)
    for name in ("one.py", "two.py"):
        unpack(Parcel(digest, name, ((name, code),)))
    found = [read_source(f"{tmp_path}/{name}", wanted=digest) for name in ("one.py", "two.py")]
    assert [one.module.read_bytes() for one in found] == [code] * 2
    assert found[0].home != found[1].home


def test_a_linked_file_that_is_gone_plays_from_where_it_was_unpacked(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    file, link = tmp_path / "real.py", tmp_path / "link.py"
    file.write_text("x = 1\n")
    link.symlink_to(file)
    source = read_source(str(link))
    unpack(Parcel(source.digest, source.entry, source.files))
    file.unlink()
    assert read_source(str(link), wanted=source.digest).entry == "real.py"


def test_a_folder_without_a_beginning_or_with_two_bots_is_one_line(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match=r"a folder without bot.py or __init__.py"):
        parse_bot(f"{empty}/")
    home = folder(tmp_path / "two")
    (home / "bot.py").write_text(CODE + "\n\nclass Other(Reader):\n    pass\n")
    with pytest.raises(UserError, match="it has Reader, Other, expected "):
        parse_bot(str(home))
    assert said(f"{home}:Other") == ("a",) * 5


def test_workers_that_unpack_the_same_bot_at_once_never_take_it_from_each_other(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(sources, "cache_root", lambda: tmp_path)
    parcel = sources.Parcel("digest", "bot.py", (("bot.py", b"x = 1\n"),))
    home = sources.home_of("digest", "bot.py")
    both, taken = threading.Barrier(2), []
    make, remove = sources.tempfile.mkdtemp, sources.shutil.rmtree

    def make_when_both_are_here(**where):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.2)
        return make(**where)

    def remove_and_tell(path, **how):
        taken.append((home / "bot.py").is_file())
        remove(path, **how)

    monkeypatch.setattr(sources.tempfile, "mkdtemp", make_when_both_are_here)
    monkeypatch.setattr(sources.shutil, "rmtree", remove_and_tell)
    threads = [threading.Thread(target=sources.unpack, args=(parcel,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (home / "bot.py").is_file()
    assert not any(taken)
