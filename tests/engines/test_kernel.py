"""`link` and the cache folder, in fresh processes: a stale kernel spoils results in silence."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engines import kernel
from engines.contents import binding_tag, identity
from engines.core import Game
from engines.kernel import link

needs_jit = pytest.mark.skipif(kernel.INTERPRETED, reason="about compiled code")

RunPython = Callable[..., str]

STEPS = """
from engines.kernel import kernel

@kernel
def step(x):
    return {step}
"""

TEMPLATE = """
def repeat(x, times):
    for _ in range(times):
        x = step(x)
    return x

def twice(x):
    return inner(inner(x, 1), 1)

def shift(x):
    return x + AMOUNT
"""

LINK_ALL = """
import plus, times, templates
from engines.kernel import link
links = {
    "plus": link(templates.repeat, step=plus.step),
    "times": link(templates.repeat, step=times.step),
    "one": link(templates.shift, AMOUNT=1),
    "two": link(templates.shift, AMOUNT=2),
}
links["nested plus"] = link(templates.twice, inner=links["plus"])
links["nested times"] = link(templates.twice, inner=links["times"])
for name in ORDER:
    f = links[name]
    result = f(5, 3) if name in ("plus", "times") else f(5)
    hits, misses = sum(f.stats.cache_hits.values()), sum(f.stats.cache_misses.values())
    print(f"{name} {result} {hits} {misses}")
"""

# One random game in a linked template, then every question once: what was compiled how often?
PLAYOUT = """
def playout(states, rng, out):
    count = legal_actions(states, out)
    while count > 0:
        apply(states, int(out[below(rng, count)]), rng)
        count = legal_actions(states, out)
    return turns(states)
"""

PLAY = """
import sys
from itertools import combinations
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from engines.core import load_game
from engines.kernel import link
from engines.rng import below, seeded
from playout import playout

game = load_game(NAME)
states, rng = game.blank(game.players[-1], game.Variant()), seeded(1)
game.deal(states, rng)
views, other = np.zeros(1, game.dtype), np.zeros(1, game.dtype)
out = np.empty(game.max_legal, np.int32)
game.observe(states, 0, views)
game.determinize(views, rng, other)
kernels = {name: getattr(game, name) for name in ("legal_actions", "apply", "turns")}
linked = link(playout, below=below, **kernels)
print(linked(states, rng, out))
game.rank_list(states), game.point_list(states), game.ending(states), game.turns(states)
game.key(states), game.evaluate(states, 0)
found = {"playout": linked}
for module, members in [(n, vars(m)) for n, m in sys.modules.items() if n.startswith("engines")]:
    for value in members.values():
        if isinstance(value, Dispatcher):
            found[f"{value.__module__}.{value.__qualname__}"] = value
parts = sum(len(d.part.overloads) for d in found.values())
emitted = sum(sum(d.stats.cache_misses.values()) for d in found.values())
loaded = sum(sum(d.stats.cache_hits.values()) for d in found.values())
print(parts, emitted, loaded)

def sizes(signature):
    # Piles of another size need another version, numbers of another kind do not.
    return [str(one) if isinstance(one, (types.Record, types.NestedArray)) else "" for one in signature]

for name, dispatcher in found.items():
    for compiled in (dispatcher, dispatcher.part):
        versions = list(compiled.overloads)
        if any(sizes(one) == sizes(other) for one, other in combinations(versions, 2)):
            print(name, versions)
