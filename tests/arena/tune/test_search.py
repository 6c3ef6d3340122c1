"""A search finds a planted variant, says where there is none, and is the same whoever stops it or plays it."""

import functools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import arena.tune.variants.search as played
from arena.balance.inference import Statistic, bounds, ratio
from arena.tune.variants.advice import answer, decided, recommended, sentences
from arena.tune.variants.effects import effects
from arena.tune.variants.front import front
from arena.tune.variants.page import search_html
from arena.tune.variants.readings import Reading
from arena.tune.variants.search import Playing, Stopped, search
from arena.tune.variants.sought import Sought, lead, page_text
from arena.tune.variants.targets import Target
from arena.tune.variants.wanted import parse_search

ROOT = Path(__file__).parents[3]
PUBLISHED = sorted((ROOT / "results" / "leaderboards").glob("search-*.md"))
SPAN = re.compile(
    r"[+-]?[\d.,]+ [%a-zA-Z][a-zA-Z ]*\[[+-]?[\d.]+, [+-]?[\d.]+\]|[+-]?[\d.]+ % \[[^]]*\]"
)
TOY = Path(__file__).parents[1] / "balance" / "toy"
# Random players draw points at random; the second one gets some for nothing, unless somebody takes them away.
UNFAIR = {
    "name": "toy",
    "game": str(TOY),
    "players": 2,
    "seed": 3,
    "baseline": {"bonus": 6, "luck": 9},
    "targets": {"seat_share": [0.38, 0.62], "turns": [1, 3], "draws": "<= 0.3"},
    "search": {"bonus": [0, 3, 6, 9], "rounds": "1..3"},
    "bots": "random",
    "trials": 12,
    "batch": 6,
    "rungs": [{"bots": "random", "deals": 40, "keep": 3}],
    "confirm": {"deals": 300, "best": 2},
}


def go(folder: Path, workers: int = 0, **changes):
    wanted = parse_search({**UNFAIR, **changes})
    folder.mkdir(parents=True, exist_ok=True)
    return search(Playing(wanted, folder, workers, None, False, lambda text: None))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return go(tmp_path_factory.mktemp("found"))


def test_a_planted_fair_variant_is_found_and_confirmed(found):
    made = recommended(found)
    assert made[0].tried.point == {"bonus": 0, "rounds": 1}
    assert made[0].standing == "met"
    assert answer(found, made) == (
        "One change makes Toy meet all 3 targets: bonus 0, confirmed on 300 new deals."
    )
    printed = next(one for one in made if one.printed)
    assert printed.standing == "missed"
    assert "win share of player 1 missed" in " ".join(sentences(found, printed))


def test_the_confirmation_is_on_deals_that_the_search_never_played(found):
    seeds = [
        json.loads(json.dumps(played.load_spec(folder).spec.seed))
        for folder in (found.folder / "batches" / "000", found.folder / "confirm")
    ]
    assert seeds[0] != seeds[1]
    batch = played.load_spec(found.folder / "batches" / "001").spec
    assert batch.seed == seeds[0]  # trials share their deals


def test_no_variant_is_played_twice_and_none_on_the_front_is_beaten(found):
    keys = [played.key_of(one.point) for one in found.steps[0].tried]
    assert len(keys) == len(set(keys)) == 12
    best = front(found.steps[0].tried)
    assert {one.point["bonus"] for one in best} >= {0, 6}
    assert all(one.possible for one in best)


def test_what_an_option_does_is_found_and_what_does_nothing_is_not(found):
    made = {
        (e.target.name, e.option, e.change): e.claim for e in effects(found.wanted, found.steps[0])
    }
    turns = made["turns", "rounds", "from 1 to 3"]
    assert (turns.estimate, turns.outcome) == (pytest.approx(4.0), "differs")
    assert made["turns", "bonus", "from 6 to 0"].outcome == "equivalent"
    fairer = made["seat_share", "bonus", "from 6 to 0"]
    assert fairer.outcome == "differs"
    assert fairer.low > 0.1


