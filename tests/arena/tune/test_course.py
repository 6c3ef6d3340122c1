"""A tuning plays the same whether it is stopped or not and whoever plays it, and says what its deals say."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.results import tournaments
from arena.store.run_folder import read_matches
from arena.tune import course
from arena.tune.config import Tuning, plain
from arena.tune.course import Tuned, tune
from arena.tune.page import page_html
from arena.tune.words import answer, bot_line, page_text, text, trial_table
from engines.errors import UserError

Make = Callable[..., Tuning]
ROOT = Path(__file__).resolve().parents[3]


def facts(made: Tuned) -> Any:
    return made.trials, made.start, made.finalists


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    from arena.tune.config import load, parse_tuning

    from .conftest import SMALL

    return tune(load(parse_tuning(SMALL)), tmp_path_factory.mktemp("whole"), 0)


class Killed(BaseException):
    """The end of a process, as it were."""


@pytest.mark.parametrize("moments", [1, pytest.param(2, marks=pytest.mark.full)])
def test_a_tuning_killed_before_any_of_its_runs_goes_on_as_if_nothing_had_been(
    make_tuning: Make,
    whole: Tuned,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moments: int,
):
    """At one of two moments of each run, in turn, or at both."""
    seen: dict[Path, int] = {}

    def dying(spec: Any, folder: Path, *given: Any) -> Any:
        seen.setdefault(folder, 0 if moments == 2 else len(seen) % 2)
        seen[folder] += 1
        if seen[folder] == 1:
            seen[folder] += 2 - moments
            raise Killed  # before its first match
        done = tournaments.play(spec, folder, *given)
        if seen[folder] == 2:
            raise Killed  # before anybody has read it
        return done

    monkeypatch.setattr(course, "play", dying)
    again = None
    while again is None:
        with suppress(Killed):
            again = tune(make_tuning(), tmp_path, 0)
    assert facts(again) == facts(whole)
    assert len(seen) == 5


def test_what_is_finished_is_not_played_again(
    make_tuning: Make, whole: Tuned, monkeypatch: pytest.MonkeyPatch
):
    before = {file: file.stat().st_mtime_ns for file in whole.folder.rglob("*.parquet")}
    again = tune(make_tuning(), whole.folder, 0)
    assert facts(again) == facts(whole)
    assert before == {file: file.stat().st_mtime_ns for file in whole.folder.rglob("*.parquet")}


def test_all_batches_of_a_rung_meet_the_same_deals_and_the_confirmation_others(whole: Tuned):
    seeds = {
        file.parent.relative_to(whole.folder).as_posix(): yaml.safe_load(file.read_text())[
            "tournament"
        ]["seed"]
        for file in whole.folder.rglob("spec.yaml")
    }
    first = {seed for name, seed in seeds.items() if name.endswith("rung-1")}
    second = {seed for name, seed in seeds.items() if name.endswith("rung-2")}
    assert len(first) == len(second) == 1
    assert len({*first, *second, seeds["confirm"]}) == 3
    assert len(read_matches(whole.folder / "batches" / "001" / "rung-1")) == 3 * 2 * 2


def test_half_of_a_batch_goes_on_and_its_gain_is_told_to_the_search(whole: Tuned):
    rungs = [len(trial.facts["scores"]) for trial in whole.trials]
    assert sorted(rungs) == [1, 1, 2, 2, 2, 2]
    for trial in whole.trials:
        scores = [score for rung in trial.facts["scores"] for score in rung]
        assert trial.values == pytest.approx((sum(scores) / len(scores) - 0.5,))


def test_against_a_field_the_start_plays_too(make_tuning: Make, tmp_path: Path):
    tuning = make_tuning(against=["random", "mcts:simulations=2"], trials=2, batch=2, deals=2)
    made = tune(tuning, tmp_path, 0)
    assert [len(rung) for rung in made.start] == [2]
    own = made.trials[0].facts["scores"][0]
    assert made.trials[0].values == pytest.approx((sum(own) / 2 - sum(made.start[0]) / 2,))
    spec = yaml.safe_load((tmp_path / "batches" / "start" / "rung-1" / "spec.yaml").read_text())
    assert spec["tournament"]["focus"] == ["start"]


def test_a_trial_that_plays_like_the_field_is_left_out(make_tuning: Make, tmp_path: Path):
    tuning = make_tuning(
        options={"rollout_depth": [0, 4]}, against=["mcts:simulations=4,rollout_depth=0"]
    )
    made = tune(tuning, tmp_path, 0)
    assert [trial.values for trial in made.trials] == [None]
    assert made.trials[0].facts["like"] == "mcts:simulations=4,rollout_depth=0"
    assert made.finalists == ()
    assert "Nothing better was found" in text(made)


def test_another_tuning_in_the_folder_is_refused_and_moved_aside_when_asked(
    make_tuning: Make, whole: Tuned
):
    other = make_tuning(trials=3)
    with pytest.raises(UserError, match=r"a tuning with other trials \(6\); --fresh begins anew"):
        tune(other, whole.folder, 0)


def test_fresh_moves_what_was_made_aside(make_tuning: Make, tmp_path: Path):
    small = make_tuning(trials=2, batch=2, deals=1)
    tune(small, tmp_path, 0)
    made = tune(make_tuning(trials=1, deals=1), tmp_path, 0, fresh=True)
    assert len(made.trials) == 1
    assert (tmp_path / "old-1" / "batches").is_dir()
    assert (tmp_path / "old-1" / "trials.jsonl").is_file()


def test_a_damaged_plan_is_told_in_a_line(make_tuning: Make, tmp_path: Path):
    (tmp_path / "tune.yaml").write_text("name: [\n")
    with pytest.raises(UserError, match=r"tune.yaml:2: not valid YAML"):
        tune(make_tuning(), tmp_path, 0)
    (tmp_path / "tune.yaml").write_text("name: small\n")
    with pytest.raises(UserError, match=r"tune.yaml: game: missing"):
        tune(make_tuning(), tmp_path, 0)


# --- what is said -----------------------------------------------------------------------------------


def test_terminal_table_and_pages_say_the_same(whole: Tuned):
    said = answer(whole)
    frame = trial_table(whole)
    assert said in text(whole)
    assert said.replace("_", "\\_") in page_text(whole) or said in page_text(whole)
    assert len(frame) == 6
    assert set(frame["trial"]) == set(range(6))
    assert frame["claim"].astype(bool).sum() == len(whole.finalists)
    html = page_html(whole)
    assert said.replace("'", "&#x27;") in html
    assert "http" not in html.replace("http://www.w3.org", "")


def test_nothing_that_a_bot_calls_its_values_is_run_by_a_page(whole: Tuned):
    odd = "<script>alert(1)</script>|`x`"
    trials = tuple(replace(one, point={**one.point, "rollout_depth": odd}) for one in whole.trials)
    made = replace(whole, trials=trials, finalists=((trials[0], whole.finalists[0][1]),))
    assert "<script>alert" not in page_html(made)
    assert "<script>alert" not in page_text(made)
    assert "|`x`" not in page_text(made).replace("\\|", "").replace("\\`", "")


def test_the_bot_to_paste_has_all_options_that_were_searched(make_tuning: Make, whole: Tuned):
    trial = whole.trials[0]
    depth = "none" if trial.point["rollout_depth"] is None else trial.point["rollout_depth"]
    line = f"mcts:simulations=4,exploration={trial.point['exploration']},rollout_depth={depth}"
    assert bot_line(whole, trial).replace("=null", "=none") == line
    nested = make_tuning(bot={"bot": "mcts", "simulations": 4, "prior": 0})
    made = bot_line(replace(whole, tuning=nested))
    assert made == "mcts:simulations=4,prior=0,exploration=0.8,rollout_depth=4"


def test_the_command_plays_says_and_writes(
    arena: Callable[..., tuple[int, str, str]], make_tuning: Make, tmp_path: Path, undrawn: None
):
    file = tmp_path / "t.yaml"
    data = {k: v for k, v in plain(make_tuning().spec).items() if v is not None}
    file.write_text(yaml.safe_dump({**data, "against": "self"}))
    code, out, _ = arena("tune", file, "--dry-run", "--workers", 0)
    assert code == 0
    assert "6 on 2 deals, 4 on 4 deals: 40 matches" in out
    given = ("--out", tmp_path / "made", "--workers", 0, "--quiet", "--set", "trials=2")
    code, out, err = arena("tune", file, *given)
    assert (code, err) == (0, "")
    assert "as a page:" in out
    for name in ("tune.csv", "tune.md", "tune.html", "tune.yaml", "trials.jsonl"):
        assert (tmp_path / "made" / name).is_file(), name


@pytest.mark.parametrize(
    ("against", "last"),
    [("self", 3), *(pytest.param(a, 5, marks=pytest.mark.full) for a in (["random"], "self"))],
)
def test_ctrl_c_ends_with_what_was_played_and_the_same_command_goes_on(
    arena: Callable[..., tuple[int, str, str]],
    make_tuning: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    against: Any,
    last: int,
    undrawn: None,
):
    file = tmp_path / "t.yaml"
    weak = {"bot": "mcts:simulations=4,exploration=0.7,rollout_depth=8,prior=16"}  # easily beaten
    options = {"exploration": "0.05..2 log", "rollout_depth": [0, 8, "none"]}
    small = make_tuning(trials=4, batch=2, options=options, **weak)
    data = {k: v for k, v in plain(small.spec).items() if v is not None}
    file.write_text(yaml.safe_dump({**data, "against": against}))
    called = 0

    def stopping(*given: Any) -> Any:
        nonlocal called
        called += 1
        done, answered = tournaments.play(*given)
        return replace(done, interrupted=called == last), answered

    monkeypatch.setattr(course, "play", stopping)
    given = ("tune", file, "--out", tmp_path / "made", "--workers", 0, "--quiet")
    code, out, _ = arena(*given)
    assert code == 130
    played = "2 of 4 trials" if last != 5 or against != "self" else "all trials"
    assert f"Not finished: {played} are played" in out
    assert "stopped; the same command goes on where it stopped" in out
    assert arena(*given)[0] == 0


# --- drills -----------------------------------------------------------------------------------------

DRIVER = "import sys; from arena import cli; sys.argv = ['arena', *sys.argv[1:]]; cli.main()"


@pytest.mark.full
def test_a_tuning_killed_at_random_moments_comes_out_as_one_left_in_peace(
    make_tuning: Make, whole: Tuned, tmp_path: Path
):
    file, folder = tmp_path / "t.yaml", tmp_path / "made"
    data = {k: v for k, v in plain(make_tuning().spec).items() if v is not None}
    file.write_text(yaml.safe_dump({**data, "against": "self"}))
    command = [sys.executable, "-c", DRIVER, "tune", file, "--out", folder, "--workers", "0"]
    chance = random.Random(5)
    for _ in range(6):
        process = subprocess.Popen([*map(str, command), "--quiet"], cwd=ROOT)
        time.sleep(1.5 + 4 * chance.random())
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert facts(tune(make_tuning(), folder, 0)) == facts(whole)


@pytest.mark.full
@pytest.mark.ray
def test_the_number_of_workers_changes_nothing(
    make_tuning: Make, whole: Tuned, tmp_path: Path, one_ray: None
):
    assert facts(tune(make_tuning(), tmp_path, 2)) == facts(whole)