"""


@pytest.fixture
def two_kernel_sets(tmp_path: Path) -> Path:
    (tmp_path / "plus.py").write_text(STEPS.format(step="x + 2"))
    (tmp_path / "times.py").write_text(STEPS.format(step="x * 2"))
    (tmp_path / "templates.py").write_text(TEMPLATE)
    return tmp_path


@pytest.mark.full
@needs_jit
def test_one_template_with_different_bindings_keeps_them_apart_in_the_next_process(
    two_kernel_sets: Path, run_python: RunPython
) -> None:
    right = {"plus": 11, "times": 40, "one": 6, "two": 7, "nested plus": 9, "nested times": 20}
    names = list(right)
    first = run_python(f"ORDER = {names}\n{LINK_ALL}").splitlines()
    second = run_python(f"ORDER = {names[::-1]}\n{LINK_ALL}").splitlines()
    assert first == [f"{name} {value} 0 1" for name, value in right.items()]
    assert second[::-1] == [f"{name} {value} 1 0" for name, value in right.items()]  # cache hits


@pytest.mark.full
@needs_jit
def test_an_edited_table_of_a_game_folder_is_noticed_by_the_next_process(
    tmp_path: Path, run_python: RunPython, root: Path
) -> None:
    folder = copy_game(root, tmp_path / "my_four")
    script = f"""
import numpy as np
from engines.core import load_game
from engines.rng import seeded
game = load_game({str(folder)!r})
states = game.new_state(2, game.Variant(), seeded(1))
for action in (0, 1, 0, 1, 0, 1, 0):
    game.apply(states, action, seeded(1))
print(game.ending(states), *game.point_list(states))
"""
    assert run_python(script) == "1 1 0"
    tables = folder / "tables.py"
    edited = tables.read_text().replace("LINE = 1", "LINE = 3")
    assert edited != tables.read_text()
    tables.write_text(edited)
    assert run_python(script) == "3 1 0"


@pytest.mark.full
@needs_jit
@pytest.mark.parametrize("nested", [False, True], ids=["linked", "linked twice"])
def test_an_edited_table_of_a_plug_in_package_is_noticed_by_the_next_process(
    tmp_path: Path, run_python: RunPython, nested: bool
) -> None:
    """A plug-in keeps its module names when it changes, so only the hash of its folder can tell."""
    package = tmp_path / "plugin"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tables.py").write_text("AMOUNT = 2\n")
    rules = "from engines.kernel import kernel\nfrom plugin.tables import AMOUNT\n\n"
    (package / "rules.py").write_text(f"{rules}@kernel\ndef step(x):\n    return x + AMOUNT\n")
    (tmp_path / "templates.py").write_text(TEMPLATE)
    inner = "link(templates.repeat, step=rules.step)"
    outer = f"link(templates.twice, inner={inner})(5)" if nested else f"{inner}(5, 2)"
    script = f"""
from engines.kernel import link
import templates
from plugin import rules
print({outer}, rules.step(0))
"""
    assert run_python(script) == "9 2"
    (package / "tables.py").write_text("AMOUNT = 3\n")
    assert run_python(script) == "11 3"


@pytest.mark.full
@needs_jit
def test_bounds_checks_work_on_a_cache_made_without_them(
    tmp_path: Path, run_python: RunPython
) -> None:
    pick = (
        "from engines.kernel import kernel\n\n@kernel\ndef pick(items, i):\n    return items[i]\n"
    )
    (tmp_path / "picking.py").write_text(pick)
    script = """
import numpy as np
from picking import pick
try:
    pick(np.zeros(3, np.int64), 5)
    print("read past the end")
except IndexError as error:
    print("IndexError")
"""
    assert run_python(script) == "read past the end"
    assert run_python(script, NUMBA_BOUNDSCHECK="1") == "IndexError"
    assert run_python(script) == "read past the end"


@needs_jit
def test_a_table_too_large_for_the_cache_is_an_error(tmp_path: Path, run_python: RunPython) -> None:
    (tmp_path / "large.py").write_text(
        "import numpy as np\nfrom engines.kernel import kernel\n\n"
        "TABLE = np.arange(1 << 18)\n\n@kernel\ndef look(i):\n    return TABLE[i]\n"
    )
    script = """
from numba.core.errors import NumbaWarning
from large import look
try:
    look(1)
    print("silently not cached")
except NumbaWarning:
    print("NumbaWarning")
