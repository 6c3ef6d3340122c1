"""What pages call games, groups of matches and boards: the rules' words instead of names and labels."""

import pandas as pd

from arena.plan.identity import DEFAULT
from arena.plan.wording import counts_text, listed, variant_text
from arena.store.record import RunRecord
from engines.core import load_game
from engines.errors import UserError


def titles(record: RunRecord) -> dict[str, str]:
    """What the games of a run are called; the stored name where a game is not at hand."""
    found = {}
    for name, game in record.games.items():
        try:
            found[name] = load_game(game.load).title
        except UserError:
            found[name] = name
    return found


def group_title(record: RunRecord, key: tuple[str, str, int]) -> str:
    """A group in the rules' words, for pages: 'hand size 3, 2 players'; with the game where a run has several."""
    game, variant, players = key
    options = "" if variant == DEFAULT else variant_text(variant)
    counted = counts_text([players])
    if len(record.games) == 1:
        return f"{options}, {counted}" if options else counted
    named = f"{titles(record)[game]} ({options})" if options else titles(record)[game]
    return f"{named}, {counted}"


def board_title(record: RunRecord, standings: pd.DataFrame) -> str:
    """'Karmaka: leaderboard of 5 bots'."""
    bots = standings.entrant.nunique()
    games = listed(list(titles(record).values()))
    return f"{games}: leaderboard of {bots} bot{'' if bots == 1 else 's'}"


def grid_picture(beside: str, number: int) -> str:
    """The file of the picture of who beats whom in a group, counted from 1, where a table would be too wide."""
    return f"{beside}-pairs{number}.png"
