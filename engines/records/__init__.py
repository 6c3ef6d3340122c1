"""States as flat records: copying, comparing, and reading them as plain data, written once for all games."""

from engines.records.layout import (
    UNKNOWN_CARD,
    Bag,
    Codec,
    Custom,
    Derived,
    Grid,
    Layout,
    Pile,
    Rest,
    Words,
)
from engines.records.reading import to_dict
from engines.records.states import (
    HEADER,
    NOBODY,
    OVER,
    SEATS,
    Rng,
    State,
    View,
    copy,
    differences,
    equal,
    leaves,
)
from engines.records.writing import from_dict, unplaced, zones

__all__ = [
    "HEADER",
    "NOBODY",
    "OVER",
    "SEATS",
    "UNKNOWN_CARD",
    "Bag",
    "Codec",
    "Custom",
    "Derived",
    "Grid",
    "Layout",
    "Pile",
    "Rest",
    "Rng",
    "State",
    "View",
    "Words",
    "copy",
    "differences",
    "equal",
    "from_dict",
    "leaves",
    "to_dict",
    "unplaced",
    "zones",
]