"""
    assert run_python(script) == "NumbaWarning"


@needs_jit
def test_a_fresh_cache_compiles_each_kernel_once_and_the_next_process_compiles_nothing(
    tmp_path: Path, run_python: RunPython
) -> None:
    (tmp_path / "playout.py").write_text(PLAYOUT)
    script = f"NAME = 'connect_four'\n{PLAY}"
    first, second = (run_python(script, anew=True).splitlines() for _ in range(2))
    assert first[2:] == [], "kernels compiled more than once"
    parts, emitted, loaded = map(int, first[1].split())
    assert (parts, emitted, loaded) == (parts, emitted, 0)
    assert parts > 10
    assert emitted > 5
    assert first[0] == second[0], "another game out of the cache"
    assert second[1] == f"0 0 {emitted}", "something was compiled although the cache was warm"


@needs_jit
@pytest.mark.full
def test_every_game_compiles_each_kernel_once(
    any_game: Game, tmp_path: Path, run_python: RunPython
) -> None:
    (tmp_path / "playout.py").write_text(PLAYOUT)
    lines = run_python(f"NAME = {any_game.name!r}\n{PLAY}").splitlines()
    assert lines[2:] == [], "kernels compiled more than once"


def test_the_interpreted_mode_needs_no_compiler(tmp_path: Path, run_python: RunPython) -> None:
    script = """
import numpy as np
from engines.kernel import kernel, link

@kernel
def bump(states):
    state = states[0]
    state.seat[1].coins += 2
    return state.seat[1].coins

states = np.zeros(1, np.dtype([("seat", [("coins", np.int8)], (2,))]))

def template(states):
    return bump(states) + bump(states)

linked = link(template, bump=bump)
print(bump.__name__, int(bump(states)), int(linked(states)), hasattr(bump, "overloads"))
"""
    assert run_python(script, NUMBA_DISABLE_JIT="1") == "bump 2 10 False"


def test_identities_tell_kernels_and_constants_apart() -> None:
    values = [
        1,
        2,
        1.0,
        True,
        np.zeros(2),
        np.zeros(3),
        np.ones(2),
        np.zeros(2, np.int8),
        kernel.piece,
        link,
    ]
    assert len({identity(v) for v in values}) == len(values)
    assert identity(link) == "engines.kernel.link"


def test_tags_do_not_depend_on_the_order_of_names() -> None:
    assert binding_tag({"a": 1, "b": 2}) == binding_tag({"b": 2, "a": 1})
    assert binding_tag({"a": 1, "b": 2}) != binding_tag({"a": 2, "b": 1})


def test_a_module_cannot_be_bound() -> None:
    with pytest.raises(TypeError, match=r"not the module engines\.kernel"):
        identity(kernel)


def copy_game(root: Path, folder: Path) -> Path:
    """Connect Four as somebody's own game folder."""
    shutil.copytree(root / "engines" / "connect_four", folder)
    return folder


# --- machine code that calls other machine code by its symbol ---------------------------------------------

SMALL_GAME = """
from enum import IntEnum
import numpy as np
from engines.kernel import kernel

STATE = np.dtype([("to_act", np.int8), ("coins", np.int8, (3,))])
TABLE = np.array([3, 1, 2])

class Kind(IntEnum):
    TAKE = 0
    PASS = 1

@kernel
def legal_actions(states, out):
    "A docstring."
    out[0] = Kind.TAKE
    out[1] = Kind.PASS
    return 2 if states[0].coins[2] < 40 else 0

@kernel
def apply(states, action):
    give(states[0], action)
    states[0].to_act = (states[0].to_act + 1) % 3

@kernel
def give(state, action):
    state.coins[state.to_act] += TABLE[state.to_act] + action

@kernel
def pick(states, place):
    return states[0].coins[place]
"""

SMALL_TEMPLATE = """
def play(states, out, place):
    turns = 0
    while legal_actions(states, out) > 0:
        apply(states, int(out[turns % 2]))
        turns += 1
    return turns * 1000 + pick(states, place)
"""

