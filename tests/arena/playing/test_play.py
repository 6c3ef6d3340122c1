"""A person at the terminal: what is typed does what it says, and a match can go back, stop and go on."""

import io
import re

import numpy as np
import pytest

from arena.playing.live import begin, resume, save
from arena.playing.person import Leave
from arena.playing.play import play, sit_down
from arena.playing.seating import read_seats
from engines.errors import UserError


class Terminal:
    """Types prepared lines and keeps what is shown; when nothing is left to type, input ends."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.shown = []

    def ask(self, prompt):
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        if isinstance(line, BaseException):
            raise line
        return line

    def say(self, text):
        self.shown.append(text)

    @property
    def text(self):
        return "\n".join(self.shown)


@pytest.fixture
def sit(tmp_path, monkeypatch):
    """A table where prepared lines are typed: (table, terminal)."""
    monkeypatch.chdir(tmp_path)

    def make(*lines, game="connect_four", seats="human,greedy", seed=5, stored=None, **options):
        new = (None, None, None) if stored else (game, seats, seed)
        table = sit_down(*new, options, "mcts:simulations=200,prior=8,exploration=2", stored)
        terminal = Terminal(*lines)
        table.ask, table.say = terminal.ask, terminal.say
        return table, terminal

    return make


def actions(table):
    return [table.match.game.actions.text(moment.action) for moment in table.match.past]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("human", ("human",)),
        ("human,random", ("human", "random")),
        ("mcts:simulations=5,rollout=greedy,human", ("mcts:simulations=5,rollout=greedy", "human")),
        ("mcts,simulations=5,greedy:samples=2", ("mcts:simulations=5", "greedy:samples=2")),
    ],
)
def test_seats_are_split_between_bots_and_not_inside_their_options(text, parts):
    seats, texts = read_seats(text)
    assert texts == parts
    assert [seat is None for seat in seats] == [part == "human" for part in parts]


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ("", "seats: none"),
        ("human,nobody", "bot 'nobody': unknown"),
        ("human", "Connect Four is for 2 players"),
    ],
)
def test_wrong_seats_are_one_line(seats, message):
    with pytest.raises(UserError, match=message):
        begin("connect_four", {}, len(read_seats(seats)[0]), 1)


def test_a_number_a_text_and_the_beginning_of_one_play_an_action(sit):
    table, _ = sit("4", "drop 1", "DROP 7", "2.", seats="human,human")
    assert not play(table)
    assert actions(table) == ["drop 4", "drop 1", "drop 7", "drop 2"]


def test_a_whole_game_is_played_to_its_result(sit):
    table, terminal = sit("1", "2", "1", "2", "1", "2", "1", seats="human,human")
    assert play(table)
    assert "over: line" in terminal.text
    assert "  1. player 1 (human), 1 point" in terminal.shown
    assert "--seed 5" in terminal.text
    assert not table.file.exists()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("8", "8: expected 1 to 7"),
        ("0", "0: expected 1 to 7"),
        ("drop", "'drop': 7 actions read like this, e.g. 'drop 1', 'drop 2'"),
        ("drop 9", "'drop 9': no legal action, did you mean"),
        ("undoo", "'undoo': no legal action, did you mean undo?"),
        ("-3", "'-3': no legal action"),
        ("undo", "undo: you have not decided anything yet"),
        ("²", "'²': no legal action"),
    ],
)
def test_wrong_input_is_answered_and_changes_nothing(sit, line, answer):
    table, terminal = sit(line, "")
    play(table)
    assert answer in terminal.text
    assert actions(table) == []


def test_what_happened_since_the_last_decision_is_told(sit):
    table, terminal = sit("4")
    play(table)
    assert any(line.startswith("  player 2 (greedy): drop ") for line in terminal.shown)
    assert not any(line.startswith("  you: ") for line in terminal.shown)


def test_undo_goes_back_before_the_answer_of_the_bots(sit):
    table, terminal = sit("4", "undo", "2", "undo", "undo")
    play(table)
    assert actions(table) == []
    assert "taken back: drop 4 and 1 more since" in terminal.shown
    assert table.match.to_act == 0


def test_an_action_played_again_after_undo_meets_the_same_chance(sit):
    once, _ = sit("1", "1", game="karmaka", seed=3, seats="human,random")
    play(once)
    again, _ = sit("1", "undo", "1", "1", game="karmaka", seed=3, seats="human,random")
    play(again)
    assert actions(once) == actions(again)
    assert np.array_equal(once.match.states, again.match.states)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("DEED panic", "deed panic"),
        ("panic deed", "deed panic"),
        ("future roul", "future roulette"),
    ],
)
def test_an_action_can_be_named_in_several_ways(sit, line, action):
    table, _ = sit(line, game="karmaka", seed=3)
    table.match.states = table.match.game.from_dict(
        2, table.match.variant, {"seat": [{"hand": ["panic", "roulette"]}, {"hand": ["peek"]}]}
    )
    play(table)
    assert actions(table)[0] == action


def test_the_rules_can_be_read_at_the_table(sit):
    table, terminal = sit("rules", "rules death", "rules 19", "rules zebra", game="karmaka")
    play(table)
    assert "  Death and rebirth (R15 to R21)" in terminal.text
    assert "R20 Otherwise he is reborn" in terminal.text
    assert "wins at once" in terminal.text
    assert "rules 'zebra': neither a heading nor a rule" in terminal.text
    assert actions(table) == []


def test_a_card_is_explained_by_name(sit):
    table, terminal = sit("explain Hell's Heart", "explain", "explain panik", game="karmaka")
    play(table)
    assert "hells_heart: colour red; points 2; copies 3; on a rival" in terminal.text
    assert "R34 Hell's Heart: the top two cards" in terminal.text
    assert "explain: nothing named" in terminal.text
    assert "explain 'panik': no rule speaks of it, did you mean panic?" in terminal.text


def test_the_options_of_a_game_are_told(sit):
    table, terminal = sit("quit", rows=5)
    play(table)
    assert terminal.shown[0] == "Connect Four (rows=5), seed 5"


def test_a_hint_is_a_legal_action_and_plays_nothing(sit):
    table, terminal = sit("hint", "hint")
    play(table)
    hints = [line for line in terminal.shown if "would play" in line]
    assert len(hints) == 2
    assert hints[0] == hints[1]
    assert actions(table) == []


@pytest.mark.parametrize("game", ["sagrada", "sacrificio"])
def test_a_hint_weighs_three_actions_with_chances_that_the_players_share(sit, game):
    table, terminal = sit("hint", game=game, seed=3)
    play(table)
    hint = next(line for line in terminal.shown if "would play" in line)
    chances = [int(chance) for chance in re.findall(r"\(wins (\d+) %\)", hint)]
    assert len(chances) == 3
    assert all(25 <= chance <= 75 for chance in chances), "nobody is ahead before the first round"


def test_help_history_and_view_can_be_asked_for(sit):
    table, terminal = sit("4", "help", "?", "history", "view")
    play(table)
    assert "undo" in terminal.text
    assert "  you: drop 4" in terminal.shown


def test_a_stored_match_goes_on_where_it_stood(sit, tmp_path):
    table, terminal = sit("4", "save mine.yaml", "quit")
    assert not play(table)
    assert "arena play --resume mine.yaml" in terminal.text
    on, _ = sit("history", stored=tmp_path / "mine.yaml")
    assert actions(on) == actions(table)
    assert np.array_equal(on.match.states, table.match.states)
    assert on.match.rng == table.match.rng
    assert on.texts == ("human", "greedy")


@pytest.mark.parametrize("end", ["quit", EOFError()])
def test_leaving_stores_the_match(sit, end):
    table, terminal = sit("4", end)
    assert not play(table)
    assert table.file.is_file()
    assert "--resume results/play/connect_four-5.yaml" in terminal.text


def test_ctrl_c_stores_the_match_and_ends_the_program(sit):
    table, _ = sit("4", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        play(table)
    assert table.file.is_file()


def test_leaving_before_the_first_decision_leaves_nothing_behind(sit, tmp_path):
    table, _ = sit("quit")
    play(table)
    assert not list(tmp_path.iterdir())
    assert issubclass(Leave, Exception)


def test_a_bot_that_fails_is_named_and_a_random_action_stands_in(sit, odd):
    table, terminal = sit("4", "5", seats=f"human,{odd('Crash')}")
    play(table)
    assert "failed: RuntimeError" in terminal.text
    assert len(actions(table)) == 4


def test_people_who_share_a_screen_are_asked_to_look_away(sit):
    table, terminal = sit("", "1", "", game="karmaka", seats="human,human", seed=3)
    play(table)
    (seen, *_) = [line for line in terminal.shown if "decides main" in line]
    assert "> Player 1 (you)" in seen
    assert "Player 2 (human)\n    Hand, 4:  ? x4" in seen


def test_a_person_sees_only_his_view(sit):
    table, terminal = sit(game="karmaka", seats="human,random", seed=3)
    play(table)
    assert "> Player 1 (you)" in terminal.text
    assert "Player 2 (random)\n    Hand, 4:  ? x4" in terminal.text


# --- files -----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    match = begin("connect_four", {"rows": 5}, 2, 9)
    for action in (3, 3, 2):
        match.do(action)
    save(match, ["human", "greedy"], tmp_path / "a.yaml")
    return tmp_path / "a.yaml"


def test_options_travel_with_the_match(file):
    match, seats = resume(file)
    assert match.variant.rows == 5
    assert (match.seed, seats) == (9, ["human", "greedy"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format: 1", "format: 7", "not a match stored by arena play"),
        ("- drop 3", "- drop 9", r"actions\[2\]: 'drop 9' is not legal there"),
        ("- drop 3", "- hop 3", "action 'hop 3': unknown"),
        ("seed: 9", "sead: 9", "damaged: KeyError"),
        ("rules: ", "rules: 0", "the rules of connect_four have changed"),
        ("game: connect_four", "game: connect_fore", "did you mean connect_four"),
        ("format: 1", "format: [", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_one_line(file, old, new, message):
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(UserError, match=message) as error:
        resume(file)
    assert "\n" not in str(error.value)


def test_a_file_that_is_missing_is_one_line(tmp_path):
    with pytest.raises(UserError, match="cannot be read: No such file"):
        resume(tmp_path / "nowhere.yaml")


def test_the_command_plays_and_stores(arena, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("4\nquit\n"))
    code, out, _ = arena("play", "connect_four", "--seats", "human,random", "--seed", 3)
    assert code == 0
    assert "Connect Four, seed 3" in out
    assert (tmp_path / "results" / "play" / "connect_four-3.yaml").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "game: none"),
        (("connect_four", "--resume", "x.yaml"), "give it alone"),
        (("connect_fore",), "did you mean connect_four"),
        (("connect_four", "--variant", "rows=99"), "rows"),
        (("connect_four", "--hint", "nobody"), "bot 'nobody': unknown"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_code_2(arena, arguments, message):
    code, _, errors = arena("play", *arguments)
    assert code == 2
    assert message in errors.splitlines()[-1]
