"""A match as data for the page that shows it: every position as everybody sees it, every action, points and estimates.

Everything that repeats is kept once and named by number, and a panel is told as its difference from the one before, so
that a match of hundreds of actions and five views takes little room. `packed` then deflates it all.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from arena.pictures.layout import Item, Laid, lay
from arena.playing.seats import seen_action
from arena.results.replay import Replay, Step
from arena.results.talks import talk_lines
from arena.results.thoughts import Searchers, Thought
from engines.pictures import Panel, Picture
from engines.records import State

KINDS = ("shape", "caption", "board", "bar")
T = TypeVar("T")
Talks = Mapping[tuple[int, int], dict[str, Any]]  # by step and player, as `talks_of` has them


@dataclass
class Once(Generic[T]):
    """Things that are kept once and named by number."""

    numbers: dict[T, int] = field(default_factory=dict)

    def number(self, thing: T) -> int:
        """The number of a thing."""
        return self.numbers.setdefault(thing, len(self.numbers))

    def all(self) -> list[T]:
        """The things by number."""
        return list(self.numbers)


@dataclass
class Film:
    """All that the page's script needs.

    Viewers are numbered: 0 sees everything, 1 + p what player p sees.

    Attributes:
        texts: actions, titles, words, and lines of positions of games without pictures.
        drawings: shapes as SVG, each at 0, 0.
        items: shapes in their place: [drawing, words, kind (of KINDS), x, y, width, height, zone, identities of
            pieces...], all numbers but the identities; x to height in tenths of a unit.
        panels: [title, player or -1, 1 if active, 1 if wide, height, the panel it is like or -1, items left out, items
            put in]; items are drawn by kind, then from the top left.
        scenes: for each moment, for each viewer: [words, panels...], or [lines...] of a game without pictures.
        moves: the actions, each as every viewer learns of it, with the seconds it took where they are kept.
        points: for each moment the points of each player if the game ended now.
        estimates: for each moment what each player's own view makes of his chances, scaled to one whole, per mille.
        thoughts: for each action what the search behind it found, if one thought again: {"top": [[text, visits,
            value per mille], ...], "visits", "ms"}.
        talks: for each action what a language model was asked and answered before it, -1 for nothing; none if none
            played.
    """

    texts: Once[str] = field(default_factory=Once)
    drawings: Once[str] = field(default_factory=Once)
    items: Once[tuple[Any, ...]] = field(default_factory=Once)
    panels: list[list[Any]] = field(default_factory=list)
    scenes: list[list[list[int]]] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    points: list[list[int]] = field(default_factory=list)
    estimates: list[list[int]] = field(default_factory=list)
    thoughts: list[dict[str, Any] | None] = field(default_factory=list)
    talks: list[int] = field(default_factory=list)
    _known: dict[Laid, tuple[int, list[int]]] = field(default_factory=dict)  # number and items
    _last: dict[tuple[int, int], Laid] = field(default_factory=dict)  # by viewer and place

    @property
    def timed(self) -> bool:
        """Whether it is known what each action took."""
        return any("seconds" in move for move in self.moves)

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "texts": self.texts.all(),
            "drawings": self.drawings.all(),
            "items": self.items.all(),
            "panels": self.panels,
            "scenes": self.scenes,
            "moves": self.moves,
            "points": self.points,
            "estimates": self.estimates,
            "thoughts": self.thoughts,
            "talks": self.talks,
        }


def packed(data: dict[str, Any]) -> str:
    """Data as deflated JSON in base64, for a page."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def unpacked(text: str) -> Any:
    """What `packed` has packed."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def filmed(
    replay: Replay, searchers: Searchers | None = None, talks: Talks = MappingProxyType({})
) -> Film:
    """The whole match, action by action; with `searchers` its searches think again, with `talks` models are heard."""
    film = Film()
    for step in replay.steps():
        add_moment(film, replay)
        if searchers is not None:
            film.thoughts.append(thought(film, replay, searchers.think(replay, step)))
        if talks:
            said = talks.get((step.number, step.actor))
            film.talks.append(film.texts.number(talk_lines(said)) if said else -1)
        film.moves.append(move(film, replay, step))
    add_moment(film, replay)
    return film


def add_moment(film: Film, replay: Replay) -> None:
    """Add the position as everybody sees it, with points and estimates."""
    game, states = replay.game, replay.states
    views = [game.view(states, player) for player in range(len(replay.names))]
    film.scenes.append([scene(film, replay, n, view) for n, view in enumerate((states, *views))])
    film.points.append(game.point_list(states))
    estimates = [float(game.evaluate(view, player)) for player, view in enumerate(views)]
    sides = [int(side) for side in states["team"][0][: len(views)]]
    film.estimates.append([round(1000 * share) for share in made_whole(estimates, sides)])


def made_whole(estimates: Sequence[float], sides: Sequence[int]) -> list[float]:
    """Estimates of players (win shares of their sides) scaled so that those of all sides make one whole.

    Each is made from one player's view, and games need not estimate all players alike: Sagrada's sums to 1.9 late in a
    game of two. Alone there is nothing to share.
    """
    counts = Counter(sides)
    whole = sum(share / counts[side] for share, side in zip(estimates, sides, strict=True))
    if len(counts) < 2 or whole <= 0:
        return list(estimates)
    return [min(1.0, share / whole) for share in estimates]


def scene(film: Film, replay: Replay, viewer: int, view: State) -> list[int]:
    """One position as one viewer sees it."""
    game = replay.game
    if game.picture is None:
        return [film.texts.number(line) for line in game.render(view).split("\n")]
    picture: Picture = game.picture(view)
    panels = [panel_number(film, (viewer, n), panel) for n, panel in enumerate(picture.panels)]
    return [film.texts.number(picture.words), *panels]


def panel_number(film: Film, place: tuple[int, int], panel: Panel) -> int:
    """The number of a panel; a new one is told as its difference from the last one in its place."""
    laid = lay(panel)
    before = film._last.get(place)
    film._last[place] = laid
    if laid in film._known:
        return film._known[laid][0]
    items = [film.items.number(item_data(film, item)) for item in laid.items]
    like, old = film._known[before] if before else (-1, [])
    gone, there = sorted(set(old) - set(items)), set(old)
    new = [number for number in items if number not in there]
    player = -1 if panel.player is None else panel.player
    facts = [film.texts.number(panel.title), player, int(panel.active), int(panel.wide)]
    film._known[laid] = len(film.panels), items
    film.panels.append([*facts, round(laid.height), like, gone, new])
    return film._known[laid][0]


def item_data(film: Film, item: Item) -> tuple[Any, ...]:
    """A shape in its place, as numbers."""
    place = (round(10 * length) for length in (item.x, item.y, item.width, item.height))
    drawing, words = film.drawings.number(item.svg), film.texts.number(item.words)
    zone = film.texts.number(item.zone)
    return (drawing, words, KINDS.index(item.kind), *place, zone, *item.pieces)


def thought(film: Film, replay: Replay, found: Thought | None) -> dict[str, Any] | None:
    """What a search found, as numbers."""
    if found is None:
        return None
    top = [
        [film.texts.number(replay.game.told(replay.states, action)), visits, round(1000 * value)]
        for action, visits, value in found.best
    ]
    return {"top": top, "visits": found.visits, "ms": round(1000 * found.seconds, 1)}


def move(film: Film, replay: Replay, step: Step) -> dict[str, Any]:
    """An action as every viewer learns of it: -1 for one who learns nothing."""
    game, states = replay.game, replay.states
    seen = [film.texts.number(game.told(states, step.action))]
    for player in range(len(replay.names)):
        known = seen_action(game, step.action, step.actor, step.witnesses, player)
        if known is None:
            seen.append(-1)
        elif known == step.action:
            seen.append(seen[0])
        else:
            seen.append(film.texts.number(game.actions.told(known)))
    legal = [film.texts.number(game.told(states, action)) for action in step.legal]
    told = {"actor": step.actor, "seen": seen, "legal": legal}
    return told if step.seconds is None else {**told, "seconds": round(step.seconds, 6)}
