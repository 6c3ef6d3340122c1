"""How a match came out, in lines: for people at the terminal and at a page alike."""

from collections.abc import Callable, Iterator, Mapping

from arena.playing.live import LiveMatch
from engines.pictures import counted


def result_lines(match: LiveMatch, name: Callable[[int], str]) -> Iterator[str]:
    """Why the game ended; then the players, the best first, each with his points and where they come from."""
    game, states = match.game, match.states
    yield f"over: {game.Ending(int(game.ending(states))).name.lower().replace('_', ' ')}"
    ranks, points = game.rank_list(states), game.point_list(states)
    made = game.sources(states) if game.sources else None
    for player in sorted(range(match.players), key=lambda p: ranks[p]):
        yield f"  {ranks[player]}. {name(player)}, {counted(points[player], 'point')}"
        if made:
            yield f"     {sources_text(made[player])}"


def sources_text(parts: Mapping[str, int]) -> str:
    """Where points come from: 'Light Shades 4, favor tokens 2, empty spaces -3'; what brings nothing is left out."""
    return ", ".join(f"{words} {n}" for words, n in parts.items() if n) or "nothing that counts"
