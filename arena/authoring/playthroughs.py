"""Playthroughs: random games as text, kept with the tests: a change of rules shows as a diff."""

from collections.abc import Iterator

from arena.authoring.checks.walks import Setting, event
from engines.core import changes
from engines.pictures import player_name
from engines.records import OVER, State
from engines.rng import below, mix, seeded

DECISIONS = 40  # shown from the start of the game
EVERY = 10  # decisions between two positions in full
MOST_ACTIONS = 20_000
WIDTH = 100
SEED = 1


def playthrough(setting: Setting, seed: int = SEED) -> str:
    """One random game as text: its first 40 decisions, every tenth position, and the end."""
    return "\n".join([*heading(setting, seed), *blocks(setting, seed)]) + "\n"


def heading(setting: Setting, seed: int) -> Iterator[str]:
    """What is played."""
    options = ", ".join(f"{k}={v}" for k, v in changes(setting.variant).items())
    yield f"{setting.game.title}, {setting.players} players, variant {options or 'default'}"
    yield f"Random play from seed {seed}. An action with a * was forced."
    yield "What a player notices of an action stands after it if that is not all of it."


def blocks(setting: Setting, seed: int) -> Iterator[str]:
    """The game, decision by decision."""
    game = setting.game
    states, rng, chooser = setting.new_state(seed), seeded(mix(seed, 1)), seeded(mix(seed, 2))
    decisions = 0
    for number in range(MOST_ACTIONS):
        legal = [int(action) for action in game.legal(states)]
        if int(states["to_act"][0]) == OVER or not legal:
            yield from last_position(setting, states, number)
            return
        shown = decisions < DECISIONS
        if shown and len(legal) > 1 and decisions % EVERY == 0:
            yield from position(setting, states, f"before decision {decisions + 1}")
        action = legal[int(below(chooser, len(legal)))]
        if shown:
            yield from decision(setting, states, legal, action, number)
        elif decisions == DECISIONS and len(legal) > 1:
            yield f"\n[the game goes on after decision {DECISIONS}]"
        decisions += len(legal) > 1
        game.apply(states, action, rng)


def position(setting: Setting, states: State, title: str) -> Iterator[str]:
    """A position as the player to act sees it, or as everybody would if the game is over."""
    player = int(states["to_act"][0])
    seen = states if player == OVER else setting.game.view(states, player)
    yield ""
    yield f"--- {title}" + ("" if player == OVER else f", as {player_name(player)} sees it")
    yield from (line.rstrip() for line in setting.game.render(seen).splitlines())
    yield "---"


def decision(
    setting: Setting, states: State, legal: list[int], action: int, number: int
) -> Iterator[str]:
    """One action: who, what, out of what, and what the others notice."""
    game = setting.game
    player = int(states["to_act"][0])
    mark = "*" if len(legal) == 1 else ""
    yield ""
    yield f"{number + 1}{mark}. {player_name(player)}: {game.told(states, action)}"
    for other in range(setting.players):
        known = event(game, states, action, other)
        if known != action:
            text = "nothing" if known is None else game.actions.told(known)
            yield f"    {player_name(other)} notices: {text}"
    if len(legal) > 1:
        yield from wrapped("legal: ", [game.told(states, a) for a in legal])


def wrapped(label: str, words: list[str]) -> Iterator[str]:
    """A list of texts over as many indented lines as it takes."""
    line = f"    {label}"
    for number, word in enumerate(words):
        part = word + ("," if number < len(words) - 1 else "")
        if len(line) + len(part) > WIDTH and line.strip():
            yield line.rstrip()
            line = " " * 8
        line += f"{part} "
    yield line.rstrip()


def last_position(setting: Setting, states: State, actions: int) -> Iterator[str]:
    """How the game ended."""
    game = setting.game
    yield from position(setting, states, f"the end, after {actions} actions")
    yield f"ending: {game.Ending(int(game.ending(states))).name.lower()}"
    yield f"points: {game.point_list(states)}"
    yield f"ranks: {game.rank_list(states)}"
    yield f"turns: {int(game.turns(states))}"
    yield f"key: {int(game.key(states)):016x}"
