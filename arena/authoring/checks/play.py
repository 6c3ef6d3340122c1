"""Play: it ends, legal lists are well formed, and one seed is one game."""

from collections.abc import Iterator
from operator import itemgetter

from arena.authoring.checks.walks import (
    Setting,
    generator,
    imagined,
    play_out,
    positions,
    walks,
)
from engines.kernel import INTERPRETED
from engines.records import NOBODY, OVER, State, copy, differences, equal


def ends_within_the_bound(setting: Setting) -> Iterator[str]:
    """Every game ends within 20 000 actions, also if all take the first (or last) legal action."""
    for walk in walks(setting):
        if walk[-1].to_act != OVER:
            yield f"{walk[-1].where}: still running"
    if not INTERPRETED:
        for name, index in (("first", 0), ("last", -1)):
            states, actions = play_out(setting, 0, itemgetter(index))
            if int(states["to_act"][0]) != OVER:
                yield f"always the {name} legal action: still running after {actions}"


def lists_legal_actions_well(setting: Setting) -> Iterator[str]:
    """Legal actions are ascending, unique, in range; there are none exactly if the game is over."""
    for position in positions(setting):
        legal = position.legal
        if list(legal) != sorted(set(legal)):
            yield f"{position.where}: legal actions {legal} are not strictly ascending"
        if any(not 0 <= action < setting.game.actions.size for action in legal):
            yield f"{position.where}: legal actions {legal}, there are {setting.game.actions.size}"
        if not OVER <= position.to_act < setting.players:
            yield f"{position.where}: to_act {position.to_act} of {setting.players} players"
        if (len(legal) == 0) != (position.to_act == OVER):
            yield f"{position.where}: {len(legal)} legal actions with to_act {position.to_act}"


def same_seed_plays_the_same(setting: Setting) -> Iterator[str]:
    """The same seed and actions lead through the same bytes and the same chance."""
    for seed, walk in enumerate(walks(setting)):
        states = setting.new_state(seed)
        rng = generator(walk[0])
        for position in walk:
            if not equal(states, position.states) or int(rng[0]) != position.rng:
                changed = differences(position.states, states)[:3]
                yield f"{position.where}: when played again {changed}"
                break
            if position.action is not None:
                setting.game.apply(states, position.action, rng)


def questions_change_nothing(setting: Setting) -> Iterator[str]:
    """Asking for actions, views, results, a key or an estimate leaves a State as it is."""
    game = setting.game
    for position in positions(setting):
        states = copy(position.states)
        game.legal(states)
        game.rank_list(states), game.point_list(states), game.ending(states), game.turns(states)
        game.key(states)
        for player in range(setting.players):
            game.view(states, player)
            game.evaluate(states, player)
        for action in position.legal:
            game.witnesses(states, action)
        if not equal(states, position.states):
            yield f"{position.where}: {differences(position.states, states)[:3]} after questions"


def copies_are_independent(setting: Setting) -> Iterator[str]:
    """A copy, its view and what was imagined from it stay as they are while the game goes on."""
    game = setting.game
    for walk in walks(setting):
        kept: list[tuple[State, bytes]] = []
        states, rng = copy(walk[0].states), generator(walk[0])
        for position in walk[:200]:
            view = game.view(states, 0)
            guess = imagined(game, view, len(kept))
            kept += [(a, a.tobytes()) for a in (copy(states), view, guess)]
            if position.action is not None:
                game.apply(states, position.action, rng)
        for number, (array, before) in enumerate(kept):
            if array.tobytes() != before:
                yield f"{walk[number // 3].where}: an earlier copy changed"


def facts_stay(setting: Setting) -> Iterator[str]:
    """Players, teams and the rules record never change, and a full State has no viewer."""
    game = setting.game
    blank = game.blank(setting.players, setting.variant)
    fixed = [name for name in ("players", "team", "rules") if name in (game.dtype.names or ())]
    for position in positions(setting):
        for name in fixed:
            if position.states[name].tobytes() != blank[name].tobytes():
                yield f"{position.where}: {name} changed to {position.states[name][0]}"
        if int(position.states["viewer"][0]) != NOBODY:
            yield f"{position.where}: viewer {position.states['viewer'][0]} in a full State"


CHECKS = (
    ends_within_the_bound,
    lists_legal_actions_well,
    same_seed_plays_the_same,
    questions_change_nothing,
    copies_are_independent,
    facts_stay,
)
