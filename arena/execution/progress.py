"""How far a run is: a bar that moves on a terminal, one plain line a minute elsewhere."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, TextIO

import numpy as np
from rich.cells import cell_len
from tqdm import tqdm

from arena.execution.tally import LEAST_NAME, NAME_WIDTH, SHOWN, Tally
from arena.plan.wording import time_text

EVERY = 60.0  # seconds between two plain lines
UNKNOWN_WIDTH = 80  # columns of a terminal that does not tell
BAR_WIDTH = 12
BAR, PERCENT = f"{{percentage:3.0f}} %|{{bar:{BAR_WIDTH}}}| ", "{percentage:3.0f} %, "
COLUMNS_OF = {BAR: BAR_WIDTH + 8, PERCENT: 7, "": 0}


class Form(NamedTuple):
    """What a line tells besides matches, faults and the leader."""

    before: str = ""  # bar, percentage or nothing
    words: bool = False  # "matches", "leading:"
    rate: bool = False
    left: bool = True
    leaders: int = 1
    name: int = NAME_WIDTH


WHOLE = Form(BAR, words=True, rate=True, leaders=SHOWN)
FORMS = (  # what gives way first is what tells least: who leads is what people look for
    WHOLE,
    WHOLE._replace(before=PERCENT),
    Form(PERCENT, rate=True, leaders=SHOWN),
    Form(rate=True, leaders=SHOWN),
    Form(leaders=SHOWN),
    Form(rate=True, leaders=2),
    Form(leaders=2),
    Form(rate=True),
    Form(),
    Form(left=False),
    Form(left=False, name=LEAST_NAME),
)


class Progress:
    """Counts what comes in and shows matches, rate, time left, faults and leaders."""

    COLUMNS = (*Tally.COLUMNS, "fault_seat")  # of results, that it looks at

    def __init__(
        self,
        names: Mapping[str, str],
        done: int,
        total: int,
        shown: bool,
        file: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with `done` of `total` matches. names: of the entrants, by id; shown: whether anybody is told."""
        self.done, self.total, self.faults = done, total, 0
        self._tally = Tally(names)
        self._stored, self._clock = done, clock
        self._began = self._told = clock()
        self._file = sys.stderr if file is None else file
        moves = self._file.isatty()
        self._plain = shown and not moves
        self._bar: tqdm[Any] = tqdm(
            total=total,
            initial=done,
            bar_format=BAR + "{desc}",
            disable=not (shown and moves),
            file=self._file,
            dynamic_ncols=True,
            mininterval=0.5,
        )

    def __enter__(self) -> "Progress":
        """Nothing is shown before the first result."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the last state of the bar."""
        self._describe()
        self._bar.close()

    def take(self, entrants: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Count faults and wins of a batch of one line-up, as its columns of results."""
        self.faults += int((np.asarray(columns["fault_seat"]) >= 0).sum())
        self._tally.add(entrants, columns)

    def show(self, new: int, total: int) -> None:
        """So many matches are new (perhaps none, but time has passed), of `total` that are to be played by now."""
        self.done, self.total = self.done + new, total
        now = self._clock()
        if self._plain and now - self._told >= EVERY:
            self._told = now
            print(self.text(), file=self._file, flush=True)
        if not self._bar.disable:
            self._bar.total = total
            self._describe()
            self._bar.update(new)

    def _describe(self) -> None:
        """Give the bar the form that fits the terminal, as wide as it is now."""
        if self._bar.disable:
            return
        width = self._bar.format_dict["ncols"]
        form = self.form(width if width and width > 0 else UNKNOWN_WIDTH)
        self._bar.bar_format = form.before + "{desc}"
        self._bar.set_description_str(self.text(form), refresh=False)

    def form(self, width: int) -> Form:
        """What a line of so many columns has room for; the least there is where nothing fits."""
        fitting = (f for f in FORMS if COLUMNS_OF[f.before] + cell_len(self.text(f)) <= width)
        return next(fitting, FORMS[-1])

    def text(self, form: Form = WHOLE) -> str:
        """'1,234 of 6,000 matches, 35/s, 2 minutes left, 1 fault, leading: greedy 61%, random 39%'."""
        new = self.done - self._stored
        seconds = max(self._clock() - self._began, 1e-9)
        parts = [f"{self.done:,} of {self.total:,}{' matches' * form.words}"]
        if new:
            rate, left = new / seconds, self.total - self.done
            paced = f"{rate:,.0f}/s" if rate >= 10 else f"{60 * rate:.3g} a minute"
            parts += [paced] if form.rate else []
            parts += [f"{time_text(left / rate)} left"] if left and form.left else []
        parts.append(
            f"{self.faults:,} fault{'s' * (self.faults != 1)}" if self.faults else "no faults"
        )
        leaders = self._tally.text(form.leaders, form.name)
        said = f"leading: {leaders}" if form.words else leaders
        return ", ".join([*parts, *([said] if leaders else [])])