def test_the_page_leads_with_the_answer_and_says_what_its_tables_say(found):
    sought = Sought(found)
    page, html = page_text(sought), search_html(sought)
    first = lead(sought)[0]
    assert page.index(first) < page.index("## Confirmed on fresh deals")
    assert first in html
    assert "http" not in html.replace("http://www.w3.org", "")
    assert list(unbacked(page)) == []
    assert list(unbacked(page.replace("* The printed rules", "* It is 1.5 % [1.0, 2.0]"))) == [
        "1.5 % [1.0, 2.0]"
    ]


def unbacked(page: str) -> Iterator[str]:
    """Numbers with intervals in the sentences of a page that stand in none of its tables."""
    page = page.replace("\\", "")
    lines = page.splitlines()
    cells = "\n".join(line for line in lines if line.startswith("|"))
    for line in lines:
        if line.startswith("* "):
            yield from (span for span in SPAN.findall(line) if span not in cells)


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.stem)
def test_a_published_search_says_what_its_tables_say(file):
    page = file.read_text(encoding="utf-8")
    assert page.count("## Confirmed on fresh deals") == 1
    assert list(unbacked(page)) == []


def test_a_game_that_cannot_be_made_fair_says_so(tmp_path):
    hopeless = {"baseline": {"bonus": 99, "luck": 3}, "search": {"ace": "0..3", "two": "0..3"}}
    end = go(
        tmp_path, **hopeless, confirm={"deals": 60, "best": 2}, targets={"seat_share": [0.4, 0.6]}
    )
    made = recommended(end)
    assert all(one.standing == "missed" for one in made)
    text = answer(end, made)
    assert text.startswith(
        "No variant of Toy was found that meets the target: of the best of 12 variants tried, "
    )
    assert "win share of player 1 missed: 0.0 %" in text


def test_printed_rules_that_meet_all_are_left_alone(tmp_path):
    end = go(
        tmp_path,
        baseline={"luck": 9},
        search={"two": "0..3"},
        trials=4,
        batch=4,
        rungs=[{"bots": "random", "deals": 40, "keep": 2}],
    )
    assert answer(end, recommended(end)).startswith("The printed rules of Toy meet all 3 targets")


def wrong_promises(families: int) -> int:
    """In how many families of six numbers that lie just outside their ranges any is said to be met."""
    rng = np.random.default_rng(5)
    target, wrong = Target("draws", -math.inf, 0.2), 0
    for _ in range(families):
        readings = []
        for _ in range(6):
            drawn = np.stack([rng.random(200) < 0.2001, np.ones(200)], axis=1).astype(float)
            statistic = Statistic(drawn, ratio, 200, share=True)
            ends = functools.partial(bounds, statistic)
            readings.append(Reading(target, 2, "draws", statistic.estimate, 200, ends, statistic))
        wrong += any(made.outcome == "equivalent" for made in decided(readings))
    return wrong


def test_hardly_any_family_promises_what_is_not_so():
    assert wrong_promises(12) <= 2


@pytest.mark.full
def test_at_most_one_family_in_twenty_promises_what_is_not_so():
    assert wrong_promises(400) <= 32  # 5 % and what chance adds to it


# --- stopped and resumed --------------------------------------------------------------------------


def stored(folder: Path) -> tuple[str, str]:
    return (folder / "trials.jsonl").read_text(), (folder / "search.md").read_text()


@pytest.mark.parametrize("steps", [2, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 3))])
def test_a_search_that_was_stopped_ends_as_one_that_was_not(found, tmp_path, monkeypatch, steps):
    real, left = played.carry_out, [steps]

    def dying(*given, **named):
        left[0] -= 1
        if left[0] < 0:
            raise Stopped
        return real(*given, **named)

    monkeypatch.setattr(played, "carry_out", dying)
    with pytest.raises(Stopped):
        go(tmp_path)
    monkeypatch.setattr(played, "carry_out", real)
    again = go(tmp_path)
    assert page_text(Sought(again)) == page_text(Sought(found))
    assert (tmp_path / "trials.jsonl").read_text() == (found.folder / "trials.jsonl").read_text()
    assert again.played < again.matches == found.matches


