"""What a tuning has found, in words and tables: for the terminal, as CSV and as Markdown."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from arena.plan.columns import table
from arena.plan.identity import options_text, variant_label
from arena.plan.wording import counts_text, variant_text
from arena.results.cells import write_table
from arena.results.claims import sentence
from arena.results.report import escaped, markdown
from arena.statistics.claims import Claim
from arena.statistics.sentences import ELO, PP, Unit, Words, figure, spanned, told
from arena.statistics.shares import means_by_deal
from arena.store.files import write_text
from arena.store.provenance import package_version
from arena.tune import racing
from arena.tune.config import given_options
from arena.tune.course import CONFIRM, Tuned, rank, rungs_of
from arena.tune.importance import importances
from arena.tune.space import point_text, worded
from arena.tune.study import Trial
from bots.registry import find_kind, parse_bot

NAME = "tune"  # of the files
MOST_SHOWN = 10  # trials on the terminal and in Markdown
CAUTION = (
    "Gains of trials are differences of score on common deals, with 95 % intervals of each alone. The best of many "
    "have had luck: only the deals of the confirmation, by which nothing was chosen, say what is so."
)
IMPORTANCE = (
    "Share of the differences between trials that goes along with one option alone. The search looks where "
    "it hopes, and most trials are short: a hint where to look next, not a claim."
)


# --- sentences ------------------------------------------------------------------------------------


def title(tuned: Tuned) -> str:
    """'Connect Four, 2 players: better options for mcts?'."""
    spec = tuned.tuning.spec
    game = tuned.tuning.game
    label = variant_label(spec.variant)
    variant = "" if not spec.variant else f" ({variant_text(label)})"
    players = f", {counts_text([spec.players])}" if spec.players else ""
    return f"{game.title}{variant}{players}: better options for {kind_name(tuned)}?"


def kind_name(tuned: Tuned) -> str:
    """The kind of the bot."""
    return find_kind(tuned.tuning.spec.bot.bot)[0].name


def budget(tuned: Tuned) -> str:
    """' at 256 simulations': what the bot may spend on a decision, if it has such an option that was not searched."""
    tuning = tuned.tuning
    entry = tuning.spec.bot
    usual = tuning.game.defaults
    given = asdict(parse_bot(entry.bot, entry.parameters, entry.files, defaults=usual).parameters)
    seconds, simulations = given.get("seconds"), given.get("simulations")
    if seconds is not None and "seconds" not in tuning.start:
        return f" at {seconds:g} s a decision"
    if simulations is not None and "simulations" not in tuning.start:
        return f" at {simulations} simulations"
    return ""


def claim_text(tuned: Tuned, trial: Trial, made: Claim) -> str:
    """What may be said of one of the best: 'depth 0: +83 Elo [+60, +107] at 256 simulations, confirmed on ...'."""
    point = point_text(trial.point)
    behind = f"{budget(tuned)}, on {tuned.tuning.spec.confirm:,} new deals"
    words = Words(
        f"{point}: …",
        f"{point} is weaker than the start",
        f"{point} and the start are about equal",
        f"whether {point} is stronger than the start",
        of=behind.replace(", on", ", confirmed on") if rank(made) == 2 else behind,
    )
    return told(made, ELO, words, "+")


def answer(tuned: Tuned) -> str:
    """The sentence above everything."""
    asked = tuned.tuning.spec.trials
    if tuned.interrupted:
        if len(tuned.trials) >= asked:
            return "Not finished: all trials are played, the confirmation is not."
        return f"Not finished: {len(tuned.trials)} of {asked} trials are played."
    if not tuned.finalists:
        return (
            f"Nothing better was found: of {len(tuned.trials)} trials none that played all its deals "
            f"scored above the start ({point_text(tuned.tuning.start)})."
        )
    trial, made = tuned.finalists[0]
    said = claim_text(tuned, trial, made)
    return f"{said}." if rank(made) == 2 else f"Nothing better is confirmed: {said}."


def beside(tuned: Tuned) -> Iterator[str]:
    """The other sentences: of the other finalists, and what may be done now."""
    for trial, made in tuned.finalists[1:]:
        yield sentence(claim_text(tuned, trial, made))
    if tuned.interrupted or not tuned.finalists:
        return
    trial, made = tuned.finalists[0]
    if rank(made) == 2:
        yield f"To paste: {bot_line(tuned, trial)}"
    elif made.outcome == "undecided":
        yield f"To go on until it is sure: {duel_command(tuned, trial)}"


def bot_line(tuned: Tuned, trial: Trial | None = None) -> str:
    """The bot as `arena match` and configs take it: with the options of a trial, or as it starts."""
    entry = tuned.tuning.spec.bot
    _, options = find_kind(entry.bot)
    name = entry.bot.removesuffix(options).rstrip(":")
    point = tuned.tuning.start if trial is None else trial.point
    given = options_text({**given_options(tuned.tuning), **point})
    return f"{name}:{given}" if given else name


def duel_command(tuned: Tuned, trial: Trial) -> str:
    """The command that plays on, on deals of its own, until it is known who is stronger."""
    spec = tuned.tuning.spec
    players = f" --players {spec.players}" if spec.players else ""
    variant = f" --variant {variant_label(spec.variant)}" if spec.variant else ""
    opening = f" --opening {spec.opening}" if spec.opening else ""
    bots = f"'{bot_line(tuned, trial)}' '{bot_line(tuned)}'"
    seed = (spec.seed + 1) % (1 << 63)
    return f"arena match {spec.game} {bots}{players}{variant}{opening} --until 95 --seed {seed}"


def what(tuned: Tuned) -> str:
    """What was searched, in a line."""
    tuning, spec = tuned.tuning, tuned.tuning.spec
    names = [entry.name or entry.bot for entry in spec.against]
    met = "itself" if tuning.against_itself else ", ".join(names)
    space = "; ".join(f"{name} {text}" for name, text in tuning.space.plain().items())
    rungs = ", ".join(map(str, spec.deals))
    return (
        f"{spec.name}: {len(tuned.trials)} trials of {bot_line(tuned)} against {met}, "
        f"each on {rungs} deals while it did well. Searched: {space}."
    )


# --- tables ---------------------------------------------------------------------------------------


def trial_table(tuned: Tuned) -> pd.DataFrame:
    """One row a trial, the best first.

    deals: that it played. gain, gain_low, gain_high: its score less the start's on these deals, with a 95 % interval
    of its own. elo, elo_low, elo_high, claim: of the confirmation; the interval is that of all finalists together.
    """
    made = {trial.number: one for trial, one in tuned.finalists}
    rows = [trial_row(tuned, trial, made.get(trial.number)) for trial in tuned.trials]
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    clear = [rank(made[n]) if n in made else -1 for n in frame["trial"]]
    frame = frame.assign(clear=clear)
    order = ["clear", "elo", "deals", "gain"]
    frame = frame.sort_values(order, ascending=False, kind="stable")
    return frame.drop(columns="clear").reset_index(drop=True)


def trial_row(tuned: Tuned, trial: Trial, made: Claim | None) -> dict[str, Any]:
    """One trial of `trial_table`."""
    rungs = rungs_of(trial)
    own = racing.joined(rungs)
    gains = (
        own - racing.joined(tuned.start)[: len(own)]
        if rungs and tuned.start
        else np.full(1, np.nan)
    )
    mean, low, high = means_by_deal(gains[:, None], np.ones((len(gains), 1)))
    confirmed = (np.nan, np.nan, np.nan, "")
    if made is not None:
        confirmed = (made.estimate, made.low, made.high, made.outcome)
    return {
        "trial": trial.number,
        "batch": trial.batch + 1,
        "deals": len(own),
        "gain": float(mean[0]),
        "gain_low": float(low[0]),
        "gain_high": float(high[0]),
        **dict(zip(("elo", "elo_low", "elo_high", "claim"), confirmed, strict=True)),
        "like": str(trial.facts.get("like", "")),
        **{f"option_{name}": worded(value) for name, value in trial.point.items()},
    }


def shown_table(tuned: Tuned, most: int | None = None) -> pd.DataFrame:
    """The trials as people read them."""
    frame = trial_table(tuned)
    if frame.empty:
        return frame
    rows = frame.head(most) if most else frame
    options = {one.name: rows[f"option_{one.name}"] for one in tuned.tuning.space.dimensions}
    gains = rows[["gain", "gain_low", "gain_high"]].itertuples(index=False, name=None)
    elos = rows[["elo", "elo_low", "elo_high"]].itertuples(index=False, name=None)
    return pd.DataFrame(
        {
            "trial": rows["trial"],
            **options,
            "deals": rows["deals"],
            "gain (pp)": [span_cell(one, PP) for one in gains],
            "confirmed Elo": [span_cell(one, ELO) for one in elos],
        }
    )


def span_cell(ends: tuple[float, float, float], unit: Unit) -> str:
    """A number with its interval, without the unit, which the heading has; nothing without a number."""
    value, low, high = ends
    if np.isnan(value):
        return ""
    return spanned(value, low, high, replace(unit, word=""), "+")


def importance_table(tuned: Tuned) -> pd.DataFrame:
    """How much of the differences goes along with each option: name, share (percent), most first."""
    played = [trial for trial in tuned.trials if trial.values]
    found = importances(
        tuned.tuning.space,
        [trial.point for trial in played],
        [trial.values[0] for trial in played if trial.values],
    )
    rows = sorted(found.items(), key=lambda one: -one[1])
    return pd.DataFrame(
        {"name": [name for name, _ in rows], "share": [100 * share for _, share in rows]}
    )


# --- terminal and Markdown ------------------------------------------------------------------------


def text(tuned: Tuned) -> str:
    """The terminal's: the answer, the best trials, where everything is."""
    lines = [answer(tuned), *beside(tuned), ""]
    frame = shown_table(tuned, MOST_SHOWN)
    if len(frame):
        rows = [[str(cell) for cell in row] for row in frame.itertuples(index=False)]
        right = ("trial", "deals")
        lines += [table(rows, list(frame.columns), right=right, drop=("confirmed Elo",)), ""]
    return "\n".join(lines).strip()


