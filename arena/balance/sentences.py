"""What each table of a balance analysis says in plain words: numbers with their intervals, and claims.

Whether something may be said is decided by `claim`; here are the words. The intervals of a family of claims
(`families`) are those shown, so that sentence, table and test agree.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from arena.balance.measures import ELO, SHARE
from arena.balance.seats import ALL, by_strength
from arena.balance.usage import SUBJECT
from arena.results.claims import claim_of, doubling_text, order_text, sentence, stronger_words
from arena.statistics import sentences
from arena.statistics.claims import POINTS_GAP, claim
from arena.statistics.sentences import PERCENT, PP, Unit, Words, doubt, figure, spanned, told

NAMED = 5  # things out of line, or differences, that a sentence names
SHARED = "shared first place"
MUCH_SHARED = (
    1 / 3
)  # of matches: where so many have no single first, that is what there is to say first
Row = dict[str, Any]


def unit_of(unit: str, change: bool = False) -> Unit:
    """How numbers of a measure's unit are written; percentages differ by points."""
    if unit == SHARE:
        return PP if change else PERCENT
    if unit == ELO:
        return sentences.ELO
    return Unit(" game points" if unit == "points" else f" {unit}" if unit else "")


def with_interval(value: float, low: float, high: float, unit: str, sign: str = "") -> str:
    """'54.1 % [52.9, 55.3]', with the unit of the measure; differences (with a sign) of shares in points."""
    return spanned(value, low, high, unit_of(unit, change=bool(sign)), sign)


def number(value: float, unit: str, sign: str = "") -> str:
    """A number in its unit: 54.1 for a share (the unit follows), 29 for Elo, three figures for the rest."""
    return figure(value, unit_of(unit), sign)


def shown(row: Row, unit: str, value: str = "value", low: str = "low", high: str = "high") -> str:
    """A row's value with its interval."""
    return with_interval(row[value], row[low], row[high], unit)


def records(table: pd.DataFrame) -> list[Row]:
    """Rows as dicts."""
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def known(table: pd.DataFrame, column: str = "low") -> list[Row]:
    """The rows that have an interval."""
    return records(table[table[column].notna()])


# --- one variant ----------------------------------------------------------------------------------


def sample_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """How much there is, and what limits all the rest."""
    for row in records(rows):
        text = f"{row['counted']} matches on {row['deals']} deals count"
        lost = row["matches"] - row["counted"]
        if lost:
            text += (
                f"; {lost} others do not: blocks that are not whole, {row['faults']} matches with"
                f" a fault, {row['repeated']} that repeat another move by move"
            )
        yield text + "."
        if row["deals"] < 10:
            yield "Fewer than 10 deals: there are no intervals, and so no claims."