def test_the_command_refuses_a_folder_of_another_search(arena, tmp_path, undrawn):
    file = tmp_path / "toy.yaml"
    small = {**UNFAIR, "trials": 2, "batch": 2, "confirm": {"deals": 10, "best": 1}}
    small["rungs"] = [{"bots": "random", "deals": 10, "keep": 1}]
    file.write_text(json.dumps(small))
    call = ("balance", file, "--search", "--out", tmp_path / "out", "--workers", 0, "--quiet")
    code, _, err = arena(*call)
    assert (code, err) == (0, "")
    assert (tmp_path / "out" / "search.html").exists()
    code, _, err = arena(*call, "--set", "baseline.bonus=7")
    assert code == 2
    assert "holds a search with other baseline; --fresh begins anew" in err
    assert arena(*call, "--set", "baseline.bonus=7", "--fresh")[0] == 0
    assert (tmp_path / "out" / "old-1" / "search.yaml").exists()
    code, _, err = arena(*call, "--baseline", "default")
    assert (code, err) == (
        2,
        "error: --search: needs a config alone, which names its own baseline\n",
    )
    code, _, err = arena("balance", tmp_path / "out", "--search")
    assert code == 2
    assert "--search needs the config it was made from" in err


def test_more_deals_are_played_on_and_fewer_are_read_alone(tmp_path, found):
    whole = tmp_path / "whole"
    shutil.copytree(found.folder, whole)
    more = go(whole, confirm={"deals": 350, "best": 2})
    assert more.matches == found.matches + 50 * len(more.confirmed.tried)
    assert more.played == 50 * len(more.confirmed.tried)
    fewer = go(whole)
    assert (
        page_text(Sought(fewer)).partition("---\n\nMade")[0]
        == (page_text(Sought(found)).partition("---\n\nMade")[0])
    )


LONG = {**UNFAIR, "rungs": [{"bots": ["random", "greedy"], "deals": 200, "keep": 3}]}


@pytest.mark.full
@pytest.mark.parametrize("moment", [0.5, 2.0, 5.0, 9.0])
def test_a_search_killed_by_kill_9_goes_on_to_the_same_page(tmp_path, moment):
    file, whole, killed = tmp_path / "toy.yaml", tmp_path / "whole", tmp_path / "killed"
    file.write_text(json.dumps(LONG))
    command = [
        sys.executable,
        "-m",
        "arena",
        "balance",
        str(file),
        "--search",
        "--quiet",
        "--workers",
        "0",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [*command, "--out", str(whole)], check=True, env=environment, capture_output=True
    )
    process = subprocess.Popen(
        [*command, "--out", str(killed)], env=environment, stdout=subprocess.DEVNULL
    )
    while not (killed / "search.yaml").exists():
        time.sleep(0.02)
    time.sleep(moment)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    subprocess.run(
        [*command, "--out", str(killed)], check=True, env=environment, capture_output=True
    )
    assert stored(killed) == stored(whole)


@pytest.mark.full
@pytest.mark.ray
def test_workers_change_nothing(one_ray, tmp_path):
    ends = [go(tmp_path / str(workers), workers=workers) for workers in (0, 2)]
    assert page_text(Sought(ends[0])) == page_text(Sought(ends[1]))
    files = [(tmp_path / str(workers) / "trials.jsonl").read_text() for workers in (0, 2)]
    assert files[0] == files[1]


@pytest.mark.full
def test_a_game_of_skill_is_searched_by_cheap_bots_first(tmp_path):
    """The first rung cannot show depth, the last one can."""
    end = go(
        tmp_path,
        baseline={"bonus": 4, "luck": 6, "rounds": 2},
        targets={"seat_share": [0.35, 0.65], "depth_elo": ">= -50", "turns": [3, 9]},
        search={"bonus": [0, 2, 4], "rounds": "1..4", "luck": [2, 6]},
        bots=["mcts:simulations=2", "mcts:simulations=8"],
        rungs=[
            {"bots": "greedy", "deals": 60, "keep": 4},
            {"bots": ["mcts:simulations=2", "mcts:simulations=8"], "deals": 60},
        ],
        confirm={"deals": 300, "best": 2},
        trials=24,
        batch=8,
    )
    assert [target.name for target in end.steps[0].targets] == ["seat_share", "turns"]
    made = recommended(end)
    assert made[0].standing == "met"
    assert made[0].tried.point["bonus"] == 0
    shutil.rmtree(tmp_path)