# Types get numbers as they turn up, other ones in every process; LIGHT = 0: nothing is taken in.
PLAY_SMALL = """
import numba
import numpy as np
for i in range(SHIFT):
    numba.typeof(np.zeros(1, [(f"shift{i}", np.int8)]))
import engines.whole
engines.whole.LIGHT = 0
import small_game as game
from engines.kernel import link
from small_template import play
linked = link(play, legal_actions=game.legal_actions, apply=game.apply, pick=game.pick)
try:
    print(linked(np.zeros(1, game.STATE), np.zeros(2, np.int32), PLACE))
except IndexError:
    print("IndexError")
"""


@pytest.fixture
def small_game(tmp_path: Path) -> Path:
    (tmp_path / "small_game.py").write_text(SMALL_GAME)
    (tmp_path / "small_template.py").write_text(SMALL_TEMPLATE)
    return tmp_path


def play_small(shift: int = 0, place: int = 2) -> str:
    return PLAY_SMALL.replace("SHIFT", str(shift)).replace("PLACE", str(place))


def code_files(folder: Path) -> list[Path]:
    """All machine code in a test's cache."""
    return sorted(path for path in (folder / "cache").rglob("*") if path.is_file())


@pytest.mark.full
@needs_jit
def test_every_file_of_the_cache_can_be_lost(small_game: Path, run_python: RunPython) -> None:
    right = run_python(play_small())
    files = code_files(small_game)
    names = [path.name.partition("-")[0] for path in files]
    assert names == ["apply", "legal_actions", "pick", "play"]
    for number, path in enumerate(files):
        path.unlink()
        assert run_python(play_small(7 * number + 3)) == right, path.name
        assert code_files(small_game) == files


@pytest.mark.full
@needs_jit
def test_damaged_files_of_the_cache_are_compiled_anew(
    small_game: Path, run_python: RunPython
) -> None:
    right = run_python(play_small())
    apply, legal, pick, play = code_files(small_game)
    whole = [path.read_bytes() for path in code_files(small_game)]
    apply.write_bytes(b"")
    legal.write_bytes(whole[1][:-9])
    pick.write_bytes(b"\x7fELF of somebody else")
    play.write_bytes(whole[0])  # a whole file, but not this one
    assert run_python(play_small(5)) == right
    sizes = [path.stat().st_size for path in code_files(small_game)]
    assert sizes == [len(content) for content in whole]


@pytest.mark.full
@needs_jit
def test_two_processes_may_compile_the_same_at_once(
    small_game: Path, run_python: RunPython
) -> None:
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(run_python, (play_small(0), play_small(9)))
    assert first == second == run_python(play_small(4))


@needs_jit
def test_an_index_error_in_a_kernel_called_by_its_symbol_is_seen(
    small_game: Path, run_python: RunPython
) -> None:
    for shift in (0, 4):  # compiled, then out of the cache
        assert run_python(play_small(shift, 3), NUMBA_BOUNDSCHECK="1") == "IndexError"


@pytest.mark.full
@needs_jit
def test_an_untested_numba_gets_plain_kernels_and_says_so_once(
    small_game: Path, run_python: RunPython
) -> None:
    other = 'import numba; numba.__version__ = "0.99.1"\n'
    said = "import contextlib, io, sys; sys.stderr = sys.stdout\n"
    right = run_python(play_small())
    lines = run_python(other + said + play_small()).splitlines()
    assert lines[1:] == [right]
    assert "numba 0.99.1" in lines[0]
    assert run_python(other + said + play_small()) == right, "nothing is compiled"