def seat_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What seats win for the strongest bot, whether that matters, then how it changes with strength."""
    bots = by_strength(rows)
    found = known(rows[rows.bot == bots[0]], "win_share_low")
    for row in found[:1] if len(found) == 2 else found:
        yield sentence(headline(row))
    if found:
        yield sentence(order_text(found[0]))
        yield from seat_trend(rows, bots)
        yield from disagreement(rows, bots)


def headline(row: Row) -> str:
    """What a seat wins, and what it is worth."""
    bot = row["bot"]
    against = "an equal bot" if bot == ALL else f"itself, played by {bot}, the strongest bot"
    share = shown(row, SHARE, "win_share", "win_share_low", "win_share_high")
    return f"{row['side']} wins {share} against {against}: {shown(row, ELO, 'elo', 'elo_low', 'elo_high')}"


def seat_trend(rows: pd.DataFrame, bots: list[str]) -> Iterator[str]:
    """What the first seat is worth to each bot, weakest first."""
    side = rows.side.iloc[0]
    own = {row["bot"]: row for row in known(rows[rows.side == side], "win_share_low")}
    parts = [
        f"{bot} {shown(own[bot], SHARE, 'win_share', 'win_share_low', 'win_share_high')}"
        for bot in bots[::-1]
        if bot in own
    ]
    if len(parts) > 1:
        yield sentence(f"{side} by the strength of who plays, weakest first: {', '.join(parts)}")


def disagreement(rows: pd.DataFrame, bots: list[str]) -> Iterator[str]:
    """Whether the bot that fares most differently from the strongest in a seat really does."""
    found = known(rows[rows.bot.isin(bots[1:])], "more_low")
    if found:
        row = max(found, key=lambda each: abs(float(each["more"])))
        best = f"{row['bot']} against itself wins {{}} {bots[0]} does as {row['side']}"
        made = claim_of(row, "more", row["deals"], "paired by deal", margin=POINTS_GAP)
        words = Words(
            best.format("more often than"),
            best.format("less often than"),
            best.format("about as often as"),
            f"whether {best.format('more often than')}",
        )
        yield sentence(told(made, PP, words, "+"))


def small(p: float) -> str:
    """A p-value with two figures that mean something."""
    return f"{p:.2g}" if p >= 1e-4 else "< 0.0001"


def p_of(p: float) -> str:
    """A p-value in a sentence."""
    text = small(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def sharing_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """How often nobody is first alone, and how most matches end where that is often."""
    found = {row["measure"]: row for row in known(rows)}
    if shared := found.get(SHARED):
        capped = found["stopped by a cap"]
        yield f"First place is shared in {shown(shared, SHARE)} of matches, a cap stops {shown(capped, SHARE)}."
        ends = [row for name, row in found.items() if name.startswith("ends by ")]
        if ends and shared["value"] > MUCH_SHARED:
            most = max(ends, key=lambda row: float(row["value"]))
            yield f"Most often it {most['measure']}: {shown(most, SHARE)}."


def outcome_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Points, margin and length."""
    found = {row["measure"]: row for row in known(rows)}
    if margin := found.get("winning margin"):
        points = found["points of a player"]
        yield f"A player ends with {shown(points, 'points')}; the winner is ahead by {shown(margin, 'points')}."
    if beaten := found.get("target beaten"):
        yield f"The target is beaten in {shown(beaten, SHARE)} of matches."
    if turns := found.get("turns"):
        each, forced = found["decisions of a player"], found["forced actions"]
        yield (
            f"A match lasts {shown(turns, 'turns')} with {shown(each, 'decisions')} of each player;"
            f" {shown(forced, SHARE)} of actions are forced."
        )
    if legal := found.get("legal actions at a decision"):
        most = found["legal actions, 95th percentile"]
        yield f"A decision has {shown(legal, 'legal actions')}, seldom more than {shown(most, '')}."


def skill_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Each rung of the ladder against the one below."""
    for row in known(rows, "beats_below_low"):
        yield sentence(rung_text(row))


def rung_text(row: Row) -> str:
    """Whether a bot is stronger than the one below it."""
    elo = shown(row, ELO, "step", "step_low", "step_high")
    made = claim_of(
        row,
        "beats_below",
        int(row["met_deals"]),
        "share by deals",
        reference=0.5,
        margin=POINTS_GAP,
    )
    return told(made, PERCENT, stronger_words(row["bot"], row["below"], f" of wins, {elo}"))


def luck_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What more thinking is worth, and what luck decides."""
    found = {row["measure"]: row for row in known(rows)}
    if gain := found.get("Elo per doubling"):
        yield sentence(doubling_text(gain_row(gain), gain["deals"], "simulations"))
    parts = [
        (name, found.get(f"variance by {name}")) for name in ("the deal", "the seat", "strength")
    ]
    told_ = [f"{name} {part_text(row)}" for name, row in parts if row]
    if told_:
        yield f"Of who wins between the two strongest bots is explained: by {', by '.join(told_)}."


def gain_row(row: Row) -> Row:
    """The measure of what twice the simulations add, as `doubling_text` takes it."""
    return {"gain": row["value"], "gain_low": row["low"], "gain_high": row["high"]}


def part_text(row: Row) -> str:
    """A part of the variance: as large as it is, next to nothing, or none found and how large it may be."""
    ends = row["low"], row["high"]
    made = claim(row["value"], ends, deals=row["deals"], method="by deals", margin=POINTS_GAP)
    if made.outcome == "undecided":
        return f"none found for sure ({doubt(made, PERCENT)})"
    text = spanned(row["value"], *ends, PERCENT)
    return text if made.outcome == "differs" else f"next to nothing: {text}"


