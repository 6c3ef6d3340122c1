"""Nakum's components as printed, and the numbers that no config can change.

Tiles and cards are written as in RULES.md: m maize, h hide, k jade mask, VP victory point token, MKT market action,
HER heritage action, end points at the end, * marked for four players, / or. `notation.py` reads them.
"""

from enum import IntEnum

RESOURCES = ("maize", "hide", "mask")

# --- R1 What is in the box (all but the examples of the rulebook is a reconstruction: see RULES.md) ----------

TILES = (
    "milpa a* 2m; b* 3m; c 3m",
    "selva a* 1h / 2m; b* 1h; camp 1VP 1k / MKT",
    "rio a 1m 1h; b* 1h; camp 2h / 1VP 2m",
    "cantera a 1k; b 1k; camp 2k / 1VP 1h",
    "plaza a* MKT; b MKT; c* 2m; camp 2m 1k / 2h / MKT",
    "linaje a* HER; b HER / 1h; c* 1h / 2m; camp 1VP 1h / 1VP HER",
    "artesanos a 1k / 2m; b MKT; camp 2VP / 1h 1k",
    "aguada a* 3m; b HER; camp 4m / 1VP 1k / 1VP 2m",
)

OFFERINGS = (
    "O01 2m 3h : 10end 1sacrifice",  # El Cazador, The Hunter
    "O02 6m 1h : 8end",  # El Maizal, The Maize Field
    "O03 2m 2k : 8end",  # La Máscara, The Mask
    "O04 4h 1k : 12end 1sacrifice",  # El Jaguar, The Jaguar
    "O05 4m 2h : 8end",  # La Cosecha, The Harvest
    "O06 1h 2k : 7end",  # El Artesano, The Artisan
    "O07 6m 1k : 11end 1sacrifice",  # La Lluvia, The Rain
    "O08 2m 2h : 12end 2sacrifice",  # El Guerrero, The Warrior
    "O09 2m 1h 2k : 8end",  # El Astrónomo, The Astronomer
    "O10 2m 3k : 12end 1sacrifice",  # El Señor, The Lord
    "O11 2h 2k : 14end 2sacrifice",  # La Serpiente, The Serpent
    "O12 4m 1h 1k : 8end",  # El Banquete, The Banquet
)

MARKET = (
    "M01 1k : 2m 2end",  # the rulebook's example
    "M02 : 3m release",
    "M03 : 4m",
    "M04 : 2h",
    "M05 : 1m 1h release",
    "M06 : 1k release",
    "M07 : 1m 1k",
    "M08 : 2m 1h",
    "M09 : 1m 1end",
    "M10 : 1h 1end",
    "M11 2m : 2end",
    "M12 2m : 1k 1end",
    "M13 3m : 1h 2end",
    "M14 3m : 2h 1end release",
    "M15 1h : 1m 2end",
    "M16 1h : 1k 1end release",
    "M17 2h : 3end",
    "M18 2h : 2m 1k 1end",
    "M19 1k : 2h 1end release",
    "M20 1k : 3end",
    "M21 1k : 4m 1end",
    "M22 2m 1h : 3end",
    "M23 1h 1k : 4end",
    "M24 2k : 2m 4end",
)

HERITAGE = (
    "H01 : 4m",
    "H02 : 4m",
    "H03 : 2h",
    "H04 : 2h",
    "H05 : 1m 1k",
    "H06 : 1m 1k",
    "H07 : 2m 1h",
    "H08 : 2m 1h",
    "H09 : 1k",
    "H10 : 3m",
    "H11 : 1m 1VP",
    "H12 : 1m 1VP",
    "H13 : 1h 1VP",
    "H14 : 1h 1VP",
    "H15 : 2VP",
    "H16 : 2VP",
)

# --- names; there is room for a few components more than are printed ---------------------------------------

