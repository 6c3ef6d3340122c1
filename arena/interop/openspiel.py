"""Our games as games of OpenSpiel, and our bots as its bots; needs the extra `openspiel`.

    import pyspiel
    from arena.interop.openspiel import SpielBot, register

    register()
    game = pyspiel.load_game("arena_karmaka(players=3)")
    bots = [SpielBot("greedy", player, seed=player) for player in range(3)]

All chance is one node at the start, with `deals` outcomes: outcome d is deal d of `seed`, which settles the setup and
all chance of play, so that states can be written down and read. A clone has the same chance to come: an algorithm that
searches on clones foresees it, `resample_from_infostate` draws it anew. OpenSpiel's C++ searches crash on every Python
game; its Python ones run.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.interop.choices import at_least, number_of_players, rewards_of, sides_of, variant_of
from bots.contract import BotSpec, View
from bots.registry import parse_bot
from bots.rewards import WIN
from engines.actions import Secrecy
from engines.core import BUILT_IN, Game, load_game
from engines.encoding import Encoder
from engines.piles import EVERYBODY
from engines.records import State, copy
from engines.rng import mix, seeded

try:
    import pyspiel
except ImportError as error:
    raise ImportError(f"{error}: pip install 'tabletop-arena[openspiel]'") from error

MOST_DECISIONS = 20_000
DEALS = 256
PARAMETERS = {"players": 0, "deals": DEALS, "seed": 0, "variant": ""}
UNIT = 1 << 53


def register(*names: str) -> list[str]:
    """Register games, by default all that are shipped, as `arena_NAME`; returns these names.

    Their parameters: `players` (0: 2 where the game has that), `deals`, `seed`, and `variant`, options that differ from
    the defaults, as in "arena_connect_four(variant=rows:5;connect:3)". A game alone (one player) is not offered.
    """
    return [register_one(load_game(name)) for name in names or BUILT_IN]


def register_one(game: Game) -> str:
    """Register one game, once."""
    short = f"arena_{game.name}"
    if short not in pyspiel.registered_names():
        kind = game_type(home_of(game, ()))

        def begin(self: Any, parameters: Any = None) -> None:
            SpielGame.__init__(self, game, parameters)

        # A class of its own: a partial would lose its last reference without Python's lock, and abort at exit.
        pyspiel.register_game(kind, type(f"Spiel_{game.name}", (SpielGame,), {"__init__": begin}))
    return short


class Home:
    """What all states of a loaded game share: it is not copied with them, and written down by its parameters."""

    def __init__(self, game: Game, parameters: dict[str, Any]) -> None:
        """Read the parameters."""
        self.parameters = parameters
        given = {**PARAMETERS, **parameters}
        text = str(given["variant"])
        options = dict(item.partition(":")[::2] for item in text.split(";")) if text else {}
        self.game = game
        self.players = number_of_players(game, int(given["players"]) or None)
        at_least("players", self.players, 2)
        self.deals = at_least("deals", int(given["deals"]), 1)
        self.seed = int(given["seed"])
        self.encoder = Encoder(game, self.players, variant_of(game, options))
        self.start = self.encoder.blank
        rng = seeded(0)
        game.deal(copy(self.start), rng)
        self.has_chance = not game.perfect_information or int(rng[0]) != 0
        self.zero_sum = sides_of(self.start) in (2, self.players) and even(self.start)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Home":
        """Clones share it."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """States that are read share one again."""
        return home_of, (self.game, tuple(sorted(self.parameters.items())))


@functools.cache
def home_of(game: Game, parameters: tuple[tuple[str, Any], ...]) -> Home:
    """The home of a game with these parameters."""
    return Home(game, dict(parameters))


def even(states: State) -> bool:
    """Whether all sides have equally many players."""
    team = states["team"][0][: int(states["players"][0])].tolist()
    return len({team.count(side) for side in team}) == 1


def game_type(home: Home) -> Any:
    """What OpenSpiel asks about a game."""
    kind, game = pyspiel.GameType, home.game
    open_game = game.perfect_information
    return kind(
        short_name=f"arena_{game.name}",
        long_name=f"Tabletop Arena: {game.title}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if home.has_chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION if open_game else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if home.zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=max(game.players),
        min_num_players=max(2, min(game.players)),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )  # fmt: skip


class SpielGame(pyspiel.Game):
    """A game with its parameters."""

    def __init__(self, game: Game, parameters: Any = None) -> None:
        """Read the parameters; a UserError for wrong ones."""
        given = dict(parameters or {})
        self.home = home_of(game, tuple(sorted(given.items())))
        info = pyspiel.GameInfo(
            num_distinct_actions=game.actions.size,
            max_chance_outcomes=self.home.deals if self.home.has_chance else 0,
            num_players=self.home.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if self.home.zero_sum else None,
            max_game_length=MOST_DECISIONS,
        )
        super().__init__(game_type(self.home), info, given)

    def new_initial_state(self, text: str | None = None) -> "SpielState":
        """The game before its deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """How players see states."""
        return Observer(self.home, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class SpielState(pyspiel.State):
    """One position; before the deal the chance player is to act."""

    def __init__(self, game: SpielGame) -> None:
        """Nothing dealt yet, unless the game has no chance."""
        super().__init__(game)
        self.home = game.home
        self.states = copy(self.home.start)
        self.rng = seeded(0)
        self.dealt = False
        self.legal: list[int] = []
        self.heard = [""] * self.home.players  # what each player has noticed so far
        if not self.home.has_chance:
            self._deal(0)

    def _deal(self, number: int) -> None:
        self.rng = seeded(mix(self.home.seed, number))
        self.home.game.deal(self.states, self.rng)
        self.dealt = True
        self._go_on()

    def _go_on(self) -> None:
        """Carry out what is forced."""
        self.legal = self.home.game.legal(self.states).tolist()
        while len(self.legal) == 1:
            self._carry_out(self.legal[0])
            self.legal = self.home.game.legal(self.states).tolist()

    def _carry_out(self, action: int) -> None:
        """An action, and what everybody notices of it."""
        table, states = self.home.game.actions, self.states
        secrecy = int(table.secrecy[action])
        open_to = (
            EVERYBODY if secrecy == Secrecy.OPEN else int(self.home.game.witnesses(states, action))
        )
        for player in range(self.home.players):
            if open_to >> player & 1:
                self.heard[player] += f" {int(states['to_act'][0])}:{action}"
            elif secrecy == Secrecy.SECRET:
                self.heard[player] += f" {int(states['to_act'][0])}:?{int(table.public[action])}"
        self.home.game.apply(states, action, self.rng)

    def current_player(self) -> int:
        """Who decides."""
        if not self.dealt:
            return int(pyspiel.PlayerId.CHANCE)
        return int(self.states["to_act"][0]) if self.legal else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals, all alike."""
        return [(deal, 1.0 / self.home.deals) for deal in range(self.home.deals)]

    def _apply_action(self, action: int) -> None:
        if self.dealt:
            self._carry_out(int(action))
            self._go_on()
        else:
            self._deal(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        return self.home.game.action_text(self.states, int(action))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.dealt and not self.legal

    def returns(self) -> list[float]:
        """What the finished game is worth to each player; nothing before."""
        if not self.is_terminal():
            return [0.0] * self.home.players
        return rewards_of(self.home.game, self.states, WIN)

    def rewards(self) -> list[float]:
        """The same: all rewards come at the end."""
        return self.returns()

    def resample_from_infostate(self, player: int, sampler: Any) -> "SpielState":
        """A state that a player holds for possible, with chance of its own; he has noticed the same in it."""
        other: SpielState = self.clone()
        game = self.home.game
        drawn = float(sampler()) if callable(sampler) else float(np.random.default_rng().random())
        other.rng = seeded(mix(int(drawn * UNIT), 1))
        other.states = np.zeros(1, game.dtype)
        game.determinize(game.view(self.states, player), other.rng, other.states)
        return other

    def __str__(self) -> str:
        """The position, nothing hidden."""
        return self.home.game.render(self.states) if self.dealt else "not dealt"


class Observer:
    """What a player sees: the vector of engines.encoding, and the View's bytes as text, with all he noticed before."""

    def __init__(self, home: Home, kind: Any) -> None:
        """With perfect recall only the text is given."""
        self.home, self.recall = home, kind.perfect_recall
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if not self.recall:
            self.tensor = np.zeros(home.encoder.size, np.float32)
            self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the vector."""
        if self.tensor is not None:
            self.tensor[:] = 0
            if state.dealt:
                self.home.encoder(self.home.game.view(state.states, player), self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """The text."""
        if not state.dealt:
            return "not dealt"
        view = self.home.game.view(state.states, player).tobytes().hex()
        return f"{player}|{state.heard[player]}|{view}" if self.recall else view


class SpielBot(pyspiel.Bot):
    """A bot of ours in one seat of one of our games there; its code runs in this process.

    Args:
        bot: as on the command line: "greedy", "mcts:simulations=64", "file.py:Class".
        player: its seat.
        seed: all its chance.
    """

    def __init__(self, bot: str | BotSpec, player: int, seed: int = 0) -> None:
        """A bot before its first match."""
        super().__init__()
        self.wanted = bot if isinstance(bot, BotSpec) else parse_bot(bot).text
        self.player, self.seed, self.matches = player, seed, 0
        self.begun = False

    def restart_at(self, state: SpielState) -> None:
        """A match begins."""
        self.matches += 1
        self.begun = False

    def restart(self) -> None:
        """A match begins."""
        self.matches += 1
        self.begun = False

    def step(self, state: SpielState) -> int:
        """Choose one of the legal actions."""
        game = state.home.game
        seed = mix(self.seed, self.matches)
        view = View(game, game.view(state.states, self.player), state.legal, (), seed)
        if not self.begun:
            wanted = self.wanted
            spec = parse_bot(wanted, defaults=game.defaults) if isinstance(wanted, str) else wanted
            self.bot = spec.make()
            self.bot.reset(game, view, seed)
            self.begun = True
        return int(self.bot.act(view, state.legal))
