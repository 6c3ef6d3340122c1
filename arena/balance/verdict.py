"""What the tables say in plain words. Every sentence names the table that backs it; no number without an interval."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.comparison import ALPHA
from arena.balance.measures import ELO, SHARE
from arena.balance.samples import NULL
from arena.balance.seats import ALL, by_strength
from arena.balance.usage import SUBJECT
from arena.results.report import heading

VERDICT = ("game", "variant", "players", "sentence", "table")
NAMED = 5  # things out of line, or differences, that a sentence names
SHARED = "shared first place"
MUCH_SHARED = (
    1 / 3
)  # of matches: where so many have no single first, that is what there is to say first
Row = dict[str, Any]


def verdict(balance: Balance) -> pd.DataFrame:
    """The verdict, one row for each sentence and the table it rests on."""
    rows: list[Row] = []
    for about in spoken_of(balance):
        rows += [{**about, **sentence} for sentence in sentences(balance, about)]
    for check in records(balance.null_check):
        rows.append({**{n: check[n] for n in VERDICT[:3]}, **null_sentence(check)})
    return pd.DataFrame(rows, columns=list(VERDICT))


def spoken_of(balance: Balance) -> list[Row]:
    """Variants and numbers of players in order; where first places are much shared, first those that change it."""
    found = records(balance.samples[list(VERDICT[:3])].drop_duplicates())

    def place(about: Row) -> int:
        if about["variant"] == balance.plan.baseline or not much_shared(balance, about):
            return 0
        own = of(balance.comparison, about)
        return 2 - bool(((own.measure == SHARED) & (own.verdict == "differs")).any())

    return sorted((about for about in found if about["variant"] != NULL), key=place)


def much_shared(balance: Balance, about: Row) -> bool:
    """Whether first places are much shared at this number of players, in one variant at least."""
    table = balance.measures
    own = (table.players == about["players"]) & (table.variant != NULL) & table.low.notna()
    return bool((table[own & (table.measure == SHARED)].value > MUCH_SHARED).any())


def sentences(balance: Balance, about: Row) -> Iterator[Row]:
    """The sentences of one variant at one number of players; where first places are much shared, those lead."""
    makers = [
        ("samples", sample_sentences),
        ("seats", seat_sentences),
        ("measures", sharing_sentences),
        ("measures", outcome_sentences),
        ("rungs", skill_sentences),
        ("measures", luck_sentences),
        ("measures", drama_sentences),
        ("usage", usage_sentences),
        ("setup", setup_sentences),
        ("interventions", intervention_sentences),
        ("comparison", comparison_sentences),
    ]
    if much_shared(balance, about):
        leading = (sample_sentences, sharing_sentences, comparison_sentences, outcome_sentences)
        makers.sort(key=lambda pair: leading.index(pair[1]) if pair[1] in leading else len(leading))
    for table, maker in makers:
        for text in maker(of(getattr(balance, table), about)):
            yield {"sentence": text, "table": table}


def of(table: pd.DataFrame, about: Row) -> pd.DataFrame:
    """The rows of one variant at one number of players."""
    same = [table[name] == value for name, value in about.items()]
    found: pd.DataFrame = table[same[0] & same[1] & same[2]]
    return found


def records(table: pd.DataFrame) -> list[Row]:
    """Rows as dicts."""
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


# --- numbers in words -----------------------------------------------------------------------------


def number(value: float, unit: str, sign: str = "") -> str:
    """A number in its unit: 54.1 for a share (the unit follows), 29 for Elo, three figures for the rest."""
    if unit == SHARE:
        value, digits = 100 * value, 1
    elif unit == ELO:
        digits = 0
    else:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"  # + 0.0 turns -0.0 into 0.0


def with_interval(value: float, low: float, high: float, unit: str, sign: str = "") -> str:
    """'54.1 % [52.9, 55.3]', with the unit of the measure."""
    word = {SHARE: " %", ELO: " Elo", "": ""}.get(unit, f" {unit}")
    ends = f"[{number(low, unit, sign)}, {number(high, unit, sign)}]"
    return f"{number(value, unit, sign)}{word} {ends}"


def told(row: Row, unit: str, value: str = "value", low: str = "low", high: str = "high") -> str:
    """A row's value with its interval."""
    return with_interval(row[value], row[low], row[high], unit)


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
    """Whether the order of play matters: to the strongest bot, then how that changes with strength."""
    bots = by_strength(rows)
    found = known(rows[rows.bot == bots[0]], "win_share_low")
    against = (
        "an equal bot" if bots[0] == ALL else f"itself, played by {bots[0]}, the strongest bot"
    )
    for row in found[:1] if len(found) == 2 else found:
        share = told(row, SHARE, "win_share", "win_share_low", "win_share_high")
        elo = told(row, ELO, "elo", "elo_low", "elo_high")
        clear = not row["win_share_low"] <= row["par"] <= row["win_share_high"]
        end = "" if clear else f": not told apart from {100 * row['par']:.1f} %"
        who = f"{row['side'][0].upper()}{row['side'][1:]}"
        yield f"{who} wins {share} against {against}: {elo}{end}."
    if found:
        p = found[0]["p_value"]
        word = "matters" if p < ALPHA else "is not shown to matter"
        yield f"The order of play {word} (test by deals, {p_of(p)})."
        yield from seat_trend(rows, bots)
        yield from disagreement(rows[rows.bot.isin(bots)])