MOST_PLAYERS = 4
MOST_TILES, MOST_MARKET, MOST_OFFERINGS, MOST_HERITAGE = 10, 32, 16, 20
MOST_OPTIONS = 4  # of one space
MOST_ROW = 10  # cards face up
MOST_HAND = 5
PILE_SIZE = 32  # one for all piles
MOST_GOODS = 99  # of a resource that a player stores
MOST_ROUNDS = 100
MOST_USES = 9  # cubes that a favour of Pituk takes
UNUSED = "?"  # what a pile shows of a card that the viewer does not know; numbers begin with 1

TILE_NAMES = (UNUSED, *(text.split()[0] for text in TILES), "tile9", "tile10")
MARKET_NAMES = (UNUSED, *(f"M{number:02}" for number in range(1, MOST_MARKET + 1)))
OFFERING_NAMES = (UNUSED, *(f"O{number:02}" for number in range(1, MOST_OFFERINGS + 1)))
HERITAGE_NAMES = (UNUSED, *(f"H{number:02}" for number in range(1, MOST_HERITAGE + 1)))

# --- spaces and cubes --------------------------------------------------------------------------------------

SLOTS = (
    "a",
    "b",
    "c",
    "d",
    "camp",
)  # of a tile; the space of slot s of tile t is SPACES_OF_A_TILE * (t - 1) + s
SPACES_OF_A_TILE = len(SLOTS)
CAMP = SLOTS.index("camp")
TILE_SPACES = MOST_TILES * SPACES_OF_A_TILE
PITUK_SPACE, START_SPACE, GROW_SPACE = TILE_SPACES, TILE_SPACES + 1, TILE_SPACES + 2
SPACES = TILE_SPACES + 3
SPACE_NAMES = (
    *(f"{tile}.{slot}" for tile in TILE_NAMES[1:] for slot in SLOTS),
    *("pituk", "start_player", "grow"),
)
EVERY_CAMP = sum(1 << (SPACES_OF_A_TILE * tile + CAMP) for tile in range(MOST_TILES))
EVERY_SLOT = (1 << TILE_SPACES) - 1 & ~EVERY_CAMP  # masks of spaces, a bit each
EVERY_SPACE_OF_A_TILE = (1 << SPACES_OF_A_TILE) - 1
PYRAMID_SPACES = 1 << PITUK_SPACE | 1 << START_SPACE | 1 << GROW_SPACE
SLOT_NAMES = tuple(name for name in SPACE_NAMES[:TILE_SPACES] if not name.endswith(".camp"))

FAVOURS = ("reshuffle_market", "replace_offerings")
RESHUFFLE, REPLACE = 0, 1
CAMP_CUBES = MOST_TILES * MOST_OPTIONS  # option o of tile t is MOST_OPTIONS * (t - 1) + o
CUBES = CAMP_CUBES + len(FAVOURS)
CUBE_NAMES = (
    *(f"{tile}.{option}" for tile in TILE_NAMES[1:] for option in range(MOST_OPTIONS)),
    *(f"pituk.{favour}" for favour in FAVOURS),
)

OFFERING_WORKERS = 2
GROW_WORKERS = 2
MARKED_CAPACITY = 2  # workers on a marked space with four players
MOST_WORKERS = 8  # of a player, reserve included
MOST_ACTIONS = MOST_ROUNDS * MOST_PLAYERS * MOST_WORKERS  # of all days of a game
MOST_TOKENS = (
    1 << 15
) - 1  # VP of a player: an action brings MOST_GAINED at most, and the start 99
MOST_GAINED = 18  # VP that an action brings: 9 for a space, 9 for the card taken there


class Takes(IntEnum):
    """The card that an option of a space lets its player take or play."""

    NOTHING = 0
    MARKET = 1
    HERITAGE = 2


class Phase(IntEnum):
    """What the player to act decides."""

    NONE = 0  # the game is over
    HERITAGE = 1  # which card to play first, in secret
    DISCOVER = 2  # which tile to turn up
    DAY = 3  # one action with one or two workers
    RELEASE = 4  # which cube leaves the board


class Ending(IntEnum):
    """Why the game ended."""

    RUNNING = 0
    OFFERINGS = 1
    MAX_ROUNDS = 2
    STALL = 3
