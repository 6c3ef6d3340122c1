"""Many tables at once: they do what single games do, whatever the threads, and say what they hold."""

import threading
import time
from typing import Any

import numpy as np
import pytest

from arena.interop.vector import VectorGame
from engines.core import Game, load_game
from engines.encoding import Encoder
from engines.errors import UserError
from engines.rng import mix_arrays

SMALL = {"rows": 4, "columns": 5, "connect": 3}


class Plain:
    """One table played by plain calls of a game's kernels."""

    def __init__(self, tables: VectorGame, number: int) -> None:
        self.game: Game = tables.game
        self.tables = tables
        self.rng = mix_arrays(tables.seed, np.arange(tables.n, dtype=np.uint64))[
            number : number + 1
        ]
        self.deal()

    def deal(self) -> None:
        self.states = self.game.new_state(self.tables.players, self.tables.variant, self.rng)
        self.run()

    def run(self) -> list[int]:
        """Carry out what is forced; the ranks if the game is over then."""
        while len(legal := self.game.legal(self.states)) == 1:
            self.game.apply(self.states, int(legal[0]), self.rng)
        return [] if len(legal) else self.game.rank_list(self.states)

    def step(self, action: int) -> tuple[list[int], Any]:
        self.game.apply(self.states, action, self.rng)
        ranks, last = self.run(), self.states
        if ranks:
            self.deal()
        return ranks, last


def worth(ranks: list[int], teams: list[int]) -> list[float]:
    """What a game of two sides is worth to each player."""
    winners = {team for rank, team in zip(ranks, teams, strict=False) if rank == 1}
    shares = [1 / len(winners) if team in winners else 0 for team in teams[: len(ranks)]]
    return [2 * share - 1 for share in shares]


@pytest.mark.parametrize(
    ("name", "players", "variant"),
    [("connect_four", 2, SMALL), ("karmaka", 3, {"mode": "bbw"})],
    ids=["connect_four", "karmaka"],
)
def test_tables_do_what_plain_calls_do(name: str, players: int, variant: dict[str, Any]) -> None:
    tables = VectorGame(name, n=5, players=players, variant=variant, seed=7)
    encoder = Encoder(tables.game, players, tables.variant)
    batch = tables.reset()
    plain = [Plain(tables, number) for number in range(tables.n)]
    ended = 0
    for _ in range(400):
        actions = tables.sample()
        batch = tables.step(actions)
        for i, table in enumerate(plain):
            ranks, last = table.step(int(actions[i]))
            player = int(table.states["to_act"][0])
            assert batch.to_act[i] == player
            assert (
                batch.legal[i, : batch.counts[i]].tolist()
                == table.game.legal(table.states).tolist()
            )
            assert np.flatnonzero(batch.mask[i]).tolist() == table.game.legal(table.states).tolist()
            assert np.array_equal(
                batch.observation[i], encoder(table.game.view(table.states, player))
            )
            assert bool(batch.terminated[i] or batch.truncated[i]) == bool(ranks)
            if ranks:
                ended += 1
                assert batch.reward[i].tolist() == worth(ranks, table.states["team"][0].tolist())
                for p in range(players):
                    expected = encoder(table.game.view(last, p))
                    assert np.array_equal(batch.final[i, p], expected)
            else:
                assert not batch.reward[i].any()
    assert ended > 3


def test_others_run_while_tables_are_stepped() -> None:
    """Else threads would wait for each other; they were told to, and did."""
    tables = VectorGame("connect_four", n=1 << 17, seed=1, keep_final=False, check=False)
    tables.reset()
    stepping = threading.Thread(target=tables._step, args=(tables.sample(),))
    stepping.start()
    turns = 0
    while stepping.is_alive():
        turns += 1
        time.sleep(0.0005)
    assert turns > 5


def test_threads_change_nothing() -> None:
    one = VectorGame("connect_four", n=7, seed=3, threads=1)
    many = VectorGame("connect_four", n=7, seed=3, threads=3)
    one.reset(), many.reset()
    for _ in range(100):
        actions = one.sample()
        assert np.array_equal(actions, many.sample())
        for left, right in zip(one.step(actions), many.step(actions), strict=True):
            assert np.array_equal(left, right)
    many.close()


def test_random_actions_are_legal_and_drawn_anew_each_time() -> None:
    """Those that a step has drawn are given out once, then others; also at tables that are left as they are."""
    tables = VectorGame("connect_four", n=500, seed=2)
    batch = tables.reset()
    given = [tables.sample(), tables.sample()]
    tables.step(np.full(500, -2))
    given += [tables.sample(), tables.sample()]
    for actions in given:
        assert batch.mask[np.arange(500), actions].all()
        assert set(np.bincount(actions, minlength=7) > 40) == {True}  # of 7 columns 71 each
    assert len({actions.tobytes() for actions in given}) == 4
    given[0][:] = 99  # the caller's own
    assert tables.sample().max() < 7


