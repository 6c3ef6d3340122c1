"""Write tests/playthroughs anew: `python tests/regenerate_playthroughs.py [GAME...]`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("NO_COLOR", "1")  # the playthroughs are plain text

from arena.authoring.checks.walks import settings
from arena.authoring.playthroughs import playthrough
from engines.core import game_names, load_game

FOLDER = Path(__file__).parent / "playthroughs"


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or game_names():
        wanted = {f"{s.name}.txt": s for s in settings(load_game(name))}
        for stale in FOLDER.glob(f"{name}-*.txt"):
            if stale.name not in wanted:
                stale.unlink()
        for file, setting in wanted.items():
            (FOLDER / file).write_text(playthrough(setting), encoding="utf-8")
            print(f"tests/playthroughs/{file}")


if __name__ == "__main__":
    main(sys.argv[1:])
