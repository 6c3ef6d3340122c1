"""How strong the bots are, measured as their definitions say; minutes to an hour, so run with -m slow.

A claim "A scores q against B" holds if the lower end of the 95 % interval of A's win share, over at
least 200 blocks, is no less than q - 0.03. A ladder of budgets rises if the lower end of each rung's
win share against the rung below is above par; blocks are added until that is decided, 400 at most.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from arena.execution.execute import ray_started
from arena.execution.run import carry_out
from arena.plan.spec import Limits, parse_spec
from arena.plan.tournament import resolve
from arena.playing.match import Job, play_matches
from arena.store.run_folder import load_spec, read_matches
from bots.registry import parse_bot
from engines.core import load_game

pytestmark = pytest.mark.slow

WORKERS = len(os.sched_getaffinity(0))


@pytest.fixture(scope="module", autouse=True)
def workers():
    """One Ray for all: it leaves processes for the collector to complain about each time it ends."""
    with ray_started(WORKERS, None):
        yield


OPENINGS = {"sacrifice": 11}  # without chance bots repeat themselves: two random turns first
BLOCKS = 200
MOST_BLOCKS = 400


def win_share(
    folder: Path, game: str, players: int, strong: str, weak: str, deals: int
) -> np.ndarray:
    """The mean win share of `strong` in each block, where all other seats are `weak`."""
    spec = {
        "name": "strength",
        "seed": 7,
        "games": [{"game": game, "players": players, "opening": OPENINGS.get(game, 0)}],
        "bots": [{"name": "strong", "bot": strong}, {"name": "weak", "bot": weak}],
        "deals": deals,
    }
    assert not carry_out(resolve(parse_spec(spec)), folder, WORKERS, progress=False).interrupted
    record, frame = load_spec(folder), read_matches(folder)
    blocks: dict[int, list[float]] = {}
    for row in frame.itertuples():
        names = [record.entrants[e].name for e in record.lineups[row.lineup_id].entrants]
        seated = [names[position] for position in row.seating]
        if seated.count("strong") == 1:
            first = [rank == 1 for rank in row.ranks]
            share = first[seated.index("strong")] / sum(first)
            blocks.setdefault(row.deal, []).append(share)
    assert {len(shares) for shares in blocks.values()} == {players}
    return np.array([np.mean(shares) for shares in blocks.values()])


def interval(blocks: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean over blocks."""
    half = 1.96 * float(blocks.std(ddof=1)) / np.sqrt(len(blocks))
    return float(blocks.mean()) - half, float(blocks.mean()) + half


def check_claim(
    folder: Path, game: str, strong: str, weak: str, share: float, players: int = 2
) -> None:
    blocks = win_share(folder, game, players, strong, weak, BLOCKS)
    low, high = interval(blocks)
    print(f"{game}, {players} players, {strong} against {weak}: ", end="")
    print(f"{blocks.mean():.3f} [{low:.3f}, {high:.3f}]")
    assert low >= share - 0.03


def check_rise(folder: Path, game: str, players: int, strong: str, weak: str) -> None:
    par = 1 / players
    for deals in range(50, MOST_BLOCKS + 1, 50):
        blocks = win_share(folder, game, players, strong, weak, deals)
        low, high = interval(blocks)
        print(f"{game}, {players} players, {strong} against {weak}: ", end="")
        print(f"{blocks.mean():.3f} [{low:.3f}, {high:.3f}]")
        if low > par or high < par:
            break
    assert low > par


CLAIMS = [  # two players: game, stronger, weaker, the share it scores
    ("karmaka", "greedy", "random", 0.80),
    ("karmaka", "mcts:simulations=1000", "greedy", 0.65),
    ("nakum", "greedy", "random", 0.95),
    ("nakum", "mcts:simulations=1000", "greedy", 0.60),
    ("sagrada", "greedy", "random", 0.95),
    ("sagrada", "mcts:simulations=1000", "greedy", 0.65),
    ("sacrificio", "greedy", "random", 0.95),
    ("sacrificio", "mcts:simulations=1000", "greedy", 0.60),
    ("sacrifice", "greedy", "random", 0.95),
    ("sacrifice", "mcts:simulations=1000", "greedy", 0.65),
]
CROWDS = [  # game, players, share of one greedy among randoms
    ("nakum", 3, 0.85),
    ("nakum", 4, 0.85),
]
RISES = [  # game, players
    *(("karmaka", 2), ("karmaka", 3)),
    *(("nakum", 2), ("nakum", 4)),
    *(("sagrada", 2), ("sagrada", 4)),
    ("sacrifice", 2),
    ("sacrificio", 2),
]


@pytest.mark.parametrize(("game", "strong", "weak", "share"), CLAIMS)
def test_the_stronger_bot_scores_its_share(tmp_path, game, strong, weak, share):
    check_claim(tmp_path, game, strong, weak, share)


@pytest.mark.parametrize(("game", "players", "share"), CROWDS)
def test_one_greedy_among_randoms_wins_its_share(tmp_path, game, players, share):
    check_claim(tmp_path, game, "greedy", "random", share, players)


@pytest.mark.parametrize(("game", "players"), RISES)
@pytest.mark.parametrize(("low", "high"), [(64, 256), (256, 1024)])
def test_more_simulations_play_better(tmp_path, game, players, low, high):
    check_rise(tmp_path, game, players, f"mcts:simulations={high}", f"mcts:simulations={low}")


def test_twenty_thousand_simulations_win_connect_four_as_first_player():
    game, matches = load_game("connect_four"), 200
    job = Job(
        game,
        game.Variant(),
        2,
        (parse_bot("mcts:simulations=20000"), parse_bot("mcts:simulations=200")),
        ("1", "2"),
        1,
        np.tile(np.array([0, 1]), (matches, 1)),
        np.arange(matches),
        Limits(),
    )
    played = play_matches(job)
    assert played is not None
    ranks = played.results["ranks"][:, :2]
    score = float(np.mean((ranks[:, 0] < ranks[:, 1]) + 0.5 * (ranks[:, 0] == ranks[:, 1])))
    print(f"score {score:.3f}")
    assert score >= 0.95