def test_equal_seeds_give_equal_games_and_others_others() -> None:
    tables = VectorGame("karmaka", n=4)
    first = tables.reset(seed=5).observation.copy()
    assert np.array_equal(tables.reset(seed=5).observation, first)
    assert not np.array_equal(tables.reset(seed=6).observation, first)
    assert len({row.tobytes() for row in first}) == 4


def test_rewards_of_all_sides_sum_to_nothing() -> None:
    for options in ({"players": 4}, {"players": 4, "reward": "place"}, {"reward": "margin"}):
        tables = VectorGame("karmaka", n=16, **options)  # type: ignore[arg-type]
        tables.reset()
        ended = 0
        for _ in range(1500):
            batch = tables.step(tables.sample())
            done = batch.terminated | batch.truncated
            assert np.allclose(batch.reward.sum(axis=1), 0, atol=1e-5)
            assert (np.abs(batch.reward) <= 1 + 1e-6).all()
            ended += int(done.sum())
        assert ended


def test_games_that_are_only_stopped_are_truncated() -> None:
    tables = VectorGame("karmaka", n=4, variant={"max_turns_per_player": 1})
    tables.reset()
    seen = [tables.step(tables.sample()) for _ in range(1)]
    for _ in range(60):
        batch = tables.step(tables.sample())
        assert not batch.terminated.any()
        seen.append(batch.truncated.copy())  # type: ignore[arg-type]
    assert any(np.any(s) for s in seen[1:])


def test_games_may_begin_from_random_decisions() -> None:
    tables = VectorGame("connect_four", n=32, opening=6, seed=2)
    batch = tables.reset()
    size = 42
    discs = batch.observation[:, -2 * size :].sum(axis=1)
    assert (discs == 6).all()
    assert len({row.tobytes() for row in batch.observation}) > 24
    for _ in range(60):
        batch = tables.step(tables.sample())
        fresh = batch.terminated
        assert (batch.observation[fresh, -2 * size :].sum(axis=1) == 6).all()


def test_forced_actions_are_asked_for_on_request() -> None:
    kinds = [VectorGame("karmaka", n=8, forced=forced) for forced in (False, True)]
    least = []
    for tables in kinds:
        tables.reset()
        least.append(min(int(tables.step(tables.sample()).counts.min()) for _ in range(300)))
    assert least == [2, 1]


def test_illegal_actions_are_refused_before_anything_moves() -> None:
    tables = VectorGame("connect_four", n=3)
    tables.reset()
    before = tables.states.tobytes()
    with pytest.raises(UserError, match=r"actions\[1\]: 8, not legal at this table"):
        tables.step([0, 8, 0])
    with pytest.raises(UserError, match=r"actions: shape \(2,\), expected \(3,\)"):
        tables.step([0, 0])
    assert tables.states.tobytes() == before


def test_a_table_can_be_left_as_it_is_or_dealt_anew() -> None:
    tables = VectorGame("connect_four", n=3)
    first = tables.reset().observation.copy()
    second = tables.step([3, -2, 3]).observation.copy()
    assert (second != first).any(axis=1).tolist() == [True, False, True]
    third = tables.step([-1, -2, -2]).observation
    assert np.array_equal(third[0], first[0])
    assert np.array_equal(third[1:], second[1:])


def test_arrays_are_taken_without_a_copy() -> None:
    batch = VectorGame("connect_four", n=4).reset()
    for array in (batch.observation, batch.mask, batch.legal, batch.reward):
        assert array.flags.c_contiguous
        assert np.shares_memory(np.from_dlpack(array), array)
    torch = pytest.importorskip("torch")
    assert torch.from_numpy(batch.observation).data_ptr() == batch.observation.ctypes.data


def test_whole_numbers_are_offered_too() -> None:
    batch = VectorGame("connect_four", n=4, dtype="uint8").reset()
    assert batch.observation.dtype == np.uint8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 3}, "players: 3, Connect Four has 2"),
        ({"n": 0}, "n: 0, expected at least 1"),
        ({"reward": "wins"}, "reward: 'wins', did you mean win"),
        ({"dtype": "float64"}, "dtype: 'float64', did you mean float32"),
        ({"opening": -1}, "opening: -1, expected at least 0"),
        ({"variant": {"rows": 99}}, "variant.rows: 99"),
    ],
    ids=str,
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        VectorGame("connect_four", **options)


def test_masks_of_long_lists_are_left_out_unless_asked_for() -> None:
    game = load_game("nakum")
    assert not VectorGame(game, n=1).masked
    assert VectorGame(game, n=1, mask=True).masked
