"""One player of any game against given opponents, for Gymnasium; needs the extra `pettingzoo`, which brings it.

    from arena.interop.gym import VectorAgainst

    tables = VectorAgainst("connect_four", ["greedy"], n=64, opening=6)

Opponents play in this process, their code unwalled: take your own and those shipped here.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.interop.choices import at_least, known
from arena.interop.opponents import Apart, Together, opponent
from arena.interop.stepping import LEAVE
from arena.interop.vector import VectorGame
from bots.contract import BotSpec
from bots.registry import parse_bot
from engines.core import Game
from engines.errors import UserError
from engines.rng import mix_arrays

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError as error:
    raise ImportError(f"{error}: pip install 'tabletop-arena[pettingzoo]'") from error

RANDOM = "random"
ILLEGAL = ("error", "first")


class VectorAgainst(VectorEnv):
    """n tables as Gymnasium's vector environment; at each the learner has one seat.

    Args:
        game: its name, the path of its folder, or the game.
        opponents: bots as on the command line ("greedy", "mcts:simulations=64", "file.py:Class"), in order of play
            after the learner; the list is repeated as far as there are seats.
        n: tables.
        seat: the learner's; None: drawn for every game.
        illegal: what becomes of an illegal action: error, or the first legal one is carried out in its place.
        options: those of VectorGame: players, variant, reward, dtype, opening, forced, threads.

    `infos["action_mask"]` is bool [n, actions]. A finished table is dealt anew in the same step; then
    `infos["final_obs"]` has its last observation (mask `_final_obs`).
    """

    def __init__(
        self,
        game: str | Game,
        opponents: Sequence[str | BotSpec] = (RANDOM,),
        n: int = 64,
        seat: int | None = None,
        illegal: str = "error",
        **options: Any,
    ) -> None:
        """Lay the tables; `reset` deals."""
        self.tables = VectorGame(game, n=n, mask=True, **options)
        self.fixed_seat = seat
        if seat is not None and not 0 <= seat < self.tables.players:
            raise UserError(f"seat: {seat}, expected 0 to {self.tables.players - 1}")
        self.illegal = known("illegal", illegal, ILLEGAL)
        at_least("opponents", len(opponents), 1)
        specs = [self._parsed(bot) for bot in opponents]
        self.all_random = all(spec.kind.name == RANDOM for spec in specs)
        seats = [] if self.all_random else range(self.tables.players - 1)
        self.others = [opponent(specs[i % len(specs)], self.tables) for i in seats]
        self._advisers: dict[str | BotSpec, Together | Apart] = {}
        self._asked = 0
        self.games = np.zeros(n, np.int64)  # begun at each table
        self.num_envs = n
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        dtype = self.tables.batch.observation.dtype
        most = 1 if dtype == np.float32 else 255
        self.single_observation_space = spaces.Box(0, most, (self.tables.encoder.size,), dtype.type)
        self.single_action_space = spaces.Discrete(self.tables.game.actions.size)
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, n
        )
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, n)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Deal all tables and play up to the learner's first decisions."""
        super().reset(seed=seed)
        self.games[:] = 0
        self._asked = 0
        self.tables.reset(seed)
        self.seats = np.zeros(self.num_envs, np.int64)
        self._seat(np.arange(self.num_envs))
        self._play_others(
            np.zeros(self.num_envs, np.float32), np.zeros((2, self.num_envs), np.bool_)
        )
        return self.tables.batch.observation, {"action_mask": self.action_masks()}

    def step(self, actions: Any) -> tuple[Any, ...]:
        """The learner's actions, then those of the others until he must decide again at every table."""
        chosen = np.array(actions, np.int32)
        if self.illegal == "first":
            wrong = ~self.action_masks()[np.arange(self.num_envs), chosen]
            chosen[wrong] = self.tables.batch.legal[wrong, 0]
        batch = self.tables.step(chosen)
        tables = np.arange(self.num_envs)
        reward = batch.reward[tables, self.seats]
        ended = np.stack([batch.terminated, batch.truncated])
        before = self.seats.copy()
        self._seat(np.flatnonzero(ended.any(axis=0)))
        self._play_others(reward, ended)
        infos: dict[str, Any] = {"action_mask": self.action_masks()}
        over = ended.any(axis=0)
        if over.any():
            final = np.empty(self.num_envs, object)
            for i in np.flatnonzero(over):
                final[i] = batch.final[i, before[i]].copy()
            infos |= {"final_obs": final, "_final_obs": over}
        return batch.observation, reward, ended[0], ended[1], infos

    def action_masks(self) -> NDArray[np.bool_]:
        """What the learner may do at each table: bool [n, actions]."""
        return self.tables.batch.mask

    def advice(self, bot: str | BotSpec) -> NDArray[np.int32]:
        """What a bot would do now in the learner's place, for learners that imitate: int32 [n].

        It meets every position anew, and is given the position alone.
        """
        if bot not in self._advisers:
            self._advisers[bot] = opponent(self._parsed(bot), self.tables)
        self._asked += 1
        tables = np.arange(self.num_envs)
        numbers = tables.astype(np.uint64)
        drawn = mix_arrays(self.tables.seed, numbers, self._asked, 5)
        self._advisers[bot].begin(tables, self.seats, drawn)
        actions = np.zeros(self.num_envs, np.int32)
        self._advisers[bot].choose(tables, actions)
        return actions

    def _parsed(self, bot: str | BotSpec) -> BotSpec:
        """A bot as a spec, which suits these tables."""
        tables = self.tables
        spec = bot if isinstance(bot, BotSpec) else parse_bot(bot, defaults=tables.game.defaults)
        if spec.kind.suits is not None:
            spec.kind.suits(tables.game, tables.players, tables.start["rules"].tobytes())
        return spec

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads of the tables and the bots."""
        self.tables.close()
        for other in (*self.others, *self._advisers.values()):
            other.close()

    def _play_others(self, reward: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Let opponents decide until it is the learner's turn everywhere; what ends meanwhile goes into the arrays.

        A game that ends before the learner's first decision is dealt anew and counts for nothing.
        """
        batch = self.tables.batch
        while len(waiting := np.flatnonzero(batch.to_act != self.seats)):
            actions = np.full(self.num_envs, LEAVE, np.int32)
            if self.all_random:
                actions[waiting] = self.tables.sample()[waiting]
            after = (batch.to_act - self.seats) % self.tables.players
            for number, other in enumerate(self.others):
                own = waiting[after[waiting] == number + 1]
                if len(own):
                    other.choose(own, actions)
            self.tables.step(actions)
            over = waiting[batch.terminated[waiting] | batch.truncated[waiting]]
            first = over[~ended[:, over].any(axis=0)]
            reward[first] = batch.reward[first, self.seats[first]]
            ended[0, first], ended[1, first] = batch.terminated[first], batch.truncated[first]
            self._seat(over)

    def _seat(self, tables: NDArray[np.int64]) -> None:
        """A seat of the learner, and fresh opponents, for the games that begin at these tables."""
        players = self.tables.players
        self.games[tables] += 1
        numbers = tables.astype(np.uint64), self.games[tables].astype(np.uint64)
        drawn = mix_arrays(self.tables.seed, *numbers, 3)
        self.seats[tables] = drawn % np.uint64(players)
        if self.fixed_seat is not None:
            self.seats[tables] = self.fixed_seat
        for number, other in enumerate(self.others):
            other.begin(tables, (self.seats[tables] + 1 + number) % players, drawn)