def seat_trend(rows: pd.DataFrame, bots: list[str]) -> Iterator[str]:
    """What the first seat is worth to each bot, weakest first."""
    if len(bots) < 2:
        return
    side = rows.side.iloc[0]
    own = rows[rows.side == side].set_index("bot")
    parts = [
        f"{bot} {told(row, SHARE, 'win_share', 'win_share_low', 'win_share_high')}"
        for bot, row in own.loc[bots[::-1]].iterrows()
        if pd.notna(row["win_share_low"])
    ]
    if len(parts) > 1:
        yield f"{side[0].upper()}{side[1:]} by the strength of who plays, weakest first: {', '.join(parts)}."


def disagreement(rows: pd.DataFrame) -> Iterator[str]:
    """The first seat in which bots clearly fare differently."""
    for side in rows.side.unique():
        found = known(rows[rows.side == side], "win_share_low")
        least = min(found, key=lambda row: float(row["win_share_high"]), default=None)
        most = max(found, key=lambda row: float(row["win_share_low"]), default=None)
        if least and most and least["win_share_high"] < most["win_share_low"]:
            low, high = (
                told(row, SHARE, "win_share", "win_share_low", "win_share_high")
                for row in (least, most)
            )
            yield (
                f"Bots disagree about the seat: against itself as {side}, {most['bot']} wins {high},"
                f" {least['bot']} {low}."
            )
            return


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
        yield f"First place is shared in {told(shared, SHARE)} of matches, a cap stops {told(capped, SHARE)}."
        ends = [row for name, row in found.items() if name.startswith("ends by ")]
        if ends and shared["value"] > MUCH_SHARED:
            most = max(ends, key=lambda row: float(row["value"]))
            yield f"Most often it {most['measure']}: {told(most, SHARE)}."


def outcome_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Points, margin and length."""
    found = {row["measure"]: row for row in known(rows)}
    if margin := found.get("winning margin"):
        points = found["points of a player"]
        yield f"A player ends with {told(points, 'points')}; the winner is ahead by {told(margin, 'points')}."
    if beaten := found.get("target beaten"):
        yield f"The target is beaten in {told(beaten, SHARE)} of matches."
    if turns := found.get("turns"):
        each, forced = found["decisions of a player"], found["forced actions"]
        yield (
            f"A match lasts {told(turns, 'turns')} with {told(each, 'decisions')} of each player;"
            f" {told(forced, SHARE)} of actions are forced."
        )
    if legal := found.get("legal actions at a decision"):
        most = found["legal actions, 95th percentile"]
        yield f"A decision has {told(legal, 'legal actions')}, 95 in 100 at most {told(most, '')}."


def skill_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Each rung of the ladder against the one below."""
    for row in known(rows, "beats_below_low"):
        share = told(row, SHARE, "beats_below", "beats_below_low", "beats_below_high")
        step = told(row, ELO, "step", "step_low", "step_high")
        yield f"{row['bot']} wins {share} against {row['below']}: {step}."


