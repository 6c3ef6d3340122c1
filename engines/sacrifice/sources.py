"""Where the points of a position come from."""

from engines.records import State

from .picture import elevated
from .tables import CHARACTERS, MINERAL, SLOT_RACE, Race


def sources(states: State) -> list[dict[str, int]]:
    """R36, R50 For each side the races that it has elevated: one each, however many pieces."""
    found = []
    for player in range(2):
        risen = elevated(states[0], player)
        races = {
            Race.MINERAL if name == MINERAL else Race(int(SLOT_RACE[CHARACTERS.index(name)]))
            for name in risen
        }
        counting = [race for race in Race if race != Race.GOD]
        found.append({f"{race.name.lower()} elevated": int(race in races) for race in counting})
    return found
