import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from arena.balance.config import read_balance, tournament_spec
from arena.plan.config import override
from arena.plan.spec import dump, find_config, match_spec, parse_spec, read_spec
from arena.plan.tournament import resolve
from arena.tune.config import read_tuning
from arena.tune.variants.wanted import read_search
from engines.core import load_game
from engines.errors import UserError

CONFIGS = Path(__file__).parents[3] / "configs"
BALANCE = sorted(CONFIGS.glob("balance-*.yaml"))
SEARCHES = sorted(CONFIGS.glob("search-*.yaml"))
TUNINGS = sorted(CONFIGS.glob("tune-*.yaml"))
SHIPPED = sorted(set(CONFIGS.glob("*.yaml")) - {*BALANCE, *SEARCHES, *TUNINGS})
PLAIN = {
    "name": "cup",
    "games": [{"game": "connect_four", "variants": [{}, {"rows": 5}]}],
    "bots": ["random", "greedy", {"bot": "mcts", "simulations": 20}, "mcts:simulations=64"],
}
BOT = '''
from dataclasses import dataclass
class First:
    """Takes the first action."""
    @dataclass(frozen=True)
    class Parameters:
        depth: int = 1
    def __init__(self, depth): pass
    def reset(self, game, view, seed): pass
    def act(self, view, legal): return legal[0]
    def close(self): pass
'''


def load(*settings):
    return resolve(parse_spec(override(PLAIN, settings)))


def write(folder, text):
    path = folder / "cup.yaml"
    path.write_text(text)
    return str(path)


# --- reading --------------------------------------------------------------------------------------


def test_a_config_becomes_entrants_and_tables():
    tournament = load()
    assert [entrant.name for entrant in tournament.entrants] == [
        "random", "greedy", "mcts:simulations=20", "mcts:simulations=64",
    ]  # fmt: skip
    assert [(table.game, table.changes, table.players) for table in tournament.tables] == [
        ("connect_four", {}, 2),
        ("connect_four", {"rows": 5}, 2),
    ]
    assert tournament.rules == {"connect_four": load_game("connect_four").rules_digest}


def test_a_config_that_says_little_has_sensible_defaults(tmp_path):
    spec = read_spec(write(tmp_path, "games: [karmaka]\nbots: [random, greedy]"))
    assert (spec.name, spec.seed, spec.schedule, spec.deals) == ("cup", 0, "round_robin", 100)
    assert spec.limits.model_dump() == {
        "start_seconds": 30, "decision_seconds": 10, "match_seconds": 600, "memory_mb": 2048,
        "decisions": 20_000,
    }  # fmt: skip
    assert [table.players for table in resolve(spec).tables] == [2]


def test_a_spec_cannot_be_changed():
    with pytest.raises(ValidationError):
        parse_spec(PLAIN).seed = 3


def test_an_option_at_its_default_is_no_change():
    assert [
        table.changes for table in load("games[0]={game: connect_four, variant: {rows: 6}}").tables
    ] == [{}]


def test_a_name_is_only_a_label():
    named, plain = load("bots[2].name=thinker").entrants[2], load().entrants[2]
    assert (named.name, named.id) == ("thinker", plain.id)


def test_parameters_may_stand_in_the_text_beside_it_or_under_parameters():
    texts = [
        "mcts:simulations=7",
        {"bot": "mcts", "simulations": 7},
        {"bot": "mcts", "parameters": {"simulations": 7}},
        {"bot": "mcts:simulations=9", "simulations": 7},
    ]
    entrants = [
        resolve(parse_spec({**PLAIN, "bots": ["random", text]})).entrants[1] for text in texts
    ]
    assert {(entrant.id, entrant.name) for entrant in entrants} == {
        (entrants[0].id, "mcts:simulations=7")
    }
    assert entrants[0].params["exploration"] == 0.8  # what mcts has at Connect Four