def luck_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What more thinking is worth, and what luck decides."""
    found = {row["measure"]: row for row in known(rows)}
    if gain := found.get("Elo per doubling"):
        word = "gains" if gain["low"] > 0 else "is not shown to gain:"
        yield f"Twice the simulations {word} {told(gain, ELO)}."
    if deal := found.get("variance by the deal"):
        skill, seat = found["variance by strength"], found["variance by the seat"]
        yield (
            f"Between the two strongest bots the deal explains {told(deal, SHARE)} of who wins, the"
            f" seat {told(seat, SHARE)}, strength {told(skill, SHARE)}."
        )


def drama_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Who leads when."""
    found = {row["measure"]: row for row in known(rows[rows.section == "drama"])}
    late, changes = found.get("winner leads for good from"), found.get("lead changes")
    if late and changes and changes["value"] == 0 == found["winner was behind"]["value"]:
        # As where points come with the end only.
        yield f"Nobody overtakes a leader; the winner takes the lead after {told(late, SHARE)} of the match."
        return
    if changes:
        yield f"The lead changes hands {told(changes, 'times')} in a match."
    if late:
        behind = found["winner's largest deficit"]
        came = found["winner was behind"]
        yield (
            f"The winner takes the lead for good after {told(late, SHARE)} of the match, having been"
            f" behind at some time in {told(came, SHARE)} of matches and by {told(behind, 'points')} at most."
        )


def usage_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Which cards, tools, ... are out of line."""
    own = rows[rows.family == SUBJECT].rename(columns={"subject": "name"})
    yield from out_of_line(own, "lift", "subjects", "users win", SHARE)


def setup_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """Which facts of the setup are out of line."""
    own = rows[rows.outcome == "win share"].assign(name=lambda t: t.fact + ": " + t.value)
    yield from out_of_line(own, "effect", "facts of the setup", "win", SHARE)


def out_of_line(rows: pd.DataFrame, effect: str, what: str, verb: str, unit: str) -> Iterator[str]:
    """The flagged rows, or the largest effect where none is."""
    tested = rows[rows.p_value.notna()]
    if not len(tested):
        return
    flagged = tested[tested.verdict.isin(["over", "under"])].sort_values("p_value")

    def shown(row: Row) -> str:
        ends = (row[effect], row[f"{effect}_low"], row[f"{effect}_high"])
        return f"{row['name']} ({with_interval(*ends, unit, '+')})"

    if not len(flagged):
        row = records(tested.loc[[tested.p_value.idxmin()]])[0]
        yield (
            f"None of {len(tested)} {what} is out of line at 5 % FDR; the clearest is {shown(row)}."
        )
        return
    named = ", ".join(shown(row) for row in records(flagged.head(NAMED)))
    more = f" and {len(flagged) - NAMED} more" if len(flagged) > NAMED else ""
    yield (
        f"{len(flagged)} of {len(tested)} {what} out of line at 5 % FDR, {verb} more or less than"
        f" expected by: {named}{more}."
    )


def intervention_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What a ban costs."""
    for row in known(rows, "effect_low"):
        share = with_interval(
            row["win_share"], row["par"] + row["effect_low"], row["par"] + row["effect_high"], SHARE
        )
        yield (
            f"{row['bot']} that may not use {row['subject']} wins {share} against itself with it, par is"
            f" {100 * row['par']:.1f} %: {row['verdict']} (Holm {p_of(row['holm_p'])})."
        )


# --- against the baseline -------------------------------------------------------------------------


def comparison_sentences(rows: pd.DataFrame) -> Iterator[str]:
    """What a variant changes."""
    rows = rows[rows.low.notna()]
    if not len(rows):
        return
    counts = rows.verdict.value_counts()
    differs = rows[rows.verdict == "differs"].sort_values("p_value", kind="stable")
    named = []
    for row in records(differs.head(NAMED)):
        ends = (row["difference"], row["low"], row["high"])
        named.append(f"{row['measure']} {with_interval(*ends, row['unit'], '+')}")
    more = f" and {len(differs) - NAMED} more" if len(differs) > NAMED else ""
    text = f"Against the baseline, {len(differs)} of {len(rows)} measures differ (Holm, 5 %)"
    text += f": {'; '.join(named)}{more}" if named else ""
    same = int(counts.get("equivalent", 0))
    yield f"{text}; {same} are equivalent within the margins, {int(counts.get('unclear', 0))} unclear."


def null_sentence(check: Row) -> Row:
    """The self-check."""
    if check["verdict"] == "too few":
        text = "Self-check: too few p-values of a null variant."
    else:
        text = (
            f"Self-check, the baseline against itself on other deals: {check['below_5_percent']} of"
            f" {check['p_values']} p-values below 5 % (expected {0.05 * check['p_values']:.1f}), they look"
            f" {check['verdict']} (Kolmogorov-Smirnov {p_of(check['ks_p'])})."
        )
    return {"sentence": text, "table": "null_check"}


def title(about: Row) -> str:
    """A variant in words."""
    return heading((about["game"], about["variant"], about["players"]))