def drama_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Who leads when."""
    found = {row["measure"]: row for row in known(rows[rows.section == "drama"])}
    late, changes = found.get("winner leads for good from"), found.get("lead changes")
    if late and changes and changes["value"] == 0 == found["winner was behind"]["value"]:
        # As where points come with the end only.
        came = found["winner was behind"]
        yield (
            f"No match was seen in which the winner had been behind: {shown(came, SHARE)};"
            f" the winner takes the lead after {shown(late, SHARE)} of the match."
        )
        return
    if changes:
        yield f"The lead changes hands {shown(changes, 'times')} in a match."
    if late:
        behind = found["winner's largest deficit"]
        came = found["winner was behind"]
        yield (
            f"The winner takes the lead for good after {shown(late, SHARE)} of the match, having been"
            f" behind at some time in {shown(came, SHARE)} of matches and by {shown(behind, 'points')} at most."
        )


def usage_sentences(rows: pd.DataFrame, kind: str) -> Iterator[str]:
    """Which cards are out of line, or what kind of thing the game has instead."""
    own = rows[rows.family == SUBJECT].rename(columns={"subject": "name"})
    yield from out_of_line(own, "lift", kind, "users win")


def setup_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Which facts of the setup are out of line."""
    own = rows[rows.outcome == "win share"].assign(name=lambda t: t.fact + ": " + t.value)
    yield from out_of_line(own, "effect", "facts of the setup", "win")


def out_of_line(rows: pd.DataFrame, effect: str, what: str, verb: str) -> Iterator[str]:
    """The rows whose claim is that they differ, or the clearest where there is none; and how many are open."""
    tested = rows[rows.p_value.notna()]
    if not len(tested):
        return
    flagged = tested[tested.verdict.isin(["over", "under"])].sort_values("p_value")
    same = int((tested.verdict == "equivalent").sum())
    rest = len(tested) - len(flagged) - same
    others = f"{same} in line within {figure(POINTS_GAP, PP)} pp, {rest} undecided"

    def named(row: Row) -> str:
        span = spanned(row[effect], row["family_low"], row["family_high"], PP, "+")
        return f"{str(row['name']).replace('_', ' ')} ({span})"

    if not len(flagged):
        row = records(tested.loc[[tested.p_value.idxmin()]])[0]
        yield (
            f"None of {len(tested)} {what} is shown to be out of line (5 % false discoveries), {others};"
            f" the clearest is {named(row)}."
        )
        return
    first = ", ".join(named(row) for row in records(flagged.head(NAMED)))
    more = f" and {len(flagged) - NAMED} more" if len(flagged) > NAMED else ""
    yield (
        f"{len(flagged)} of {len(tested)} {what} are out of line (5 % false discoveries), {others}; {verb}"
        f" more or less than expected by: {first}{more}."
    )


def intervention_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What a ban costs."""
    for row in known(rows, "family_low"):
        yield sentence(ban_text(row))


def ban_text(row: Row) -> str:
    """What a ban does to the bot it strikes."""
    ends = row["par"] + row["family_low"], row["par"] + row["family_high"]
    made = claim(
        row["win_share"],
        ends,
        deals=row["deals"],
        method="share by deals",
        reference=row["par"],
        margin=POINTS_GAP,
    )
    without = f"{row['bot']} does {{}} without {row['subject'].replace('_', ' ')}"
    words = Words(
        without.format("better"),
        without.format("worse"),
        without.format("about as well"),
        f"whether {without.format('better or worse')}",
        of=f" of wins against itself with it, par {figure(row['par'], PERCENT)} %",
    )
    return told(made, PERCENT, words)


# --- against the baseline -------------------------------------------------------------------------


def comparison_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What a variant changes."""
    rows = rows[rows.family_low.notna()]
    if not len(rows):
        return
    counts = rows.verdict.value_counts()
    differs = rows[rows.verdict == "differs"]
    verb = "differs" if len(differs) == 1 else "differ"
    text = f"Against the baseline, {len(differs)} of {len(rows)} measures {verb} (Holm, 5 %)"
    text += named_changes(differs, NAMED)
    same = int(counts.get("equivalent", 0))
    verb = "is" if same == 1 else "are"
    yield f"{text}; {same} {verb} equivalent within the margins, {int(counts.get('undecided', 0))} undecided."


def named_changes(rows: pd.DataFrame, most: int) -> str:
    """': turns +0.41 turns [+0.10, +0.72]; ... and 2 more', the clearest changes of a comparison; nothing of none."""
    clearest = records(rows.sort_values("p_value", kind="stable").head(most))
    named = "; ".join(f"{row['measure']} {change_of(row)}" for row in clearest)
    more = f" and {len(rows) - most} more" if len(rows) > most else ""
    return f": {named}{more}" if named else ""


def change_of(row: Row) -> str:
    """How a measure differs, with the interval of its family."""
    return with_interval(row["difference"], row["family_low"], row["family_high"], row["unit"], "+")
