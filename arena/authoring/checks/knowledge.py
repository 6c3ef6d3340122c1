"""What players see and suppose: views tell nothing hidden and forget nothing known."""

import itertools
from collections.abc import Iterator

from arena.authoring.checks.components import misplaced
from arena.authoring.checks.walks import (
    SAMPLE,
    Position,
    Setting,
    after,
    event,
    guesses,
    imagined,
    legal_list,
    positions,
    seen,
    walks,
)
from engines.pictures import player_name
from engines.records import NOBODY, OVER, copy, differences, equal
from engines.rng import seeded


def views_are_marked_and_settled(setting: Setting) -> Iterator[str]:
    """A View names its viewer, keeps the header, fills its whole record; seen again: itself."""
    for position in positions(setting):
        for player in range(setting.players):
            view = seen(setting.game, position.states, player)
            if int(view["viewer"][0]) != player:
                yield f"{position.where}: the view of {player_name(player)} names viewer {view['viewer'][0]}"
            for name in ("players", "to_act", "team"):
                if view[name].tobytes() != position.states[name].tobytes():
                    yield f"{position.where}: the view of {player_name(player)} has another {name}"
            again = seen(setting.game, view, player)
            if not equal(view, again):
                changed = differences(view, again)[:3]
                yield f"{position.where}: view of {player_name(player)} seen again: {changed}"


def imagined_states_look_the_same(setting: Setting) -> Iterator[str]:
    """Two States that differ only in what a player cannot see give him byte-equal views."""
    for position, player, view, guess in guesses(setting, twice=True):
        if int(guess["viewer"][0]) != NOBODY:
            yield f"{position.where}: imagined by {player_name(player)} has viewer {guess['viewer'][0]}"
        again = seen(setting.game, guess, player)
        if not equal(view, again):
            changed = differences(view, again)[:3]
            yield f"{position.where}: view of {player_name(player)} and of what he imagines: {changed}"


def imagining_reads_only_the_view(setting: Setting) -> Iterator[str]:
    """`determinize` leaves its View as it is, and the same View and chance give the same State."""
    for position in positions(setting, SAMPLE):
        for player in range(setting.players):
            view = setting.game.view(position.states, player)
            before = copy(view)
            first, second = (imagined(setting.game, view, 5) for _ in range(2))
            if not equal(view, before):
                changed = differences(before, view)[:3]
                yield f"{position.where}: imagining changed the view of {player_name(player)}: {changed}"
            if not equal(first, second):
                changed = differences(first, second)[:3]
                yield f"{position.where}: {player_name(player)} imagines anew from one seed: {changed}"


def the_decider_knows_his_options(setting: Setting) -> Iterator[str]:
    """The legal actions are the same in every State that the player to act holds for possible."""
    for position in positions(setting):
        if position.to_act != OVER:
            view = setting.game.view(position.states, position.to_act)
            for seed in range(2):
                legal = legal_list(setting.game, imagined(setting.game, view, seed))
                if legal != position.legal:
                    yield f"{position.where}: imagined legal actions {legal}, not {position.legal}"


def imagined_states_can_be_played(setting: Setting) -> Iterator[str]:
    """A State that somebody imagines plays on like a real one, its components conserved."""
    game = setting.game
    for number, (position, player, _, guess) in enumerate(
        itertools.islice(guesses(setting), 0, None, 3)
    ):
        rng = seeded(number)
        for _ in range(30):
            legal = legal_list(game, guess)
            if not legal:
                break
            game.apply(guess, legal[number % len(legal)], rng)
        if int(guess["to_act"][0]) != OVER and not legal_list(game, guess):
            yield f"{position.where}: imagined by {player_name(player)} and played on: nothing is legal"
        yield from (
            f"{position.where}: imagined by {player_name(player)}, played on: {x}"
            for x in misplaced(game, guess)
        )


def like_actions_look_alike(setting: Setting) -> Iterator[str]:
    """After two actions that a player cannot tell apart his views are byte-equal."""
    game = setting.game
    for position in positions(setting):
        hidden = [a for a in position.legal if int(game.actions.secrecy[a]) != 0]
        for player in range(setting.players):
            groups: dict[int | None, list[int]] = {}
            for action in hidden:
                if not int(game.witnesses(position.states, action)) >> player & 1:
                    groups.setdefault(event(game, position.states, action, player), []).append(
                        action
                    )
            for group in groups.values():
                yield from unlike_views(setting, position, player, group)


def unlike_views(
    setting: Setting, position: Position, player: int, actions: list[int]
) -> Iterator[str]:
    """Where the player's views differ after actions that look alike to him."""
    game = setting.game
    first = seen(game, after(game, position, actions[0]), player)
    for action in actions[1:]:
        other = seen(game, after(game, position, action), player)
        if not equal(first, other):
            names = f"{game.actions.text(actions[0])!r} from {game.actions.text(action)!r}"
            yield f"{position.where}: {player_name(player)} can tell {names}: {differences(first, other)[:3]}"


def deciders_witness_their_actions(setting: Setting) -> Iterator[str]:
    """Whoever carries out an action that others may not see sees it himself."""
    for position in positions(setting):
        for action in position.legal:
            secret = int(setting.game.actions.secrecy[action]) != 0
            if (
                secret
                and not int(setting.game.witnesses(position.states, action)) >> position.to_act & 1
            ):
                text = setting.game.actions.text(action)
                yield f"{position.where}: {text!r} hides from its own player"


def open_games_hide_nothing(setting: Setting) -> Iterator[str]:
    """In a game of perfect information views show everything and play causes no chance."""
    if not setting.game.perfect_information:
        return
    for walk in walks(setting):
        if walk[-1].rng != walk[0].rng:
            yield f"{walk[-1].where}: chance was used"
        for position in walk:
            guess = imagined(setting.game, setting.game.view(position.states, 0), 1)
            if not equal(guess, position.states):
                yield f"{position.where}: hidden {differences(position.states, guess)[:3]}"


CHECKS = (
    views_are_marked_and_settled,
    imagined_states_look_the_same,
    imagining_reads_only_the_view,
    the_decider_knows_his_options,
    imagined_states_can_be_played,
    like_actions_look_alike,
    deciders_witness_their_actions,
    open_games_hide_nothing,
)
