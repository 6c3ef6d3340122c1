"""How bots are named, found and configured, and what they are shown."""

import sys
from pathlib import Path

import numpy as np
import pytest

from arena.authoring.checks.walks import Setting, positions, settings
from arena.interop.spielbots import library
from bots.contract import Simulator, View
from bots.registry import bot_kinds, find_kind, parse_bot, path_in
from engines.core import load_game, plugins
from engines.errors import UserError
from engines.records import equal
from engines.rng import seeded

BOT = '''
class Steady:
    """Always the first action."""

    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass
'''
CHOOSY = (
    """
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    number: int = 0

    def __post_init__(self):
        if self.number == 13:
            raise ValueError("number: 13 brings bad luck")

"""
    + BOT.replace("Steady:", "Choosy:")
    + """
    Parameters = Choice

    def __init__(self, number):
        self.number = number
"""
)


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def error_of(text, parameters=None) -> str:
    with pytest.raises(UserError) as caught:
        parse_bot(text, parameters)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- names and parameters --------------------------------------------------------------------------


def test_seven_bots_have_a_name():
    known = ["random", "greedy", "mcts", "policy", "chat", "process", "openspiel:mcts"]
    assert list(bot_kinds()) == known
    assert all(kind.summary for kind in bot_kinds().values())
    compiled = [kind.name for kind in bot_kinds().values() if kind.compiled]
    assert compiled == ["random", "greedy", "mcts"]


def test_a_bot_of_a_library_that_is_not_installed_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # as where it is not installed
    game = load_game("connect_four")
    states = game.new_state(2, game.Variant(), seeded(1))
    view = View(game, game.view(states, 0), game.legal(states).tolist(), (), 0)
    library.cache_clear()
    with pytest.raises(UserError, match=r"^needs OpenSpiel: pip install '.*\[openspiel\]'$"):
        parse_bot("openspiel:mcts").make().reset(game, view, 1)


def test_a_name_alone_has_default_parameters():
    assert parse_bot("mcts").parameters.simulations == 1000
    assert parse_bot("mcts").parameters.seconds is None
    assert parse_bot("greedy").parameters.samples == 8
    assert parse_bot("greedy:").parameters == parse_bot("greedy").parameters


def test_parameters_follow_a_colon():
    given = parse_bot(" mcts:simulations=64, rollout=greedy,exploration=1.5".strip()).parameters
    assert (given.simulations, given.rollout, given.exploration) == (64, "greedy", 1.5)


def test_parameters_from_a_config_join_and_win():
    spec = parse_bot("mcts:simulations=5,epsilon=0.5", {"simulations": 7})
    assert (spec.parameters.simulations, spec.parameters.epsilon) == (7, 0.5)


def test_a_budget_in_seconds_leaves_simulations_open():
    given = parse_bot("mcts:seconds=0.5").parameters
    assert (given.simulations, given.seconds) == (None, 0.5)


def test_none_switches_an_option_off():
    assert parse_bot("mcts:rollout_depth=none").parameters.rollout_depth is None
    assert parse_bot("mcts:rollout_depth=0").parameters.rollout_depth == 0


def test_equal_parameters_are_one_entrant_however_they_are_written():
    assert parse_bot("mcts").canonical == parse_bot("mcts:simulations=1000").canonical
    assert (
        parse_bot("mcts:simulations=5").canonical
        == parse_bot("mcts", {"simulations": "5"}).canonical
    )
    assert parse_bot("mcts:simulations=5").canonical != parse_bot("mcts:simulations=6").canonical
    assert parse_bot("greedy") == parse_bot("greedy:samples=8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gredy", "bot 'gredy': unknown, did you mean greedy? (or give file.py:Class)"),
        (
            "xyz",
            "bot 'xyz': unknown, known are random, greedy, mcts, policy, chat, process, openspiel:mcts (or",
        ),
        (
            "",
            "bot '': unknown, known are random, greedy, mcts, policy, chat, process, openspiel:mcts (or",
        ),
        ("mcts:simulatoins=5", "mcts.simulatoins: unknown, did you mean simulations?"),
        ("mcts:zzz=5", "mcts.zzz: unknown, known are simulations, seconds, exploration"),
        ("random:x=1", "random.x: unknown, there are none"),
        ("mcts:simulations", "'simulations' has no value, expected name=value"),
        ("mcts:simulations=0", "mcts.simulations: '0', expected 1 to 100000000"),
        ("mcts:simulations=many", "mcts.simulations: 'many', expected a whole number or none"),
        ("mcts:simulations=1.5", "mcts.simulations: '1.5', expected a whole number or none"),
        ("mcts:seconds=nan", "mcts.seconds: 'nan', expected a number or none"),
        ("mcts:rollout=gready", "mcts.rollout: 'gready', expected random | greedy"),
        ("greedy:samples=-1", "greedy.samples: '-1', expected 1 to 10000"),
        ("no/such.py:Bot", "bot 'no/such.py': no such file"),
        ("no_such_module:Bot", "bot no_such_module:Bot: cannot be imported: No module named"),
        ("bots.contract:Veiw", "bot bots.contract:Veiw: no such class, did you mean View?"),
        ("bots.contract:View", "bot 'bots.contract:View': the class has no method reset"),
    ],
)
def test_an_error_names_the_bot_the_value_and_what_would_be_right(text, message):
    assert message in error_of(text)