@needs_jit
def test_an_edit_costs_what_reads_it(small_game: Path, run_python: RunPython) -> None:
    path = small_game / "small_game.py"
    right = run_python(play_small())
    before = set(code_files(small_game))
    edits = {
        '"A docstring."': '"Another docstring."  # and a comment',
        "[3, 1, 2]": "[3, 1, 3]",
        "TAKE = 0": "TAKE = 2",
        '("to_act", np.int8)': '("to_act", np.int16)',
    }
    new = [
        set(),
        {"apply"},  # who calls it by its symbol stays as it is
        {"legal_actions"},
        {"apply", "legal_actions", "pick", "play"},
    ]
    for (old, edited), names in zip(edits.items(), new, strict=True):
        path.write_text(SMALL_GAME.replace(old, edited))
        result = run_python(play_small())
        assert (result == right) == (not names or "int16" in edited)
        after = set(code_files(small_game))
        assert {one.name.partition("-")[0] for one in after - before} == names
        before = after


@pytest.mark.full
@needs_jit
def test_a_kernel_that_returns_another_type_is_a_new_one_to_its_callers(
    small_game: Path, run_python: RunPython
) -> None:
    assert run_python(play_small()) == "48040"
    path = small_game / "small_game.py"
    path.write_text(SMALL_GAME.replace("states[0].coins[place]", "states[0].coins[place] / 5"))
    assert run_python(play_small()) == "48008.0"


@pytest.mark.full
@needs_jit
def test_an_edited_game_can_be_loaded_beside_the_old_one(
    tmp_path: Path, run_python: RunPython
) -> None:
    """As in a notebook: the names of kernels are the same, so their symbols must not be."""
    (tmp_path / "small_template.py").write_text(SMALL_TEMPLATE)
    script = f"""
import sys
from types import ModuleType
import numpy as np
import engines.whole
engines.whole.LIGHT = 0
from engines.kernel import link
from small_template import play
for edit in ("[3, 1, 2]", "[3, 1, 3]", "[3, 1, 2]"):
    game = sys.modules[f"arena_game_mine_{{edit}}"] = ModuleType(f"arena_game_mine_{{edit}}")
    exec({SMALL_GAME!r}.replace("[3, 1, 2]", edit), vars(game))
    linked = link(play, legal_actions=game.legal_actions, apply=game.apply, pick=game.pick)
    print(linked(np.zeros(1, game.STATE), np.zeros(2, np.int32), 2))
"""
    for _ in range(2):
        assert run_python(script).split() == ["48040", "36042", "48040"]


# --- kernels that cannot be compiled ----------------------------------------------------------------------

BROKEN = [  # an edit of a copy of Connect Four, where it is told of, and in which words
    (
        "state.dropped += 1",
        "state.droped += 1",
        "droped",
        "no field 'droped'; did you mean dropped?",
    ),
    (
        "(state.to_act)",
        "(state.to_act) + elsewhere",
        "elsewhere",
        "no name 'elsewhere'; is an import missing?",
    ),
    (
        "@kernel\ndef has_run",
        "def has_run",
        "has_run(discs, 1,",
        "has_run is a plain function; is @kernel missing above it?",
    ),
    ("length = 1", "length = (1, 2)", "while length", "cannot be compiled: "),
]


@needs_jit
def test_an_error_in_a_kernel_names_the_authors_line(
    tmp_path: Path, run_python: RunPython, root: Path
) -> None:
    said = []
    for number, (old, new, where, words) in enumerate(BROKEN):
        folder = copy_game(root, tmp_path / f"game{number}")
        text = (folder / "rules.py").read_text()
        assert old in text
        text = text.replace(old, new)
        (folder / "rules.py").write_text(text)
        said.append((text[: text.index(where)].count("\n") + 1, words))
    script = f"""
from engines.core import load_game
from engines.rng import seeded
for number in range({len(BROKEN)}):
    game = load_game({str(tmp_path)!r} + f"/game{{number}}")
    try:
        states = game.new_state(2, game.Variant(), seeded(1))
        game.apply(states, 0, seeded(1))
    except Exception as error:
        print(type(error).__name__, error)
"""
    lines = run_python(script).splitlines()
    assert len(lines) == len(BROKEN)
    for line, (number, words) in zip(lines, said, strict=True):
        assert line.startswith(f"BrokenGame rules.py:{number} in ")
        assert words in line