@pytest.mark.parametrize("budget", ["bots[2].seconds=0.1", "bots[3]=mcts:seconds=0.1"])
def test_a_budget_in_seconds_makes_a_run_not_reproducible(budget):
    assert load().reproducible
    assert not load(budget).reproducible


def test_an_entrant_loads_the_bot_it_was_made_from():
    spec = load().entrants[2].load()
    assert spec.kind.name == "mcts"
    assert spec.parameters.simulations == 20


# --- bots in files --------------------------------------------------------------------------------


def test_a_file_bot_is_stored_relative_to_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "mine.py").write_text(BOT)
    text = f"{tmp_path}/bots/mine.py:First:depth=2"
    tournament = load(f"bots[0]={text}")
    entrant = tournament.entrants[0]
    assert (entrant.name, entrant.bot) == ("mine.py:First:depth=2", "bots/mine.py:First")
    assert entrant.load().parameters.depth == 2
    assert str(tmp_path) not in dump(tournament.spec)


def test_other_code_is_another_entrant_and_old_code_is_not_replaced_silently(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(BOT)
    old = load(f"bots[0]={file}:First").entrants[0]
    file.write_text(BOT + "# better\n")
    assert load(f"bots[0]={file}:First").entrants[0].id != old.id
    with pytest.raises(UserError, match="has changed since this run was started"):
        old.load()


# --- canonical YAML -------------------------------------------------------------------------------


def test_canonical_yaml_reads_back_to_the_same_spec(tmp_path):
    spec = load("anchor={bot: greedy, elo: 1000}", "games[0].deals=7", "limits.memory_mb=100").spec
    again = read_spec(write(tmp_path, dump(spec)))
    assert again == spec
    assert dump(again) == dump(spec)


@given(
    seed=st.integers(0, (1 << 63) - 1),
    deals=st.integers(1, 1000),
    simulations=st.integers(1, 1000),
    name=st.text(string.ascii_letters, min_size=1, max_size=9),
)
def test_any_spec_survives_dump_and_parse(seed, deals, simulations, name):
    import yaml

    bots = ["random", {"name": name, "bot": "mcts", "simulations": simulations}]
    spec = parse_spec({**PLAIN, "name": name, "seed": seed, "deals": deals, "bots": bots})
    assert parse_spec(yaml.safe_load(dump(spec))) == spec


# --- what is wrong, in one line -------------------------------------------------------------------

WRONG = [
    ("games[0].variants[1].rowss=3", "games[0].variants[1].rowss: unknown, did you mean rows?"),
    ("games[0].variants[1].rows=30", "games[0].variants[1].rows: 30, expected 2 to 9"),
    (
        "games[0]={game: connect_four, variant: {conect: 3}}",
        "games[0].variant.conect: unknown, did you mean connect?",
    ),
    ("games[0].player=3", "games[0].player: unknown, did you mean players?"),
    ("games[0].players=3", "games[0].players: 3, Connect Four is for 2 players"),
    ("games[0].players=[2, 9]", "games[0].players[1]: 9, expected at most 4"),
    ("games[0].players=[2, 2]", "games[0]: connect_four (default) with 2 players stands twice"),
    ("games[0].variant={}", "games[0].variant and variants: give one of them"),
    ("games[0]=conect_four", "games[0].game: 'conect_four': unknown, did you mean connect_four?"),
    ("games=karmaka", "games: 'karmaka', expected a list"),
    ("games=[]", "games: [], expected at least one"),
    ("games=", "games: None, expected a list"),
    ("dealss=3", "dealss: unknown, did you mean deals?"),
    ("deals=true", "deals: true, expected a number"),
    ("deals=0", "deals: 0, expected at least 1"),
    ("deals=many", "deals: 'many', expected a whole number"),
    ("seed=-1", "seed: -1, expected at least 0"),
    ("name=a/b", "name: 'a/b', expected letters, digits, spaces and . , + = - only"),
    (
        "schedule=round_robbin",
        "schedule: 'round_robbin', expected round_robin, gauntlet, self_play, ladder, swiss, "
        "knockout, double_elimination, groups, king_of_the_hill or adaptive, did you mean round_robin?",
    ),
    ("schedule=gauntlet", "focus: missing, a gauntlet needs the names of its entrants"),
    ("focus=random", "focus: only a gauntlet has one, the schedule is round_robin"),
    ("anchor.elo=3", "anchor.bot: missing"),
    (
        "anchor={bot: greedi, elo: 0}",
        "anchor.bot: 'greedi', no entrant has this name, did you mean greedy?",
    ),
    (
        "limits.decision_secs=1",
        "limits.decision_secs: unknown, did you mean decision_seconds or decisions?",
    ),
    ("limits.decision_seconds=0", "limits.decision_seconds: 0, expected more than 0"),
    ("bots[2].simulation=200", "bots[2].simulation: unknown, did you mean simulations?"),
    ("bots[3]=mcts:explore=1", "bots[3].explore: unknown, did you mean exploration?"),
    ("bots[3]=mctss", "bots[3]: bot 'mctss': unknown, did you mean mcts? (or give file.py:Class)"),
    ("bots[3]=gone.py:Bot", "bots[3]: bot 'gone.py': no such file"),
    (
        "bots[2].simulations=64",
        "bots[3]: plays exactly like bots[2] (mcts:simulations=64), give it once; "
        "schedule: self_play lets a bot meet itself",
    ),
    ("bots[2].name=greedy", "bots[2].name: 'greedy', bots[1] has this name too"),
    (
        "bots=[random]",
        "bots: 1, a round robin needs two at least (schedule: self_play lets a bot meet itself)",
    ),
    ("bots[9].name=x", "--set bots[9].name=x: bots has 4 elements, numbered from 0"),
    ("name.first=x", "--set name.first=x: name has no keys"),
    ("seed[0]=1", "--set seed[0]=1: seed is not a list"),
    ("deals", "--set deals: expected KEY=VALUE, e.g. deals=50 or games[0].players=3"),
    ("deals=[1", "--set deals=[1: the value is not valid YAML"),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "message"), WRONG, ids=[setting for setting, _ in WRONG])
