"""Any game as a PettingZoo AEC environment; needs the extra `pettingzoo`.

from arena.interop.pettingzoo import env

table = env("karmaka", players=3, reward="win")
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arena.interop.choices import (
    game_of,
    known,
    number_of_players,
    reward_number,
    rewards_of,
    variant_of,
)
from arena.pictures.raster import picture_pixels
from engines.core import Game
from engines.encoding import Encoder
from engines.errors import UserError
from engines.rng import mix, seeded

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(f"{error}: pip install 'tabletop-arena[pettingzoo]'") from error

RENDER_MODES = ("ansi", "human", "rgb_array")


def env(game: str | Game = "connect_four", **options: Any) -> Any:
    """The environment in the usual wrappers: an illegal action ends the game with -1 for its player.

    Args:
        game: its name, the path of its folder, or the game.
        options: those of GameEnv.
    """
    made: Any = GameEnv(game, **options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class GameEnv(AECEnv):
    """One table. Agents are seats, player_0 begins; `agent_selection` is whoever must decide, in turn or out of turn.

    Decisions out of turn are ordinary turns, so the same agent may be asked twice running and the order may jump.

    Args:
        game: its name, the path of its folder, or the game.
        players: how many play; None: 2 where the game has that.
        variant: options by name, as in a config.
        reward: win, place or margin, at the end, from -1 to 1; team-mates have the same. Rewards of all sides sum to 0.
        forced: whether decisions with one legal action are asked for; else they are carried out inside.
        dtype: float32 (0..1) or uint8 (whole numbers) observations.
        render_mode: ansi (`render` returns text), human (prints), rgb_array (its picture as uint8
            [height, width, 3]; in games that have one) or None.

    Endings that only stop a game (caps) are truncations, all others terminations.
    """

    def __init__(
        self,
        game: str | Game = "connect_four",
        players: int | None = None,
        variant: Mapping[str, Any] | None = None,
        reward: str = "win",
        forced: bool = False,
        dtype: DTypeLike = np.float32,
        render_mode: str | None = None,
    ) -> None:
        """Lay the table; `reset` deals."""
        super().__init__()
        self.game = game_of(game)
        self.players = number_of_players(self.game, players)
        self.encoder = Encoder(self.game, self.players, variant_of(self.game, variant))
        self.reward, self.forced, self.dtype = reward_number(reward), forced, np.dtype(dtype)
        if render_mode is not None:
            known("render_mode", render_mode, RENDER_MODES)
            if render_mode == "rgb_array" and self.game.picture is None:
                raise UserError(f"render_mode: rgb_array, {self.game.title} has no picture")
        self.render_mode = render_mode
        self.metadata = {
            "name": f"arena_{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{player}" for player in range(self.players)]
        self.agents: list[str] = []
        self.states = self.encoder.blank.copy()
        self.legal: NDArray[np.int32] = np.zeros(0, np.int32)
        most = 1 if self.dtype == np.float32 else 255
        self._observations = spaces.Dict(
            {
                "observation": spaces.Box(0, most, (self.encoder.size,), self.dtype.type),
                "action_mask": spaces.Box(0, 1, (self.game.actions.size,), np.int8),
            }
        )
        self._actions = spaces.Discrete(self.game.actions.size)
        self._seed: int | None = None
        self._deal = 0

    def observation_space(self, agent: str) -> Any:
        """The vector of engines.encoding, and the mask of legal actions."""
        return self._observations

    def action_space(self, agent: str) -> Any:
        """The actions of the game by number; `game.actions.text` has them in words."""
        return self._actions

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal: with a seed its first deal, without the next one of the seed before."""
        if seed is not None or self._seed is None:
            self._seed = (
                int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
            )
            self._deal = 0
        self.rng = seeded(mix(self._seed, self._deal))
        self._deal += 1
        self.states = self.encoder.blank.copy()
        self.game.deal(self.states, self.rng)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._go_on()

    def step(self, action: Any) -> None:
        """Carry out the action of `agent_selection`.

        Raises:
            UserError: it is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self.legal:
            raise UserError(f"action {action}: not legal for {agent}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.game.apply(self.states, int(action), self.rng)
        self._go_on()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _go_on(self) -> None:
        """Carry out what is forced; then ask whoever must decide, or end the game."""
        self.legal = self.game.legal(self.states)
        while len(self.legal) == 1 and not self.forced:
            self.game.apply(self.states, int(self.legal[0]), self.rng)
            self.legal = self.game.legal(self.states)
        if len(self.legal):
            self.agent_selection = self.possible_agents[int(self.states["to_act"][0])]
            return
        stopped = int(self.game.ending(self.states)) in self.game.caps
        worth = rewards_of(self.game, self.states, self.reward)
        ranks, points = self.game.rank_list(self.states), self.game.point_list(self.states)
        for player, agent in enumerate(self.possible_agents):
            self.rewards[agent] = worth[player]
            self.terminations[agent], self.truncations[agent] = not stopped, stopped
            self.infos[agent] = {"rank": ranks[player], "points": points[player]}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What an agent may know, and what it may do if it must decide."""
        mask = np.zeros(self.game.actions.size, np.int8)
        if agent == self.agent_selection:
            mask[self.legal] = 1
        view = self.game.view(self.states, self.possible_agents.index(agent))
        return {"observation": self.encoder(view, dtype=self.dtype), "action_mask": mask}

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as the player to act sees it."""
        viewer = self.possible_agents.index(self.agent_selection)
        view = self.game.view(self.states, viewer)
        if self.render_mode == "rgb_array" and self.game.picture is not None:
            return picture_pixels(self.game.picture(view))
        text = self.game.render(view)
        if self.render_mode != "human":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held."""