@pytest.mark.parametrize("value", [True, [1], {}, "", "1e400"])
def test_a_value_from_a_config_that_is_no_number_is_an_error(value):
    assert error_of("mcts", {"simulations": value}).startswith("mcts.simulations: ")


# --- bots in files -----------------------------------------------------------------------------------


def test_a_class_in_a_file_is_a_bot(tmp_path):
    spec = parse_bot(f"{write(tmp_path / 'steady.py', BOT)}:Steady")
    assert spec.kind.name == "steady.py:Steady"
    assert spec.kind.summary == "Always the first action."
    assert spec.kind.file == str(tmp_path / "steady.py")
    assert not spec.kind.compiled
    assert spec.make().act(None, [4, 5]) == 4


def test_each_bot_made_is_a_fresh_one(tmp_path):
    spec = parse_bot(f"{write(tmp_path / 'steady.py', BOT)}:Steady")
    assert spec.make() is not spec.make()


def test_a_file_is_loaded_by_path_and_never_through_sys_path(tmp_path):
    before = list(sys.path)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = parse_bot(f"{write(tmp_path / 'a' / 'json.py', BOT)}:Steady")
    other = parse_bot(f"{write(tmp_path / 'b' / 'json.py', BOT.replace('[0]', '[1]'))}:Steady")
    assert (one.make().act(None, [4, 5]), other.make().act(None, [4, 5])) == (4, 5)
    assert sys.path == before
    assert sys.modules["json"].__file__ != one.kind.file


def test_other_code_in_a_file_is_another_entrant(tmp_path):
    one = parse_bot(f"{write(tmp_path / 'one.py', BOT)}:Steady")
    other = parse_bot(f"{write(tmp_path / 'other.py', BOT + '# a comment')}:Steady")
    assert one.kind.source_hash != other.kind.source_hash
    assert one.canonical != other.canonical


def test_a_bot_in_a_file_declares_its_parameters(tmp_path):
    file = write(tmp_path / "choosy.py", CHOOSY)
    assert parse_bot(f"{file}:Choosy:number=3").make().bot.number == 3
    assert parse_bot(f"{file}:Choosy").make().bot.number == 0
    assert error_of(f"{file}:Choosy:numbr=3") == (
        "choosy.py:Choosy.numbr: unknown, did you mean number?"
    )
    assert error_of(f"{file}:Choosy:number=13").endswith("number: 13 brings bad luck")


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        (BOT, "Stedy", "no such class, did you mean Steady?"),
        (BOT, "reset", "no such class"),
        (BOT.replace("def act", "def choose"), "Steady", "the class has no method act"),
        ("import no_such_module", "Steady", "cannot be loaded: ModuleNotFoundError("),
        ("def broken(:", "Steady", "cannot be loaded: SyntaxError("),
        ("1 / 0", "Steady", "cannot be loaded: ZeroDivisionError("),
        ("raise SystemExit(3)", "Steady", "cannot be loaded: SystemExit(3)"),
    ],
)
def test_a_file_without_a_bot_is_one_line(tmp_path, source, name, message):
    file = write(tmp_path / "broken.py", source)
    assert message in error_of(f"{file}:{name}")


