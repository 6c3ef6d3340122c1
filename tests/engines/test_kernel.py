"""`link` and the cache folder, in fresh processes: a stale kernel spoils results in silence."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines import kernel
from engines.core import Game
from engines.kernel import binding_tag, hash_folder, identity, link, prune

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
import numpy as np
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
used = {name: d for name, d in found.items() if d.overloads}
print(len(used), sum(sum(d.stats.cache_misses.values()) for d in used.values()))
for name, dispatcher in used.items():
    if len(dispatcher.overloads) > 1:
        print(name, list(dispatcher.overloads))
"""


@pytest.fixture
def two_kernel_sets(tmp_path: Path) -> Path:
    (tmp_path / "plus.py").write_text(STEPS.format(step="x + 2"))
    (tmp_path / "times.py").write_text(STEPS.format(step="x * 2"))
    (tmp_path / "templates.py").write_text(TEMPLATE)
    return tmp_path


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
from pathlib import Path
from engines.kernel import link, register_plugin
register_plugin("plugin", Path({str(package)!r}))
import templates
from plugin import rules
print({outer}, rules.step(0))
"""
    assert run_python(script) == "9 2"
    (package / "tables.py").write_text("AMOUNT = 3\n")
    assert run_python(script) == "11 3"


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
    first, second = (run_python(f"NAME = 'connect_four'\n{PLAY}").splitlines() for _ in range(2))
    assert first[2:] == [], "kernels compiled more than once"
    used, misses = map(int, first[1].split())
    assert used > 10
    assert misses >= used
    assert first[0] == second[0], "another game out of the cache"
    assert second[1].split()[1] == "0", "something was compiled although the cache was warm"


@needs_jit
@pytest.mark.slow
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


def test_old_cache_folders_are_pruned_and_the_others_stay(tmp_path: Path) -> None:
    import os

    for name in ("mine", "old", "young"):
        (tmp_path / name).mkdir()
    for name in ("mine", "old"):
        os.utime(tmp_path / name, (0, 0))
    prune(tmp_path, keep=tmp_path / "mine")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "young"]


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
        prune,
        link,
    ]
    assert len({identity(v) for v in values}) == len(values)
    assert identity(prune) == "engines.kernel.prune"


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
