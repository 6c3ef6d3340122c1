"""What is shown fits the terminal, whatever its width."""

from arena.playing.fitting import action_list, fitted


def test_lines_wider_than_the_terminal_go_on_further_in():
    text = fitted("  a short line\n      options " + "G08:green " * 5, 30)
    assert text.splitlines()[0] == "  a short line"
    assert max(map(len, text.splitlines())) <= 30
    assert text.splitlines()[2].startswith(" " * 10 + "G08")
    assert " ".join(text.split()) == "a short line options " + "G08:green " * 4 + "G08:green"


def test_a_few_actions_stand_in_columns():
    assert (
        action_list(["drop 1", "drop 2", "drop 3"], 80) == "  1. drop 1\n  2. drop 2\n  3. drop 3"
    )


def test_many_actions_are_grouped_by_what_they_begin_with():
    texts = [f"{piece}:c{n}-d{n}" for piece in ("S1", "S2", "G1") for n in range(1, 6)]
    lines = action_list([*texts, "end"], 60).splitlines()
    assert lines[0].startswith("S1     1. c1-d1")
    assert max(map(len, lines)) <= 60
    assert [line.split()[0] for line in lines if line[0] != " "] == ["S1", "S2", "G1", "end"]
    assert lines[-1] == "end   16. end"


def test_what_the_actions_of_a_group_cost_is_said_once():
    texts = [f"{piece}:c{n}-d{n}" for piece in ("S1", "S2") for n in range(1, 6)]
    lines = action_list(texts, 80, ["costs 1 point"] * 5 + ["", *["costs 2 points"] * 4])
    assert lines.count("(costs 1 point)") == 1
    assert lines.splitlines()[0].startswith("S1 (costs 1 point)    1. c1-d1")
    assert lines.count("(costs 2 points)") == 4


def test_what_each_of_a_few_actions_costs_stands_behind_it():
    shown = action_list(["use Lathekin", "end turn"], 60, ["costs 2 tokens", ""])
    assert shown == "  1. use Lathekin (costs 2 tokens)\n  2. end turn"