def test_what_is_wrong_is_named_in_one_line(setting, message):
    with pytest.raises(UserError) as caught:
        load(setting)
    assert str(caught.value) == message


def test_a_gauntlet_needs_somebody_outside_its_focus():
    with pytest.raises(UserError, match="focus: every entrant"):
        load(
            "schedule=gauntlet",
            "focus=[random, greedy, 'mcts:simulations=20', 'mcts:simulations=64']",
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: empty, expected name, games and bots"),
        ("# nothing\n", ":1: empty, expected name, games and bots"),
        ("- a\n- b\n", ":1: a list, expected a mapping with name, games and bots"),
        ("karmaka", ":1: 'karmaka', expected a mapping with name, games and bots"),
        ("name: a\ngames:\n\t- karmaka\n", ":3: not valid YAML: a tab, indent with spaces"),
        ("name: a\nseed: 1\nname: b\n", ":3: key 'name' stands here and in line 1"),
        ("games:\n- game: a\n  game: b\n", ":3: key 'game' stands here and in line 2"),
        ("name: a\n1: b\n", ":2: key 1 is not a word"),
        ("bots: [random\nname: x\n", ":2: not valid YAML: expected ',' or ']', but got ':'"),
        ("name: 'a\n", ":2: not valid YAML: found unexpected end of stream"),
        ("name: !!python/none x\n", ":1: not valid YAML: could not determine a constructor"),
    ],
)
def test_wrong_yaml_is_named_with_file_and_line(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_spec(path)
    assert str(caught.value).startswith(path + message)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_text_is_named(tmp_path):
    (tmp_path / "cup.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a text file in UTF-8"):
        read_spec(str(tmp_path / "cup.yaml"))


# --- overrides ------------------------------------------------------------------------------------


def test_settings_reach_into_lists_and_texts_and_leave_the_data_alone():
    data = {"bots": ["random", "mcts:simulations=64"], "games": ["karmaka"]}
    settings = [
        "games[0].players=[2, 3]",
        "bots[1].simulations=200",
        "limits.memory_mb=99",
        "deals=5",
    ]
    assert override(data, settings) == {
        "games": [{"game": "karmaka", "players": [2, 3]}],
        "bots": ["random", {"bot": "mcts:simulations=64", "simulations": 200}],
        "limits": {"memory_mb": 99},
        "deals": 5,
    }
    assert data == {"bots": ["random", "mcts:simulations=64"], "games": ["karmaka"]}


def test_a_later_setting_wins():
    assert override({}, ["deals=5", "deals=6"]) == {"deals": 6}


# --- where configs are ----------------------------------------------------------------------------


def test_a_bare_name_is_found_in_the_working_folder_before_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_config("quickstart").is_absolute()
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "quickstart.yaml").touch()
    assert find_config("quickstart") == Path("configs/quickstart.yaml")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("quikstart", "config 'quikstart': unknown, did you mean quickstart?"),
        ("zzz", "config 'zzz': unknown, known are "),
        ("gone.yaml", "config 'gone.yaml': no such file"),
        ("no/where", "config 'no/where': no such file"),
        (".", "config '.': a folder"),
    ],
)
def test_a_config_that_is_not_there_is_named_with_the_nearest(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        find_config(name)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_config_is_valid_and_named_after_its_file(path):
    if "openspiel:" in path.read_text():
        pytest.importorskip("pyspiel")
    tournament = resolve(read_spec(str(path)))
    assert tournament.spec.name == path.stem
    assert tournament.reproducible == ("seconds:" not in path.read_text())


@pytest.mark.parametrize("path", BALANCE, ids=lambda path: path.stem)
def test_every_shipped_balance_config_is_valid_and_named_after_its_file(path):
    spec = read_balance(str(path))
    assert spec.name == path.stem
    assert resolve(tournament_spec(spec)).reproducible


@pytest.mark.parametrize("path", SEARCHES, ids=lambda path: path.stem)
def test_every_shipped_search_is_valid_and_named_after_its_file(path):
    assert read_search(str(path)).spec.name == path.stem


@pytest.mark.parametrize("path", TUNINGS, ids=lambda path: path.stem)
def test_every_shipped_tuning_is_valid_and_named_after_its_file(path):
    assert read_tuning(str(path)).name == path.stem


# --- a match without a file -----------------------------------------------------------------------


def test_a_match_is_a_round_robin_at_the_smallest_table():
    spec = match_spec("karmaka", ["random", "greedy"], deals=3, seed=4, variant={"hand_size": "5"})
    tournament = resolve(spec)
    assert (spec.schedule, spec.seed, spec.deals) == ("round_robin", 4, 3)
    assert [(t.players, t.changes) for t in tournament.tables] == [(2, {"hand_size": 5})]


@pytest.mark.parametrize(
    "bots", [["random"], ["random", "random"], ["mcts", "mcts:simulations=1000"]]
)
def test_a_match_of_one_bot_is_self_play(bots):
    assert match_spec("karmaka", bots).schedule == "self_play"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 3}, "players: 3, Connect Four is for 2 players"),
        ({"variant": {"rowss": 3}}, "variant.rowss: unknown, did you mean rows?"),
        ({"deals": 0}, "deals: 0, expected at least 1"),
        ({"bots": ["random", "gredy"]}, "bot 'gredy': unknown, did you mean greedy?"),
    ],
)
def test_a_match_that_cannot_be_is_explained(arguments, message):
    with pytest.raises(UserError) as caught:
        match_spec(**{"game": "connect_four", "bots": ["random", "greedy"], **arguments})
    assert str(caught.value).startswith(message)
