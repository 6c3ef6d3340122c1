"""Many games at once as arrays: one call steps all tables, and finished games are dealt anew.

    from arena.interop.vector import VectorGame

    tables = VectorGame("karmaka", n=1024, players=2, seed=1)
    batch = tables.reset()
    while training:
        batch = tables.step(choose(batch.observation, batch.legal, batch.counts))

Whose turn it is may differ from table to table (`batch.to_act`): the self-play view. `arena.interop.gym` has the view
of one player against given opponents.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arena.interop.choices import (
    at_least,
    game_of,
    known,
    number_of_players,
    reward_number,
    sides_of,
    variant_of,
)
from arena.interop.crew import Crew
from arena.interop.stepping import DEAL, draw_actions, first_illegal, stepper
from engines.core import Game
from engines.encoding import Encoder
from engines.errors import UserError
from engines.rng import mix, mix_arrays

MOST_MASKED = 1024  # actions of a game: longer masks are not offered unless asked for, they cost more than the game
DTYPES = ("float32", "uint8")


class Batch(NamedTuple):
    """What all n tables show: the arrays themselves, contiguous, overwritten by the next step.

    Attributes:
        observation: float32 or uint8 [n, size]: the vector of the player to act.
        mask: bool [n, actions]: what he may do; [n, 0] where masks are not offered.
        legal: int32 [n, max_legal]: the same as a list, ascending, of which counts[i] are meant.
        counts: int32 [n].
        to_act: int8 [n]: the player to act.
        reward: float32 [n, players]: of the game that this step ended, else 0. With `win` a sole winner has 1 and the
            rewards of all sides sum to 0.
        terminated, truncated: bool [n]: this step ended a game; truncated: it was only stopped (a cap). The other
            arrays then show the next game.
        final: [n, players, size]: each player's last observation of the game that ended last at this table.
    """

    observation: NDArray[Any]
    mask: NDArray[np.bool_]
    legal: NDArray[np.int32]
    counts: NDArray[np.int32]
    to_act: NDArray[np.int8]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final: NDArray[Any]


class VectorGame:
    """n tables of one game.

    Args:
        game: its name, the path of its folder, or the game.
        n: tables.
        players: how many play; None: 2 where the game has that.
        variant: options by name, as in a config.
        seed: all chance of all tables; equal seeds and actions give equal batches, whatever the threads.
        reward: win (share of first place), place or margin (see bots.rewards), scaled to -1..1.
        dtype: float32 (0..1) or uint8 (whole numbers) observations.
        mask: whether `mask` is filled besides the lists; None: in games of up to 1 024 actions.
        opening: random decisions that begin every game; games that end in them are dealt anew.
        forced: whether decisions with one legal action are asked for; else they are carried out inside.
        keep_final: whether last observations are kept in `final`.
        threads: how many share the tables; None: one a core.
        check: whether `step` refuses illegal actions; without, one breaks the table.
    """

    def __init__(
        self,
        game: str | Game,
        n: int = 1024,
        players: int | None = None,
        variant: Mapping[str, Any] | None = None,
        seed: int = 0,
        reward: str = "win",
        dtype: DTypeLike = np.float32,
        mask: bool | None = None,
        opening: int = 0,
        forced: bool = False,
        keep_final: bool = True,
        threads: int | None = 1,
        check: bool = True,
    ) -> None:
        """Lay the tables; `reset` deals."""
        self.game = game_of(game)
        self.players = number_of_players(self.game, players)
        self.variant = variant_of(self.game, variant)
        self.n, self.seed, self.check = at_least("n", n, 1), seed, check
        self.encoder = Encoder(self.game, self.players, self.variant)
        self.start = self.encoder.blank
        sides = sides_of(self.start)
        self.fresh = False  # whether `drawn` has not been given out
        self.masked = self.game.actions.size <= MOST_MASKED if mask is None else mask
        caps = sum(1 << int(ending) for ending in self.game.caps)
        flags = [forced, at_least("opening", opening, 0), self.masked, keep_final]
        self.settings = np.array([reward_number(reward), sides, caps, *flags], np.int64)
        self._make_arrays(np.dtype(known("dtype", np.dtype(dtype).name, DTYPES)), keep_final)
        self.kernel = stepper(self.game)
        self._share(threads if threads is not None else os.cpu_count() or 1)

    def _make_arrays(self, dtype: np.dtype[Any], keep_final: bool) -> None:
        n, size = self.n, self.encoder.size
        self.states = np.repeat(self.start, n)
        self.opening = np.zeros(n, np.int32)
        self.drawn = np.zeros(n, np.int32)  # a random legal action of each table
        self.batch = Batch(
            np.zeros((n, size), dtype),
            np.zeros((n, self.game.actions.size if self.masked else 0), np.bool_),
            np.zeros((n, self.game.max_legal), np.int32),
            np.zeros(n, np.int32),
            np.zeros(n, np.int8),
            np.zeros((n, self.players), np.float32),
            np.zeros(n, np.bool_),
            np.zeros(n, np.bool_),
            np.zeros((n if keep_final else 0, self.players, size), dtype),
        )

    def _share(self, threads: int) -> None:
        """Threads that share the tables, each with a View of its own to work in."""
        threads = min(at_least("threads", threads, 1), self.n)
        self.views = [np.zeros(1, self.game.dtype) for _ in range(threads)]
        self.crew = Crew(threads - 1)  # beside this thread

    def reset(self, seed: int | None = None) -> Batch:
        """Deal all tables, with a new seed or the one before."""
        self.seed = self.seed if seed is None else seed
        self.rngs = mix_arrays(self.seed, np.arange(self.n, dtype=np.uint64)).reshape(-1, 1)
        own = mix(self.seed, self.n)  # `sample` has a chance of its own
        self.choosers = mix_arrays(own, np.arange(self.n, dtype=np.uint64)).reshape(-1, 1)
        self.batch.counts[:] = 0
        self.batch.mask[:] = False
        return self._step(np.full(self.n, DEAL, np.int32))

    def step(self, actions: Any) -> Batch:
        """Carry out one legal action at each table: int [n]; -2 leaves a table as it is, -1 deals it anew.

        Raises:
            UserError: an action is not legal; no table has moved then.
        """
        chosen = np.ascontiguousarray(actions, np.int32)
        if chosen.shape != (self.n,):
            raise UserError(f"actions: shape {chosen.shape}, expected ({self.n},)")
        if self.check:
            b = self.batch
            table = int(first_illegal(chosen, b.legal, b.counts, b.mask))
            if table >= 0:
                raise UserError(f"actions[{table}]: {chosen[table]}, not legal at this table")
        return self._step(chosen)

    def sample(self) -> NDArray[np.int32]:
        """A uniformly random legal action for each table: int32 [n]."""
        if not self.fresh:  # those of the step have been given out
            draw_actions(self.batch.legal, self.batch.counts, self.choosers, self.drawn)
        self.fresh = False
        return self.drawn.copy()

    def close(self) -> None:
        """End the threads."""
        self.crew.close()

    def _step(self, actions: NDArray[np.int32]) -> Batch:
        self.crew.share(self._step_part, self.n, actions)
        self.fresh = True
        return self.batch

    def _step_part(self, thread: int, lo: int, hi: int, actions: NDArray[np.int32]) -> None:
        view, b = self.views[thread], self.batch
        self.kernel(
            self.states, self.start, self.rngs, self.choosers, self.opening, actions, lo, hi, self.settings,
            *self.encoder.tables(b.observation.dtype), view, view.view(np.uint8),
            b.observation, b.mask, b.legal, b.counts, b.to_act,
            b.reward, b.terminated, b.truncated, b.final, self.drawn,
        )  # fmt: skip
