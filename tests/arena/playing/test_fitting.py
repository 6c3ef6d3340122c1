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
