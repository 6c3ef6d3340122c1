"""Positions as JSON and as text for people."""

import json
from collections.abc import Iterator

from arena.authoring.checks.walks import SAMPLE, Setting, imagined, positions
from engines.pictures import player_name
from engines.records import NOBODY, OVER, differences, equal


def positions_read_back(setting: Setting) -> Iterator[str]:
    """A State or View written as JSON and read back is the same, byte for byte."""
    game = setting.game
    for number, position in enumerate(positions(setting, SAMPLE)):
        in_turn = [number % setting.players]
        viewers = range(setting.players) if setting.share == 1 else in_turn
        views = [game.view(position.states, player) for player in viewers]
        for states in (position.states, *views):
            text = json.dumps(game.to_dict(states), allow_nan=False)
            again = game.from_dict(setting.players, setting.variant, json.loads(text))
            if not equal(states, again):
                who = int(states["viewer"][0])
                name = "State" if who == NOBODY else f"View of {player_name(who)}"
                yield f"{position.where}: the {name} read back: {differences(states, again)[:3]}"


def renders_as_text(setting: Setting) -> Iterator[str]:
    """`render` gives text for every View and State, the same where a viewer sees the same."""
    game = setting.game
    for position in positions(setting, SAMPLE):
        for player in range(setting.players):
            view = game.view(position.states, player)
            text = game.render(view)
            if not isinstance(text, str) or not text.strip():
                yield f"{position.where}: view of {player_name(player)} renders as {text!r}"
            other = game.view(imagined(game, view, 1), player)
            if game.render(other) != text:
                yield f"{position.where}: {player_name(player)} sees hidden things in the text"
        game.render(position.states)


def features_are_told(setting: Setting) -> Iterator[str]:
    """`features` names the same setup facts for every player; `places` is 'all' or 'winner'."""
    if setting.game.places(setting.variant) not in ("all", "winner"):
        yield f"places: {setting.game.places(setting.variant)!r}"
    facts = setting.game.features(setting.new_state(0))
    if len(facts) != setting.players or len({tuple(sorted(f)) for f in facts}) != 1:
        yield f"features: {facts}"


def costs_are_told(setting: Setting) -> Iterator[str]:
    """`costs` gives a line for every legal action, the same from the position as from the View of who acts."""
    game = setting.game
    if game.costs is None:
        return
    for position in positions(setting, SAMPLE):
        if position.to_act == OVER:
            continue
        view = game.view(position.states, position.to_act)
        told = game.cost_texts(view, position.legal)
        if not all(isinstance(text, str) and "\n" not in text for text in told):
            yield f"{position.where}: costs {told} are no lines"
        if told != game.cost_texts(position.states, position.legal):
            yield f"{position.where}: costs depend on what the player does not see"
        if not equal(view, game.view(position.states, position.to_act)):
            yield f"{position.where}: costs changed the view"


CHECKS = (
    positions_read_back,
    renders_as_text,
    features_are_told,
    costs_are_told,
)