def page_text(tuned: Tuned) -> str:
    """The Markdown page."""
    lines = [f"# {escaped(title(tuned))}", "", escaped(what(tuned)), ""]
    lines += [f"* {escaped(line)}" for line in (answer(tuned), *beside(tuned))]
    frame = shown_table(tuned, MOST_SHOWN)
    if len(frame):
        lines += ["", "## The best trials", "", markdown(frame), "", escaped(CAUTION)]
    moved = importance_table(tuned)
    if len(moved):
        shares = ", ".join(
            f"{name} {figure(share / 100, PP)} %" for name, share in moved.itertuples(index=False)
        )
        lines += ["", "## Which options moved it", "", escaped(f"{shares}. {IMPORTANCE}")]
    spec = tuned.tuning.spec
    how = f"Made by tabletop-arena {package_version()}: `arena tune {spec.name}`, seed {spec.seed}."
    where = f"The confirmation is the run `{CONFIRM}` in the folder of the tuning."
    return "\n".join([*lines, "", "---", "", f"{how} {where}"]) + "\n"


def write_tables(tuned: Tuned) -> None:
    """Write tune.csv and tune.md into the folder of a tuning."""
    write_table(tuned.folder / f"{NAME}.csv", trial_table(tuned))
    write_text(tuned.folder / f"{NAME}.md", page_text(tuned))