class Against(gymnasium.Env):
    """One table of VectorAgainst as a plain Gymnasium environment, with `action_masks()` as MaskablePPO asks for it."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 Gymnasium's form

    def __init__(
        self, game: str | Game, opponents: Sequence[str | BotSpec] = (RANDOM,), **options: Any
    ) -> None:
        """Lay the table."""
        self.one = VectorAgainst(game, opponents, n=1, **options)
        self.observation_space = self.one.single_observation_space
        self.action_space = self.one.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal: with a seed its first deal, without another one."""
        super().reset(seed=seed)
        observation, _ = self.one.reset(seed=int(self.np_random.integers(1 << 62)))
        return observation[0].copy(), {"action_mask": self.action_masks()}

    def step(self, action: Any) -> tuple[Any, ...]:
        """The learner's action, and what the others answer."""
        observation, reward, ended, stopped, infos = self.one.step(np.array([action]))
        seen = observation[0].copy()
        if "final_obs" in infos:
            seen = infos["final_obs"][0]
        return (
            seen,
            float(reward[0]),
            bool(ended[0]),
            bool(stopped[0]),
            {"action_mask": self.action_masks()},
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """What the learner may do: bool [actions]."""
        return np.array(self.one.action_masks()[0])

    def close(self) -> None:
        """End the bots."""
        self.one.close_extras()
