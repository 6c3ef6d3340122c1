"""Tournaments between bots that play tabletop games: the API for notebooks and scripts.

    import arena

    run = arena.run("quickstart", workers=2)     # or arena.load("results/quickstart")
    run.standings                                # a data frame, as the CSV file beside it

Everything heavy is imported when it is first needed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.playing.containment import contained
from engines.errors import UserError

if TYPE_CHECKING:
    from arena.balance.opened import Analysis
    from arena.playing.positions import Rulebook
    from arena.results.stored import StoredRun


__all__ = ["UserError", "analyse", "game", "load", "match", "run"]


def load(folder: "Path | str") -> "StoredRun":
    """Open a stored run, finished or not.

    Args:
        folder: of the run, as `arena run` and `arena match` name it.

    Raises:
        UserError: there is no run, or a damaged one.

    Example:
        >>> run = arena.load("results/quickstart")
        >>> run.standings[["entrant", "elo", "win_share"]].columns.tolist()
        ['entrant', 'elo', 'win_share']
        >>> first = run.matches.iloc[0]
        >>> run.actions(first["id"]).columns.tolist()
        ['number', 'player', 'entrant', 'action', 'forced', 'seconds']
    """
    from arena.results import stored

    return stored.load(folder)


@contained
def run(
    config: "str | Path | Mapping[str, Any]",
    *,
    out: "Path | str | None" = None,
    workers: int | None = None,
    address: str | None = None,
    changes: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: bool = False,
    minutes: float | None = None,
    matches: int | None = None,
) -> "StoredRun":
    """Play the tournament of a config, as `arena run` does; what is stored already is not played again.

    Args:
        config: a YAML file, the name of one in configs/, or what such a file would hold.
        out: folder of the results; by default results/NAME.
        workers: processes that play; 0 = this one, None = one a core.
        address: of a Ray cluster to use instead.
        changes: values of the config to change, by path, e.g. {"bots[2].simulations": 64}.
        fresh: begin anew; old results move into old-N of the folder.
        progress: show a progress line.
        minutes, matches: begin no more deals after so long, or beyond so many matches in all.

    Raises:
        UserError: the config, or the folder, is wrong; one line.
        KeyboardInterrupt: it was stopped; what was played is stored.

    Example:
        >>> run = arena.run("quickstart", workers=0, changes={"deals": 2})
        >>> len(run.matches)
        24
    """
    from arena.results import tournaments

    return tournaments.play_config(
        config, out, workers, address, fresh, progress, changes or {}, minutes, matches
    )


@contained
def match(
    game: str,
    bots: Sequence[str],
    *,
    players: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    variant: Mapping[str, Any] | None = None,
    opening: int = 0,
    until: float | None = None,
    sprt: str | None = None,
    max_deals: int | None = None,
    out: "Path | str | None" = None,
    workers: int | None = None,
    fresh: bool = False,
    progress: bool = False,
    minutes: float | None = None,
    matches: int | None = None,
    top: int | None = None,
) -> "StoredRun":
    """Let bots meet in a round robin without a config, as `arena match` does.

    Args:
        game: a game's name or its folder.
        bots: as on the command line: "name", "name:key=value", "file.py:Class".
        players: at a table; by default the fewest, from two, that the game allows.
        deals: of each line-up, by default 100; every deal is played in every seating.
        seed: fixes every deal and every bot.
        variant: options that differ from the printed rules.
        opening: decisions that are played at random first.
        until: play until it is so sure (in per cent) which of two bots is stronger, or how more stand.
        sprt: "elo0,elo1": play until a ratio test has chosen one for the first bot.
        max_deals: with these, deals at most.
        top: with `until` and more than two bots: only who the first so many are.
        out, workers, fresh, progress, minutes, matches: as for `run`.

    Raises:
        UserError: names the argument, its value and what would be right.

    Example:
        >>> run = arena.match("connect_four", ["greedy", "random"], deals=5, workers=0)
        >>> run.standings["entrant"].tolist()
        ['greedy', 'random']
    """
    from arena.results import tournaments

    return tournaments.play_match(
        game,
        bots,
        players,
        deals,
        seed,
        variant,
        opening,
        until,
        sprt,
        max_deals,
        out,
        workers,
        fresh,
        progress,
        minutes,
        matches,
        top,
    )


@contained
def analyse(
    source: "str | Path",
    *,
    out: "Path | str | None" = None,
    workers: int | None = None,
    baseline: str | None = None,
    changes: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: bool = False,
) -> "Analysis":
    """Analyse the balance of a game, as `arena balance` does.

    Args:
        source: a balance config (file or name in configs/), which is played, or a stored run.
        baseline: of a stored run: the variant that the others are compared with.
        changes: of a config: values to change, by path.
        out, workers, fresh, progress: as for `run`.

    Raises:
        UserError: one line that says what to correct.

    Example:
        >>> analysis = arena.analyse("results/quickstart")
        >>> analysis.verdict.columns.tolist()
        ['game', 'variant', 'players', 'sentence', 'table']
        >>> sorted(analysis.tables)[:2]
        ['comparison', 'distributions']
    """
    from arena.balance import opened

    return opened.open_analysis(source, out, workers, baseline, fresh, progress, changes or {})


def game(name: str) -> "Rulebook":
    """A game to look at and to play by hand.

    Args:
        name: of a game (`arena games`), or its folder.

    Raises:
        UserError: names the nearest known game.

    Example:
        >>> position = arena.game("connect_four").start(seed=1)
        >>> position.legal(), position.text(3)
        ([0, 1, 2, 3, 4, 5, 6], 'drop 4')
        >>> position = position.play(3)
        >>> position.to_act, position.points, position.ranks
        (1, [0, 0], [1, 1])
        >>> position.view(1).to_dict()["discs"][-1]
        '...X...'
    """
    from arena.playing import positions

    return positions.find_rulebook(name)