def test_a_module_that_fails_to_import_is_one_line(tmp_path, monkeypatch):
    write(tmp_path / "fails_at_import.py", "1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    assert "cannot be imported: ZeroDivisionError(" in error_of("fails_at_import:Bot")


def test_a_class_in_an_installed_module_is_a_bot(tmp_path, monkeypatch):
    write(tmp_path / "bots_of_mine.py", BOT)
    monkeypatch.syspath_prepend(tmp_path)
    spec = parse_bot("bots_of_mine:Steady")
    assert spec.kind.name == "bots_of_mine:Steady"
    assert spec.kind.source_hash


def test_an_installed_package_may_add_bots(tmp_path, monkeypatch):
    write(tmp_path / "bots_by_plugin.py", BOT)
    facts = tmp_path / "bots_by_plugin-1.0.dist-info"
    facts.mkdir()
    write(facts / "METADATA", "Metadata-Version: 2.1\nName: bots-by-plugin\nVersion: 1.0\n")
    write(facts / "entry_points.txt", "[arena.bots]\nsteady = bots_by_plugin:Steady\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()
    try:
        assert "steady" in bot_kinds()
        assert parse_bot("steady").make().act(None, [7]) == 7
    finally:
        plugins.cache_clear()


def test_the_options_behind_a_file_are_not_part_of_its_name(tmp_path):
    file = write(tmp_path / "choosy.py", CHOOSY)
    kind, options = find_kind(f"{file}:Choosy:number=3")
    assert (kind.name, options) == ("choosy.py:Choosy", "number=3")


# --- what a bot is shown -----------------------------------------------------------------------------

TWO = settings(load_game("connect_four"))[0]


def decision(setting: Setting, number: int) -> View:
    """The view of the player who decides in one of the positions with a choice."""
    chosen = [p for p in positions(setting) if len(p.legal) > 1][number]
    record = setting.game.view(chosen.states, chosen.to_act)
    return View(setting.game, record, np.array(chosen.legal), (), 5)


def test_a_view_says_whose_it_is_and_what_may_be_done(any_setting):
    view = decision(any_setting, 3)
    assert view.players == any_setting.players
    assert 0 <= view.player < view.players
    assert view.legal() == sorted(view.legal())
    assert all(type(action) is int and view.text(action) for action in view.legal())
    assert str(view)
    assert isinstance(view.to_dict(), dict)


def test_a_sample_is_a_position_that_looks_the_same_to_the_viewer(any_setting):
    for number in range(0, 30, 5):
        view = decision(any_setting, number)
        sample = view.sample(number)
        assert equal(any_setting.game.view(sample.states, view.player), view.record)
        assert (sample.to_act, sample.legal()) == (view.player, view.legal())
        assert not sample.over


def test_equal_seeds_sample_equal_positions():
    hidden = settings(load_game("karmaka"))[0]
    one, other = decision(hidden, 20), decision(hidden, 20)
    assert equal(one.sample(7).states, other.sample(7).states)
    assert not equal(one.sample(7).states, one.sample(8).states)


def test_without_a_seed_each_sample_is_another_but_the_row_repeats_itself():
    hidden = settings(load_game("karmaka"))[0]
    one, other = decision(hidden, 20), decision(hidden, 20)
    row = [one.sample().states.tobytes() for _ in range(4)]
    assert len(set(row)) > 1
    assert row == [other.sample().states.tobytes() for _ in range(4)]


def test_a_copy_goes_its_own_way_with_the_same_chance():
    hidden = settings(load_game("karmaka"))[0]
    first = decision(hidden, 20).sample(1)
    second = first.copy()
    for simulator in (first, second):
        while not simulator.over:
            simulator.play(simulator.legal()[-1])
        assert simulator.legal() == []
    assert equal(first.states, second.states)


def test_win_shares_of_all_sides_add_up_to_one(any_setting):
    simulator = decision(any_setting, 0).sample(2)
    while not simulator.over:
        simulator.play(simulator.legal()[0])
    teams = simulator.states["team"][0].tolist()
    shares = {teams[p]: simulator.win_share(p) for p in range(any_setting.players)}
    alone = len(shares) == 1  # there a lost game is lost to nobody
    assert sum(shares.values()) in ((0, 1) if alone else (pytest.approx(1),))


def test_a_drawn_game_is_half_a_win_for_both():
    game = TWO.game
    drawn = ["XXOOXXO", "OOXXOOX", "XXOOXXO", "OOXXOOX", "XXOOXXO", "OOXXOOX"]
    states = game.from_dict(2, game.Variant(), {"discs": drawn, "ending": "full_board"})
    simulator = Simulator(game, states, seeded(1))
    assert simulator.over
    assert [simulator.win_share(p) for p in (0, 1)] == [0.5, 0.5]
    assert [simulator.evaluate(p) for p in (0, 1)] == [0.5, 0.5]


def test_estimates_lie_between_zero_and_one(any_setting):
    for number in range(0, 40, 8):
        simulator = decision(any_setting, number).sample(3)
        assert all(0 <= simulator.evaluate(p) <= 1 for p in range(any_setting.players))


class Point:
    """An entry point whose package does not import."""

    name = "broken"

    def load(self):
        raise ImportError("No module named 'missing'")


def test_a_broken_plug_in_spoils_nobody_elses_list(monkeypatch):
    monkeypatch.setattr("bots.registry.plugins", lambda group: {"broken": Point()})
    kinds = bot_kinds()
    assert {"random", "greedy", "mcts", "process", "broken"} <= set(kinds)
    assert kinds["broken"].summary == "cannot be loaded: No module named 'missing'"
    with pytest.raises(UserError, match="bot 'broken': cannot be loaded: No module named"):
        parse_bot("broken")


def test_equal_files_in_two_folders_are_two_modules(tmp_path):
    code = "where = __file__\n\n\nclass A:\n    def reset(self, game, view, seed): pass\n"
    code += "    def act(self, view, legal): return where\n    def close(self): pass\n"
    said = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "same.py"
        file.write_text(code)
        said.append(parse_bot(f"{file}:A").make().act(None, []))
    assert said == [str(tmp_path / name / "same.py") for name in ("one", "two")]


def test_a_command_may_have_commas_inside_quotes():
    spec = parse_bot('process:command="python3 -c pass,pass"')
    assert spec.parameters.command == "python3 -c pass,pass"


def test_other_code_of_a_program_is_another_entrant(tmp_path):
    file = tmp_path / "bot.py"
    hashes = []
    for code in ("a = 1", "a = 2", "a = 1"):
        file.write_text(code)
        spec = parse_bot("process", {"command": f"python3 {file} --fast"})
        hashes.append(spec.kind.source_hash)
        assert [path for path, _ in spec.files] == [str(file)]
    assert hashes[0] == hashes[2] != hashes[1]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "command: missing"),
        ("python3 'half", "no closing quotation"),
        ("no-such-program --x", "there is no program 'no-such-program'"),
    ],
)
def test_a_command_that_cannot_be_started_is_one_line(command, message):
    with pytest.raises(UserError, match=message):
        parse_bot("process", {"command": command})


