"""The command line: what works ends with 0, what a user did wrong is one line and ends with 2."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from arena.cli import app
from arena.cli.frame import show_checks
from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.store.run_folder import read_matches

ROOT = Path(__file__).resolve().parents[3]
PLAIN = {
    "name": "cup",
    "games": ["connect_four"],
    "bots": ["random", "greedy"],
    "deals": 3,
}


@pytest.fixture(autouse=True)
def at_home(tmp_path, monkeypatch):
    """Every test has a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(PLAIN))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run, to be copied."""
    folder = tmp_path_factory.mktemp("finished") / "done"
    carry_out(resolve(parse_spec(PLAIN)), folder, workers=0, progress=False)
    return folder


@pytest.fixture
def played(finished, at_home):
    """A folder with a finished run."""
    shutil.copytree(finished, "done")
    return Path("done")


def commands():
    """Every command with its path: (('check', 'bot'), command)."""
    group = typer.main.get_command(app)
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from (((name, inner), c) for inner, c in sorted(command.commands.items()))
        else:
            yield (name,), command


COMMANDS = dict(commands())


# --- help ------------------------------------------------------------------------------------------


def test_all_commands_are_there():
    assert set(COMMANDS) == {
        *(("run",), ("match",), ("report",), ("games",), ("bots",), ("replay",), ("bench",)),
        *(("leaderboard",), ("balance",), ("play",), ("matches",), ("export",)),
        *(("runs",), ("web",), ("tune",)),
        *(
            ("check", "scenarios"),
            ("check", "game"),
            ("check", "bot"),
            ("check", "sandbox"),
            ("check", "run"),
        ),
        *(("new", "game"), ("new", "bot")),
    }


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_explains_the_command_and_shows_an_example(arena, path):
    for option in ("--help", "-h"):
        code, out, err = arena(*path, option)
        assert (code, err) == (0, "")
        assert "Usage: arena " + " ".join(path) in " ".join(out.split())
        assert f"arena {' '.join(path)}" in " ".join(out.split("Example", 1)[1].split())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_argument_and_option_is_explained(path):
    command = COMMANDS[path]
    assert command.help
    for parameter in command.params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), parameter.name


def test_the_list_of_commands_is_shown_without_any(arena):
    code, out, _ = arena("--help")
    assert code == 0
    assert all(path[0] in out for path in COMMANDS)


def python(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=True,
    )
    return done.stdout


def test_importing_the_command_line_imports_nothing_heavy():
    script = "import sys, arena.cli; print(*sorted(sys.modules))"
    found = set(python(script).split())
    heavy = {"numba", "numpy", "pandas", "ray", "pyarrow", "scipy", "pydantic", "yaml", "tqdm"}
    assert "arena.cli" in found
    assert not heavy & found


@pytest.mark.full  # the run of test_streams.py whose streams are closed imports none
def test_a_run_in_one_process_never_imports_ray(tmp_path):
    script = (
        "import sys\nfrom arena.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('ray' in sys.modules)"
    )
    out = python(script, "run", "cup.yaml", "--workers", "0", "--quiet", "--out", "here")
    assert out.splitlines()[-1] == "False"
    assert "6 of 6 matches in here (6 new)" in out


# --- what works ------------------------------------------------------------------------------------


def test_a_match_shows_the_standings_and_goes_on_next_time(arena):
    call = ("match", "connect_four", "random", "greedy", "--deals", 2, "--workers", 0)
    code, out, err = arena(*call)
    assert code == 0
    assert out.startswith("connect_four, 2 players\n#  bot ")
    assert "4 of 4 matches in results/match-connect_four-" in out
    assert "(4 new)" in out
    assert "matches, " not in err  # no progress line before a minute is over
    again, out, _ = arena(*call)
    assert again == 0
    assert "(0 new)" in out
    more, out, _ = arena(*call[:-3], 3, "--workers", 0)
    assert more == 0
    assert "6 of 6 matches" in out
    assert "(2 new)" in out
    assert len(list(Path("results").iterdir())) == 1


def test_a_match_is_played_until_it_is_decided(arena):
    call = ("match", "connect_four", "random", "greedy", "--workers", 0, "-q")
    code, out, err = arena(*call, "--until", 95, "--max-deals", 300)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].startswith("greedy is stronger than random: 100.0 % [")
    code, out, _ = arena(*call, "--sprt", "0,50", "--opening", 2)
    assert code == 0
    assert "SPRT [0, 50] failed: LLR -" in out


def test_another_match_has_another_folder(arena):
    call = ("match", "connect_four", "random", "greedy", "--deals", 1, "--workers", 0, "-q")
    for more in ((), ("--seed", 1), ("--variant", "rows=5"), ("--variant", "connect=3")):
        assert arena(*call, *more)[0] == 0
    assert len(list(Path("results").iterdir())) == 4


def test_a_match_with_options_of_the_game(arena):
    code, out, err = arena(
        *("match", "connect_four", "greedy:samples=1", "mcts:simulations=5", "--deals", 1),
        *("--variant", "rows=4", "--variant", "connect=3", "--workers", 0, "--quiet"),
    )
    assert (code, err) == (0, "")
    assert out.startswith("connect_four (rows=4,connect=3), 2 players")


def test_a_match_at_a_larger_table(arena):
    code, out, _ = arena(
        "match", "karmaka", "random", "greedy", "--players", 3, "--deals", 2, "--workers", 0, "-q"
    )
    assert code == 0
    assert "karmaka, 3 players" in out


def test_a_bot_alone_plays_against_itself(arena):
    code, out, _ = arena("match", "connect_four", "random", "--deals", 2, "--workers", 0, "-q")
    assert code == 0
    assert "met no other entrant" in out


def test_a_bot_in_a_file_plays(arena, root):
    bot = f"{root / 'examples' / 'ten_lines.py'}:TenLines"
    code, out, _ = arena("match", "connect_four", "random", bot, "--deals", 1, "--workers", 0, "-q")
    assert code == 0
    assert "ten_lines.py:TenLines" in out


def test_a_config_is_played_with_changes(arena):
    code, out, _ = arena(
        *("run", "cup.yaml", "--set", "deals=1", "--set", "bots[1].samples=2", "--seed", 5),
        *("--workers", 0, "--quiet"),
    )
    assert code == 0
    assert "greedy:samples=2" in out
    assert "2 of 2 matches in results/cup (2 new)" in out
    record = yaml.safe_load(Path("results/cup/spec.yaml").read_text())
    assert record["tournament"]["seed"] == 5


def test_fresh_begins_anew(arena, played):
    call = ("run", "cup.yaml", "--out", played, "--workers", 0, "--quiet", "--seed", 9)
    assert arena(*call)[0] == 2
    code, out, _ = arena(*call, "--fresh")
    assert code == 0
    assert "(6 new)" in out
    assert (played / "old-1" / "spec.yaml").exists()


def test_a_report_writes_tables_and_a_board(arena, played):
    code, out, err = arena("report", played, "--board", "boards/cup.md")
    assert (code, err) == (0, "")
    assert out.startswith("connect_four, 2 players")
    written = [line for line in out.splitlines() if line.startswith("written: boards/")]
    pages = [".md", ".html", ".png", "-upset.html", "-closest.html", "-typical.html"]
    assert written == [f"written: boards/cup{end}" for end in pages]
    assert Path("boards/cup.md").read_text().startswith("# Connect Four: leaderboard of 2 bots\n")
    assert (played / "standings.csv").exists()


def test_a_report_says_if_the_run_is_not_finished(arena, played):
    record = yaml.safe_load((played / "spec.yaml").read_text())
    record["lineups"][0]["deals"] = 5
    (played / "spec.yaml").write_text(yaml.safe_dump(record))
    code, out, _ = arena("report", played)
    assert code == 0
    assert "\n6 of 10 matches: the run is not finished\n" in out


@pytest.mark.full
def test_a_report_of_a_run_that_was_decided_says_what_and_not_that_matches_are_missing(arena):
    call = ("match", "connect_four", "random", "mcts:simulations=16", "--workers", 0, "--quiet")
    code, out, _ = arena(*call, "--until", 90, "--max-deals", 300, "--out", "duel")
    assert code == 0
    answer = out.splitlines()[-1]
    assert "mcts:simulations=16 is stronger" in answer
    code, out, _ = arena("report", "duel")
    assert code == 0
    assert f"\n{answer}\nthe run ended with " in out
    assert "not finished" not in out
    page = Path("duel/report.html").read_text()
    assert "mcts:simulations=16 is stronger" in page
    assert "Not finished" not in page


def test_a_question_that_was_not_decided_leaves_a_run_unfinished(arena, played):
    record = yaml.safe_load((played / "spec.yaml").read_text())
    record["question"] = {"confidence": 0.95, "elo": [0.0, 5.0], "normalised": False}
    record["lineups"][0]["deals"] = 5
    (played / "spec.yaml").write_text(yaml.safe_dump(record))
    code, out, _ = arena("report", played)
    assert code == 0
    assert "\nSPRT [0, 5] not decided after 3 deals" in out
    assert "\n6 of 10 matches: the run is not finished\n" in out


def test_games_and_bots_are_listed_and_described(arena):
    for call, expected in (
        (("games",), "Connect Four"),
        (("games", "connect_four"), "discs in a row that win"),
        (("bots",), "mcts"),
        (("bots", "mcts"), "rollout_depth"),
    ):
        code, out, err = arena(*call)
        assert (code, err) == (0, "")
        assert expected in out


def test_a_match_is_shown_again(arena, played):
    match_id = read_matches(played)["match_id"].iloc[0]
    code, out, err = arena("replay", played, match_id[:10])
    assert (code, err) == (0, "")
    assert out.endswith("the re-play agrees with the stored result\n")
    code, short, _ = arena("replay", played, match_id, "--moves-only")
    assert code == 0
    assert len(short) < len(out)


def test_scenarios_are_run(arena, root):
    code, out, err = arena("check", "scenarios", root / "engines" / "connect_four" / "scenarios")
    assert (code, err) == (0, "")
    assert out.endswith(" 0 failed\n")


def test_a_scenario_that_fails_ends_with_one(arena):
    scenario = {
        "name": "nobody wins an empty board",
        "rule": "R4",
        "game": "connect_four",
        "players": 2,
        "position": {},
        "expect": {"to_act": 1},
    }
    Path("wrong.yaml").write_text(yaml.safe_dump([scenario]))
    code, out, _ = arena("check", "scenarios", "wrong.yaml")
    assert code == 1
    assert out.startswith("FAILED ")
    assert out.endswith("0 passed, 1 failed\n")


@pytest.mark.parametrize("bot", ["greedy", pytest.param("odd", marks=pytest.mark.full)])
def test_a_bot_is_checked_step_by_step(arena, odd, bot):
    # One in a file passes the check in tests/arena/playing/test_sandbox.py.
    code, out, err = arena("check", "bot", odd("First") if bot == "odd" else bot, "--matches", 2)
    assert (code, err) == (0, "")
    assert [line.split(": ")[0] for line in out.splitlines()] == [f"{n}. ok" for n in range(1, 6)]


@pytest.mark.full
def test_a_bot_that_fails_a_check_ends_with_one(arena, odd):
    code, out, _ = arena("check", "bot", odd("Crash:after=1"))
    assert code == 1
    (failed,) = [line for line in out.splitlines() if "FAILED" in line]
    assert failed.startswith("4. FAILED: plays")
    assert "act raised RuntimeError" in out


@pytest.mark.full
def test_measurements_are_json_on_request(arena):
    code, out, _ = arena("bench", "connect_four", "--seconds", 0.05, "--json")
    assert code == 0
    assert json.loads(out)


# --- what a user did wrong -------------------------------------------------------------------------

CONFIGS = {
    "tab.yaml": "name: cup\ngames:\n\t- connect_four\n",
    "twice.yaml": "name: cup\nname: cap\n",
    "open.yaml": "name: [cup\n",
    "list.yaml": "- connect_four\n",
    "empty.yaml": "",
    "number.yaml": "42\n",
    "binary.yaml": b"\xff\xfe\x00",
    "key.yaml": yaml.safe_dump({**PLAIN, "deels": 3}),
    "deals.yaml": yaml.safe_dump({**PLAIN, "deals": "many"}),
    "none.yaml": yaml.safe_dump({**PLAIN, "bots": []}),
    "game.yaml": yaml.safe_dump({**PLAIN, "games": ["conect_four"]}),
    "players.yaml": yaml.safe_dump({**PLAIN, "games": [{"game": "connect_four", "players": 3}]}),
    "variant.yaml": yaml.safe_dump(
        {**PLAIN, "games": [{"game": "connect_four", "variant": {"rosw": 5}}]}
    ),
    "bot.yaml": yaml.safe_dump({**PLAIN, "bots": ["random", "gready"]}),
    "option.yaml": yaml.safe_dump({**PLAIN, "bots": ["random", {"bot": "greedy", "sample": 3}]}),
    "alike.yaml": yaml.safe_dump({**PLAIN, "bots": ["greedy", "greedy:samples=8"]}),
    "anchor.yaml": yaml.safe_dump({**PLAIN, "anchor": {"bot": "rendom", "elo": 0}}),
}
RUN = ("--workers", "0", "--quiet")
MATCH = ("match", "connect_four", "random")
WRONG = [
    (("run", "tab.yaml"), "tab.yaml:3: not valid YAML: a tab, indent with spaces"),
    (("run", "twice.yaml"), "twice.yaml:2: key 'name' stands here and in line 1"),
    (("run", "open.yaml"), "open.yaml:2: not valid YAML"),
    (("run", "list.yaml"), "list.yaml:1: a list, expected a mapping with name, games and bots"),
    (("run", "empty.yaml"), "empty.yaml:1: empty, expected name, games and bots"),
    (("run", "number.yaml"), "number.yaml:1: 42, expected a mapping"),
    (("run", "binary.yaml"), "binary.yaml: not a text file in UTF-8"),
    (("run", "key.yaml"), "deels: unknown, did you mean deals?"),
    (("run", "deals.yaml"), "deals: 'many', expected a whole number"),
    (("run", "none.yaml"), "bots: "),
    (("run", "game.yaml"), "games[0].game: 'conect_four': unknown, did you mean connect_four?"),
    (("run", "players.yaml"), "games[0].players: 3, Connect Four is for 2 players"),
    (("run", "variant.yaml"), "games[0].variant.rosw: unknown, did you mean rows?"),
    (("run", "bot.yaml"), "bots[1]: bot 'gready': unknown, did you mean greedy?"),
    (("run", "option.yaml"), "bots[1].sample: unknown, did you mean samples?"),
    (("run", "alike.yaml"), "bots[1]: plays exactly like bots[0] (greedy)"),
    (
        ("run", "anchor.yaml"),
        "anchor.bot: 'rendom', no entrant has this name, did you mean random?",
    ),
    (("run", "nowhere.yaml"), "config 'nowhere.yaml': no such file"),
    (("run", "quikstart"), "config 'quikstart': unknown, did you mean quickstart?"),
    (("run", "."), "config '.': a folder"),
    (("run", "cup.yaml", "--set", "deals"), "--set deals: expected KEY=VALUE"),
    (("run", "cup.yaml", "--set", "deels=4"), "deels: unknown, did you mean deals?"),
    (("run", "cup.yaml", "--set", "bots[7].samples=4"), "bots has 2 elements, numbered from 0"),
    (("run", "cup.yaml", "--set", "deals=[1"), "--set deals=[1: the value is not valid YAML"),
    (("run", "cup.yaml", "--out", "cup.yaml"), "cup.yaml: cannot be used as a run folder: "),
    (("match", "conect_four", "random", "greedy"), "game 'conect_four': unknown, did you mean"),
    (("match", "./nowhere", "random", "greedy"), "game 'nowhere': no __init__.py in this folder"),
    ((*MATCH, "gready"), "bot 'gready': unknown, did you mean greedy?"),
    ((*MATCH, "mcts:simulatoins=4"), "mcts.simulatoins: unknown, did you mean simulations?"),
    ((*MATCH, "mcts:simulations=0"), "mcts.simulations: '0', expected 1 to 100000000"),
    ((*MATCH, "nowhere.py:Bot"), "bot 'nowhere.py': no such file"),
    ((*MATCH, "greedy", "--players", "3"), "players: 3, Connect Four is for 2 players"),
    ((*MATCH, "greedy", "--variant", "rosw=5"), "variant.rosw: unknown, did you mean rows?"),
    ((*MATCH, "greedy", "--variant", "rows=99"), "variant.rows: '99', expected 2 to 9"),
    (
        (*MATCH, "greedy", "--variant", "rows"),
        "--variant: 'rows', expected NAME=VALUE, e.g. rows=5,connect=3",
    ),
    ((*MATCH, "greedy", "--variant", "connect=9"), "connect: 9, no line here is longer than 7"),
    (
        (*MATCH, "greedy", "--address", "127.0.0.1:9"),
        "address '127.0.0.1:9': no Ray cluster answers",
    ),
    ((*MATCH, "greedy", "--until", "0.95"), "--until 0.95: expected 50 to 99.99, e.g. 95"),
    ((*MATCH, "greedy", "--sprt", "5"), "--sprt 5: expected elo0,elo1, e.g. 0,10"),
    ((*MATCH, "greedy", "--sprt", "0,5", "--until", "95"), "--until and --sprt: give one of them"),
    (
        (*MATCH, "greedy", "--deals", "9", "--until", "95"),
        "--deals: give --max-deals 9 with --until",
    ),
    ((*MATCH, "greedy", "--max-deals", "9"), "--max-deals: only with --until or --sprt"),
    ((*MATCH, "--until", "95"), "--until: compares two bots, 1 given"),
    (("report", "nowhere"), "nowhere: no run here (it has no spec.yaml)"),
    (("report", "."), ".: no run here (it has no spec.yaml)"),
    (("replay", ".", "abc"), ".: no run here (it has no spec.yaml)"),
    (("replay", "done", "zz"), "match 'zz': no match has this id in done"),
    (("games", "conect_four"), "game 'conect_four': unknown, did you mean connect_four?"),
    (("bots", "mtcs"), "bot 'mtcs': unknown, did you mean mcts?"),
    (("bench", "conect_four"), "game 'conect_four': unknown, did you mean connect_four?"),
    (("check", "game", "conect_four"), "game 'conect_four': unknown, did you mean connect_four?"),
    (("check", "scenarios", "nowhere"), "nowhere"),
    (("check", "bot", "random", "--game", "conect_four"), "did you mean connect_four?"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[" ".join(call) for call, _ in WRONG])
def test_what_a_user_did_wrong_is_one_line(arena, played, call, message):
    for name, content in CONFIGS.items():
        file = Path(name)
        file.write_bytes(content) if isinstance(content, bytes) else file.write_text(content)
    flags = RUN if call[0] in ("run", "match") else ()
    code, out, err = arena(*call, *flags)
    assert (code, out) == (2, ""), err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not list(Path().glob("results/*/matches/*"))


USAGE = [
    ("run",),
    ("run", "cup.yaml", "--workers", "-1"),
    ("run", "cup.yaml", "--sead", "4"),
    ("run", "cup.yaml", "--seed", "-4"),
    ("match", "connect_four"),
    ("match", "connect_four", "random", "greedy", "--players", "5"),
    ("match", "connect_four", "random", "greedy", "--deals", "0"),
    ("replay", "done"),
    ("rnu", "cup.yaml"),
    ("check", "everything"),
]


@pytest.mark.parametrize("call", USAGE, ids=" ".join)
def test_a_wrong_call_shows_how_to_get_help(arena, call):
    code, out, err = arena(*call)
    assert (code, out) == (2, "")
    assert "Usage: arena" in err
    assert "Try 'arena" in err
    assert "Traceback" not in err


def test_sentences_go_on_below_where_a_terminal_is_narrow(arena, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    sentence = "about 1,187 deals separate 20 Elo, 1,091 separate 3 points of score, by 80 % power"
    monkeypatch.setattr("arena.execution.forecast.forecast", lambda *what: [sentence])
    _, out, _ = arena("run", "cup.yaml", "--dry-run")
    show_checks([(True, sentence)])
    said = [*out.splitlines(), *capsys.readouterr().out.splitlines()]
    assert max(map(len, said)) <= 60
    assert " ".join(" ".join(said).split()).count(sentence) == 2
