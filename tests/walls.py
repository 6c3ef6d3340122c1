"""In which walls tests play bots that are contained: the best of this machine by default, in the full run both."""

import pytest

from arena.playing.containment import bubblewrap

MISSING = bubblewrap.problem()
SANDBOX = pytest.param("sandbox", marks=pytest.mark.skipif(bool(MISSING), reason=MISSING))
PROCESS = pytest.param("process", marks=[] if MISSING else [pytest.mark.full])
BEST = "process" if MISSING else "sandbox"
