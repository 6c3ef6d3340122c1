"""The printed components against the specification's data, and components files."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.identity import variant_id
from arena.plan.spec import dump, match_spec, parse_spec, read_spec
from arena.plan.tournament import resolve
from arena.results.replay import replay_match
from arena.store.run_folder import read_matches
from engines.core import changes, parse_options
from engines.errors import OptionError, PositionError, UserError
from engines.nakum import GAME
from engines.nakum.notation import PARTS, PRINTED, entry, read_entries
from engines.nakum.state import Variant

FILE = Path(__file__).with_name("nakum_components.yaml")
TEXT = FILE.read_text(encoding="utf-8")
SHEET = yaml.safe_load(TEXT)


def variant_of(data):
    return parse_options(Variant, GAME.components(data), "variant")


def edited(path, value):
    """The printed components with one value changed; path as in `market[0].cost`."""
    data = copy.deepcopy(SHEET)
    steps = [int(s) if s.isdigit() else s for s in re.findall(r"\w+", path)]
    node = data
    for step in steps[:-1]:
        node = node[step]
    node[steps[-1]] = value
    return data


# --- the printed set ----------------------------------------------------------------------------------------


def test_r34_and_r35_the_data_of_the_specification_is_the_default_variant():
    assert GAME.components(SHEET) == {}
    assert {name: len(found) for name, found in PRINTED.items()} == {
        "tiles": 8,
        "offerings": 12,
        "market": 24,
        "heritage": 16,
    }


def test_the_printed_tiles_have_the_totals_of_the_specification():
    spaces = [space for tile in PRINTED["tiles"].values() for space in tile.spaces[:4] if space]
    camps = [tile.spaces[4] for tile in PRINTED["tiles"].values() if tile.spaces[4]]
    assert (len(spaces), sum(space.marked for space in spaces)) == (19, 10)
    assert (len(camps), sum(len(camp.options) for camp in camps)) == (7, 16)
    assert sum(option.vp for camp in camps for option in camp.options) == 9
    assert not any(camp.marked for camp in camps)


def test_every_section_says_something():
    """A changed number of any card or tile is no longer the default."""
    for path, value in (
        ("outer_tiles[1].basic[0].options[0].hide", 2),
        ("offerings[3].vp", 11),
        ("market[0].cost", {}),
        ("heritage[15].vp_end", 1),
    ):
        assert len(changes(variant_of(edited(path, value)))) == 1


def test_components_are_written_as_they_are_read():
    for part in PARTS:
        for name, content in PRINTED[part.option].items():
            assert read_entries(part, [entry(name, part, content)]) == {name: content}


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("market[2].gain.maize", 5, {"market": ("M03 : 5m",)}),
        ("market", SHEET["market"][:-1], {"market": ("M24 out",)}),
        ("market[1]", {"id": "M25", "gain": {"vp": 2}}, {"market": ("M02 out", "M25 : 2VP")}),
        ("offerings[1].sacrifice", 2, {"offerings": ("O02 6m 1h : 8end 2sacrifice",)}),
        ("heritage[0].vp_end", 2, {"heritage": ("H01 : 4m 2end",)}),
        ("outer_tiles[3].camp", None, {"tiles": ("cantera a 1k; b 1k",)}),
        ("outer_tiles[0].basic[0].m4", False, {"tiles": ("milpa a 2m; b* 3m; c 3m",)}),
        ("resources.hide.storage_limit", 5, {"storage_limit": (6, 5, 3)}),
        ("setup.tiles_revealed_at_start", {2: 3}, {"tiles_revealed_at_start": (3, 2, 2)}),
        ("tokens.workers_per_player", {"active": 3}, {"active_workers": 3}),
        ("rules.seat_bonus_vp", [0, 0, 1, 1], {"seat_bonus_vp": (0, 0, 1, 1)}),
        ("rules.offerings_to_end", 3, {"offerings_to_end": 3}),
        ("central_tile.special_actions[3].m4", False, {"grow_m4": False}),
        ("presets", {"mine": {"rules.max_rounds": 3}}, {}),
        ("market[0].en", "The Market", {}),
    ],
)
def test_r35_a_file_stands_for_what_differs_from_the_printed_set(path, value, expected):
    assert changes(variant_of(edited(path, value))) == expected


def test_r35_a_section_left_out_is_as_printed():
    assert GAME.components({"rules": {"max_rounds": 12}}) == {"max_rounds": 12}
    assert GAME.components({}) == {}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("markt", [], "markt: unknown, did you mean market?"),
        ("game", "karmaka", "game: 'karmaka', expected nakum"),
        ("market[2].gain.gold", 1, "market[2].gain.gold: unknown, known are maize, hide, mask, vp"),
        ("market[2].cost.vp", 1, "market[2].cost.vp: unknown"),
        ("market[2].gain.maize", "lots", "market[2].gain.maize: 'lots', expected a whole number"),
        ("market[2].id", "M77", "market[2].id: 'M77'"),
        ("market[2].id", "M02", "market[2].id: 'M02' stands twice"),
        ("market[2].release", 1, "market[2].release: 1, expected true or false"),
        ("offerings[0].sacrifice", 3, "offerings[0].sacrifice: 3, expected a whole number 0 to 2"),
        ("offerings[0].vp", -1, "offerings[0].vp: -1, expected a whole number 0 to 30"),
        ("heritage", {}, "heritage: {}, expected a list"),
        (
            "outer_tiles[1].camp.options[1]",
            {"market": 1, "maize": 1},
            "outer_tiles[1].camp.options[1]: market with resources in one option",
        ),
        (
            "outer_tiles[1].camp.options[1]",
            {"market": 1, "heritage": 1},
            "outer_tiles[1].camp.options[1]: market and heritage in one option",
        ),
        (
            "outer_tiles[1].camp.options[1]",
            {"market": 2},
            "outer_tiles[1].camp.options[1].market: 2, expected a whole number 1 to 1",
        ),
        ("outer_tiles[1].camp.options[1]", {}, "an option without any gain"),
        ("outer_tiles[1].camp.options", [], "outer_tiles[1].camp.options: 0, expected 1 to 4"),
        ("outer_tiles[1].basic", [], "outer_tiles[1].basic: empty"),
        ("outer_tiles[1].basic[1].id", "a", "outer_tiles[1].basic[1].id: 'a'"),
        ("outer_tiles[1].id", "cenote", "outer_tiles[1].id: 'cenote'"),
        ("rules.slot_capacity", 2, "rules.slot_capacity: 2, cannot be changed from 1"),
        ("rules.max_round", 2, "rules.max_round: unknown, did you mean max_rounds?"),
        ("tokens.workers_per_player.total", 5, "tokens.workers_per_player.total: 5, expected 4"),
        ("resources.gold", {}, "resources.gold: unknown"),
        ("central_tile.special_actions[1].m4", True, "special_actions[1].m4: True"),
        ("central_tile.pituk_favours[0].vp", 2, "set rules.pituk_vp instead"),
        ("setup.tiles_revealed_at_start", {5: 1}, "setup.tiles_revealed_at_start.5: unknown"),
    ],
)
def test_r34_and_r35_what_is_wrong_in_a_file_is_named(path, value, message):
    with pytest.raises(OptionError, match=re.escape(message)) as caught:
        variant_of(edited(path, value))
    assert "\n" not in str(caught.value)


# --- in configs ---------------------------------------------------------------------------------------------

CONFIG = """
name: mine
games:
  - game: nakum
    variants: [{}, {components: sets/my_nakum.yaml, max_rounds: 2}]
