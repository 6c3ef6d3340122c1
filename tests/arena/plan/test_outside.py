"""Configs and names as they come from outside: told where they mislead, cleaned where they do harm."""

import json

import pytest

from arena.plan.config import read_yaml
from arena.plan.spec import parse_spec, read_spec
from arena.plan.tournament import resolve
from arena.results.cells import inert
from arena.results.report import escaped
from engines.errors import UserError

CUP = {"name": "cup", "games": ["connect_four"], "bots": ["random", "greedy"]}


def refused(tmp_path, text):
    file = tmp_path / "cup.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        read_yaml(file)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{file}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("deals: 010", ":1: '010' reads as 8 in YAML, write 10 or \"010\""),
        ("name: x\ndeals: -0_17", ":2: '-0_17' reads as -15 in YAML, write 17 or \"-0_17\""),
        ("time: 1:30", ":1: '1:30' reads as 90 in YAML, write 90 or \"1:30\""),
        ("time: 1:30.5", ":1: '1:30.5' reads as 90.5 in YAML, write 90.5 or \"1:30.5\""),
        ("solo: no", ':1: no reads as false in YAML, write false or "no"'),
        ("solo: On", ':1: On reads as true in YAML, write true or "On"'),
        ("no: 3", ':1: no reads as false in YAML, write false or "no"'),
        ("a: 1\nb: 2\na: 3", ":3: key 'a' stands here and in line 1"),
        ("a: " + "[" * 900, ": not valid YAML: nested too deeply"),
        ("a: &a [*a]", ": not valid YAML: a value that holds itself"),
        ("a: " + "9" * 5000, ": not valid YAML: Exceeds the limit (4300 digits)"),
        ("a: \x1b", ": not valid YAML: unacceptable character #x001b"),
    ],
)
def test_what_yaml_would_guess_or_choke_on_is_told_in_one_line(tmp_path, text, problem):
    assert refused(tmp_path, text).startswith(problem)


def test_few_lines_that_stand_for_a_billion_values_are_refused(tmp_path):
    lines = ["a0: &a0 [1, 2]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert "more than 1000000 values" in refused(tmp_path, "\n".join(lines))


def test_words_in_quotes_and_dates_stay_words(tmp_path):
    file = tmp_path / "cup.yaml"
    file.write_text('a: "no"\nb: "010"\nc: 2024-01-01\nd: true\ne: 0\nf: 10\ng: 1.5\nh: [0x1f]')
    read = {"a": "no", "b": "010", "c": "2024-01-01", "d": True, "e": 0, "f": 10, "g": 1.5}
    assert read_yaml(file) == {**read, "h": [31]}


def test_merge_keys_work_and_give_way_to_what_stands_there(tmp_path):
    file = tmp_path / "cup.yaml"
    file.write_text(
        "name: cup\ngames: [connect_four]\nbots:\n"
        "- &search {bot: mcts, simulations: 8, rollout: random}\n"
        "- {<<: *search, simulations: 16}\n- <<: [{epsilon: 0.5}, *search]\n  simulations: 32\n"
    )
    first, second, third = read_spec(str(file)).bots
    assert first.parameters == {"simulations": 8, "rollout": "random"}
    assert (second.bot, second.parameters) == ("mcts", {"simulations": 16, "rollout": "random"})
    assert third.parameters == {"epsilon": 0.5, "simulations": 32, "rollout": "random"}


def test_a_config_from_json_dumps_keeps_its_letters_and_a_lone_half_is_replaced(tmp_path):
    file = tmp_path / "cup.yaml"
    bots = [{"name": "sm😀le", "bot": "random"}, {"name": "\ud800", "bot": "greedy"}]
    file.write_text(json.dumps({**CUP, "bots": bots}))
    names = [entrant.name for entrant in resolve(read_spec(str(file))).entrants]
    assert names == ["sm😀le", "�"]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("Big Bot", "bigbot"), "bots[1].name: 'bigbot', bots[0] is 'Big Bot'"),
        (("a", " A "), "bots[1].name: ' A ', bots[0] is 'a'"),
        (("", "b"), "bots[0].name: '', expected a name that can be seen"),
        (("a", "  \u3000"), "bots[1].name: '"),
        (("a", "x" * 201), "bots[1].name: 'xxx"),
    ],
)
def test_names_that_nobody_can_tell_apart_or_see_are_refused(names, problem):
    bots = [{"name": name, "bot": bot} for name, bot in zip(names, CUP["bots"], strict=True)]
    with pytest.raises(UserError) as caught:
        resolve(parse_spec({**CUP, "bots": bots}))
    assert str(caught.value).startswith(problem)
    assert len(str(caught.value)) < 200


def test_a_file_whose_name_is_no_unicode_is_refused_before_it_is_stored():
    spec = parse_spec({**CUP, "bots": ["random", "mine\udcff.py:Mine"]})
    with pytest.raises(UserError, match=r"bots\[1\].bot: .*, a path in Unicode is needed"):
        resolve(spec)


@pytest.mark.parametrize("setting", ["deals=" + "[" * 900, "deals=" + "x" * 9000, "x" * 9000])
def test_a_long_value_is_shown_by_its_beginning(tmp_path, setting):
    file = tmp_path / "cup.yaml"
    file.write_text(json.dumps(CUP))
    with pytest.raises(UserError) as caught:
        read_spec(str(file), [setting])
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\tx", "\r=1"])
def test_a_cell_like_a_formula_is_text(text):
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("value", [-1.5, "-1.5", "+3", "-2e-05", "plain", "2+3", None, True])
def test_numbers_and_words_stay_as_they_are_in_cells(value):
    assert inert(value) is value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mcts:simulations=64", "mcts:simulations=64"),
        ("ten_lines.py:TenLines", "ten_lines.py:TenLines"),
        ("54.3 % [40.0 – 60.0]", "54.3 % [40.0 – 60.0]"),
        ("a|b", r"a\|b"),
        ("**x** `y` _z_", r"\*\*x\*\* \`y\` \_z\_"),
        ("[a](http://b)", r"[a\](http\://b)"),
        ("<script>&lt;", r"&lt;script>\&lt;"),
    ],
)
def test_markdown_shows_names_as_they_stand(text, shown):
    assert escaped(text) == shown
