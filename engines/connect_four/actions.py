"""The actions: one disc into one column."""

from engines.actions import ActionTable, Field, Kind
from engines.core import Subjects

from .tables import MOST_COLUMNS

COLUMNS = tuple(str(number) for number in range(1, MOST_COLUMNS + 1))

ACTIONS = ActionTable([Kind("drop {column}", (Field("column", COLUMNS),))])

SUBJECTS = Subjects(
    names=tuple(f"column {name}" for name in COLUMNS),
    of_action=lambda action: (action,),
    kind="columns",
)
