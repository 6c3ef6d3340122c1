"""What was said between a run and the language models that played in it, beside its matches: talks.jsonl.

A line is a decision: match, line-up, player, entrant, step (the number of the action), and what `bots.chat` keeps.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.store.files import naming

TALKS = "talks.jsonl"


def keep_talks(folder: Path, talks: Iterable[Mapping[str, Any]]) -> None:
    """Add decisions to what was said in a run.

    Raises:
        DiskError: there is no room.
    """
    text = "".join(f"{json.dumps(one)}\n" for one in talks)
    if not text:
        return
    with naming(folder / TALKS), (folder / TALKS).open("a", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def read_talks(folder: Path, match_id: str = "") -> Iterator[dict[str, Any]]:
    """What was said in a run, or in one of its matches; of a match that was played twice the last time.

    A line that was cut off, as by a crash, is left out.
    """
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    file = folder / TALKS
    if not file.exists():
        return
    with file.open(encoding="utf-8") as stream:
        for line in stream:
            if match_id and match_id not in line:
                continue
            try:
                said = json.loads(line)
                found[said["match"], said["player"], said["step"]] = said
            except (ValueError, KeyError, TypeError):
                continue
    yield from (said for said in found.values() if match_id in ("", said["match"]))