def test_a_simulator_shows_words_and_plays_out(any_setting):
    simulator = decision(any_setting, 3).sample(4)
    player = simulator.to_act
    view = simulator.view()
    assert (view.player, view.legal()) == (player, simulator.legal())
    assert equal(view.record, any_setting.game.view(simulator.states, player))
    assert [simulator.text(a) for a in simulator.legal()] == [view.text(a) for a in view.legal()]
    assert simulator.to_dict() == any_setting.game.to_dict(simulator.states)
    others = [p for p in range(any_setting.players) if p != player]
    assert all(simulator.view(p).legal() == [] for p in others)
    twin = simulator.copy()
    assert simulator.rollout() is simulator
    assert simulator.over
    assert equal(simulator.states, twin.rollout().states)


def test_a_rollout_can_be_cut_off():
    start = Simulator(TWO.game, TWO.game.new_state(2, TWO.variant, seeded(1)), seeded(2))
    assert start.copy().rollout(3).states["height"].sum() == 3
    assert equal(start.copy().rollout(0).states, start.states)


def test_a_folder_takes_no_name_of_a_bot_of_another_library(tmp_path, monkeypatch):
    (tmp_path / "openspiel").mkdir()
    (tmp_path / "openspiel" / "bot.py").write_text("class Other: pass\n")
    monkeypatch.chdir(tmp_path)
    assert path_in("openspiel:mcts:simulations=10") is None
    assert path_in("openspiel:Other") == ("openspiel", ":Other")
    assert path_in("./openspiel:mcts") == ("./openspiel", ":mcts")