bots: [random, greedy]
deals: 2
"""


@pytest.fixture
def config(tmp_path):
    """A config beside a folder with a components file in which M03 brings 5 maize, and 3 rounds."""
    data = edited("market[2].gain.maize", 5)
    data["rules"]["max_rounds"] = 3
    (tmp_path / "sets").mkdir()
    text = yaml.safe_dump(data, allow_unicode=True)
    (tmp_path / "sets" / "my_nakum.yaml").write_text(text, encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(CONFIG, encoding="utf-8")
    return file


def test_r35_a_config_takes_in_the_content_and_forgets_the_file(config):
    spec = read_spec(str(config))
    plain, mine = spec.games[0].variants
    assert plain == {}
    assert mine == {"market": ["M03 : 5m"], "max_rounds": 2}  # the config goes before the file
    assert "my_nakum" not in dump(spec)
    again = parse_spec(yaml.safe_load(dump(spec)))
    assert [t.changes for t in resolve(again).tables] == [t.changes for t in resolve(spec).tables]


def test_r35_the_content_is_part_of_the_id_and_nothing_else_is(config):
    ids = []
    for text in ("M03 : 5m", "M03  :  5m", "M03 : 4m", "M03 : 6m"):
        variant = parse_options(Variant, {"market": [text]}, "variant")
        ids.append(variant_id(changes(variant)))
    assert ids[0] == ids[1]
    assert ids[2] == "default"
    assert len(set(ids)) == 3


def test_r35_a_run_and_its_replay_need_no_file(config, tmp_path):
    spec = read_spec(str(config), ["games[0].variants[0].max_rounds=2"])
    for file in (tmp_path / "sets").iterdir():
        file.unlink()
    folder = tmp_path / "run"
    summary = carry_out(resolve(spec), folder, workers=0, progress=False)
    assert summary.stored == summary.planned == 8
    again = carry_out(resolve(spec), folder, workers=0, progress=False)
    assert again.played == 0
    for match in read_matches(folder)["match_id"]:
        assert "over, " in list(replay_match(folder, match))[-2]


def test_r35_a_match_takes_a_file_too(config):
    file = config.parent / "sets" / "my_nakum.yaml"
    spec = match_spec("nakum", ["random", "greedy"], variant={"components": str(file)})
    assert spec.games[0].variant == {"market": ["M03 : 5m"], "max_rounds": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("components: none.yaml", "none.yaml: no such file or directory"),
        ("components: 3", "games[0].variants[1].components: 3, expected a file"),
        ("components: bad.yaml", "bad.yaml: market[0].id: 'M99'"),
        ("components: broken.yaml", "broken.yaml:1: not valid YAML"),
        ("components: twice.yaml", "twice.yaml:2: key 'rules' stands here and in line 1"),
        ("components: list.yaml", "list.yaml:1: a list, expected a mapping with components"),
        ("component: x.yaml", "component: unknown"),
    ],
)
def test_r35_what_is_wrong_is_one_line_with_the_place(tmp_path, text, message):
    (tmp_path / "bad.yaml").write_text("market: [{id: M99}]")
    (tmp_path / "broken.yaml").write_text("market: [")
    (tmp_path / "twice.yaml").write_text("rules: {}\nrules: {}\n")
    (tmp_path / "list.yaml").write_text("- 3")
    file = tmp_path / "mine.yaml"
    head = "name: mine\nbots: [random, greedy]\ngames: [{game: nakum, variants: [{}, {"
    file.write_text(head + text + "}]}]")
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        resolve(read_spec(str(file)))
    assert "\n" not in str(caught.value)


def test_other_games_have_no_components_files(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        "bots: [random, greedy]\ngames: [{game: karmaka, variant: {components: x.yaml}}]"
    )
    with pytest.raises(OptionError, match=r"games\[0\].variant.components: karmaka has no"):
        read_spec(str(file))


def test_r34_a_position_tells_the_components_in_the_same_texts():
    variant = parse_options(Variant, {"market": ["M03 : 5m", "M04 out"]}, "variant")
    rules = GAME.to_dict(GAME.blank(4, variant))["rules"]
    assert (rules["market"]["M03"], rules["market"].get("M04")) == (": 5m", None)
    assert rules["space"]["selva"] == "a 1h / 2m; b 1h; camp 1VP 1k / MKT"
    assert (rules["marked"][0], rules["marked"][-1], len(rules["marked"])) == (
        "milpa.a",
        "grow",
        11,
    )
    with pytest.raises(PositionError, match=r"rules\.market.*cannot be changed here"):
        GAME.from_dict(4, Variant(), {"rules": rules})


# --- options that do not fit ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"storage_limit": [6, 4]}, "storage_limit: 6+4, expected 3 numbers"),
        ({"outer_tiles_in_play": 9}, "outer_tiles_in_play: 9, there are 8"),
        ({"active_workers": 6, "reserve_workers": 6}, "12 workers in all, at most 8"),
        ({"heritage_hand": 1, "heritage_played_at_start": 2}, "a hand has 1"),
        ({"heritage_hand": 5}, "heritage_hand: 5, there are 16 cards for 4 players"),
        ({"marked_slots": ["milpa.d"]}, "marked_slots: 'milpa.d', there is no such slot"),
        ({"market": ["M01 1k 2m"]}, "'1k 2m', expected COST : GAIN"),
        ({"market": ["M01 : 12m"]}, "'12m', at most 9"),
        ({"market": ["M01 : 2m 2m"]}, "'2m', it may not stand here"),
        ({"market": ["M01 : MKT"]}, "'MKT', it may not stand here"),
        ({"market": ["M01 out", "M01 out"]}, "market: M01 stands twice"),
        ({"offerings": ["O01 : 3m"]}, "an offering has no gain"),
        ({"heritage": ["H01 1m : 3m"]}, "may not stand before the colon"),
        ({"tiles": ["milpa e 1m"]}, "'e', expected a slot a, b, c, d or camp"),
        ({"tiles": ["milpa camp 1m"]}, "no basic slot"),
        ({"tiles": ["milpa a 1m; a 2m"]}, "'a' stands twice"),
        ({"tiles": ["milpa a 1m / 1h / 1k / 2m / 3m"]}, "a: 5 options, at most 4"),
    ],
)
def test_options_that_do_not_fit_are_named(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        GAME.blank(4, parse_options(Variant, options, "variant"))
