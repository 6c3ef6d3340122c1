"""What a balance run says first: three sentences in a designer's words, for all variants and numbers of players.

Is it fair, and whom does it depend on? How does it play? Which cards are out of line, and which variant changes most?
Like all sentences they place claims (`statistics`) in words; every number stands with its interval in the tables named.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.measures import SHARE
from arena.balance.overview import (
    CARDS,
    FAIR,
    IN_LINE,
    OFF,
    TOO_FEW,
    UNDECIDED,
    Row,
    overview,
    own_rows,
)
from arena.balance.seats import by_strength
from arena.balance.sentences import (
    MUCH_SHARED,
    SHARED,
    change_of,
    known,
    records,
    shown,
)
from arena.balance.usage import SUBJECT
from arena.plan.wording import listed, variant_text
from arena.results.claims import claim_of, order_text, sentence
from arena.statistics.claims import ELO_GAP, POINTS_GAP, Claim, claim
from arena.statistics.sentences import ELO, PERCENT, PP, Words, spanned, told

ORDINAL = ("first", "second", "third", "fourth")
NAMED = 2  # cards, and numbers of players, that a sentence names


@dataclass(frozen=True)
class Said:
    """A sentence of the lead, and the tables it rests on."""

    sentence: str
    tables: tuple[str, ...]


@functools.lru_cache(maxsize=1)
def first_screen(balance: Balance) -> tuple[pd.DataFrame, tuple[Said, ...]]:
    """The overview and the sentences above it: made once for terminal, Markdown and page, which only read."""
    made = overview(balance)
    return made, tuple(lead(balance, made))


def lead(balance: Balance, made: pd.DataFrame) -> list[Said]:
    """The sentences; made: the table of `overview`. First of all that hardly anybody wins, where it is so."""
    found = [fairness(balance, made), play(balance, made), contents(balance, made)]
    if shared_of(balance, made):
        found[:2] = found[1::-1]
    return [each for each in found if each is not None]


def shared_of(balance: Balance, made: pd.DataFrame) -> Row | None:
    """How often first place is shared in the baseline with the first number of players, where that is much."""
    own = made[made.variant == balance.plan.baseline]
    if own.empty:
        return None
    found = known(own_rows(balance.measures, records(own)[0]))
    return next(
        (row for row in found if row["measure"] == SHARED and row["value"] > MUCH_SHARED), None
    )


def with_players(players: Sequence[int]) -> str:
    """'with 2 and 3 players'."""
    return f"with {listed([str(each) for each in players])} players"


def joined(clauses: Sequence[str]) -> str:
    """Clauses as one sentence."""
    said = sentence("; ".join(clauses))
    return said[:1].upper() + said[1:]


# --- is it fair? ----------------------------------------------------------------------------------


def fairness(balance: Balance, made: pd.DataFrame) -> Said | None:
    """Which seats win more, whether bots of other strength agree, and whether a variant cures it."""
    cells = made[made.question == FAIR]
    own = records(cells[cells.variant == balance.plan.baseline])
    if not own:
        return None
    by_mark = {mark: [row for row in own if row["mark"] == mark] for mark in set(cells.mark)}
    off = sorted(by_mark.get(OFF, []), key=lambda row: -row["value"])
    clauses: list[str] = []
    for place, cell in enumerate(off[:NAMED]):
        clauses += seat_clauses(balance, cell, first=place == 0)
    if off:
        clauses += cures(records(cells[cells.players == off[0]["players"]]), balance.plan.baseline)
    clauses += open_seats(balance, by_mark.get(UNDECIDED, []), bool(off))
    if alike := by_mark.get(IN_LINE, []):
        widest = max(alike, key=lambda row: float(row["high"]))
        span = spanned(widest["value"], widest["low"], widest["high"], PP)
        many = [row["players"] for row in alike]
        clauses.append(f"{with_players(many)} all seats win about alike ({span} off par at most)")
    if few := by_mark.get(TOO_FEW, []):
        clauses.append(
            f"{with_players([row['players'] for row in few])} too few deals to say who wins"
        )
    if not off:
        clauses += unfair_variants(cells, balance.plan.baseline)
    return Said(joined(clauses), ("seats", "overview"))


def seat_clauses(balance: Balance, cell: Row, first: bool) -> Iterator[str]:
    """Who wins more with this many players, and what weaker bots make of it."""
    rows = own_rows(balance.seats, cell)
    bots = by_strength(rows)
    own = known(rows[rows.bot == bots[0]], "win_share_low")
    best = max(own, key=lambda row: float(row["win_share"] - row["par"]))
    made = claim_of(best, "win_share", best["deals"], "share by deals", reference=best["par"])
    players = with_players([cell["players"]])
    if made.outcome != "differs":  # all seats together differ, though no single one for sure
        yield f"{players} {order_text(best)}"
        return
    side = seat_words(best["side"])
    par = f", par {100 * best['par']:.1f} %"
    said = f"{players} {side} wins …"
    yield told(made, PERCENT, Words(said, said, "", "", of=f" between the strongest bots{par}"))
    if first and len(bots) > 1:
        yield weaker(rows[rows.side == best["side"]], bots[1:], best["par"])


def seat_words(side: str) -> str:
    """'the second player' for 'player 2'; a side of several as it is called."""
    kind, _, number = side.partition(" ")
    return f"the {ORDINAL[int(number) - 1]} player" if kind == "player" else side


def weaker(rows: pd.DataFrame, bots: Sequence[str], par: float) -> str:
    """What bots below the strongest make of the seat that wins more: reversed, less, more, or the same."""
    own = known(rows[rows.bot.isin(bots)], "win_share_low")
    claims = [
        claim_of(row, "win_share", row["deals"], "share by deals", reference=par) for row in own
    ]
    turned = [row for row, made in zip(own, claims, strict=True) if differs(made, above=False)]
    if turned:
        row = min(turned, key=lambda each: float(each["win_share"]))
        share = shown(row, SHARE, "win_share", "win_share_low", "win_share_high")
        return f"weaker bots reverse it ({row['bot']}: {share})"
    change = [
        claim_of(row, "more", row["deals"], "paired by deal") for row in known(rows, "more_low")
    ]
    if any(differs(made, above=False) for made in change):
        return "it grows with skill"
    if any(differs(made, above=True) for made in change):
        return "weaker bots show more of it"
    if claims and all(differs(made, above=True) for made in claims):
        return "weaker bots show it too"
    return "whether weaker bots show it is undecided"


def differs(made: Claim, above: bool) -> bool:
    """Whether a claim is that something differs, to this side."""
    return made.outcome == "differs" and made.above == above


def cures(cells: Sequence[Row], baseline: str) -> Iterator[str]:
    """Whether a variant makes fair what is not, at one number of players."""
    tried = [row for row in cells if row["variant"] != baseline]
    cured = [variant_text(row["variant"]) for row in tried if row["mark"] == IN_LINE]
    open_ = [row for row in tried if row["mark"] in (UNDECIDED, TOO_FEW)]
    if cured:
        yield f"{listed(cured)} {'cures' if len(cured) == 1 else 'cure'} it"
    elif tried and not open_:
        yield "no variant tried cures it"
    elif tried:
        open_text = f"{len(open_)} of {len(tried)} {'is' if len(open_) == 1 else 'are'} undecided"
        yield f"no variant tried is shown to cure it ({open_text})"


def open_seats(balance: Balance, cells: Sequence[Row], more: bool) -> Iterator[str]:
    """The numbers of players with which nobody knows yet."""
    if not cells:
        return
    many = with_players([row["players"] for row in cells])
    if more or len(cells) > 1:
        yield f"{many} it is undecided whether the order of play matters"
        return
    rows = own_rows(balance.seats, cells[0])
    row = records(rows[rows.bot == by_strength(rows)[0]])[0]
    yield f"{many} {order_text(row)}"


def unfair_variants(cells: pd.DataFrame, baseline: str) -> Iterator[str]:
    """Variants that are off where the baseline is not."""
    off = cells[(cells.variant != baseline) & (cells.mark == OFF)]
    names = [variant_text(label) for label in off.variant.unique()]
    if names:
        count = cells.variant.nunique() - 1
        yield f"of {count} variants tried, {listed(names)} {'is' if len(names) == 1 else 'are'} not fair"


# --- how does it play? ----------------------------------------------------------------------------


def play(balance: Balance, made: pd.DataFrame) -> Said | None:
    """Length, depth, luck and comebacks of the baseline with the first number of players."""
    own = made[made.variant == balance.plan.baseline]
    if own.empty:
        return None
    about = records(own)[0]
    rows = own_rows(balance.measures, about)
    found = {row["measure"]: row for row in known(rows)}
    players = f"{with_players([about['players']])} " if own.players.nunique() > 1 else ""
    clauses = []
    if shared := shared_of(balance, made):
        clauses.append(f"{players}nobody wins alone in {shown(shared, SHARE)} of matches")
        players = ""
    if turns := found.get("turns"):
        clauses.append(f"{players}a match lasts {shown(turns, 'turns')}")
    if gain := found.get("Elo per doubling"):
        clauses.append(told(brief(gain, ELO_GAP), ELO, THINKING))
    if deal := found.get("variance by the deal"):
        clauses.append(told(brief(deal, POINTS_GAP), PERCENT, LUCKY))
    if came := found.get("winner was behind"):
        clauses.append(f"the winner had been behind in {shown(came, SHARE)} of matches")
    return Said(joined(clauses or ["too few deals to say how it plays"]), ("measures",))


THINKING = Words(
    "thinking pays: twice the simulations add …",
    "thinking does not pay: twice the simulations cost strength",
    "thinking hardly pays",
    "whether thinking pays",
    of=" on average",
)
LUCKY = Words(
    "the deal decides …",
    "",
    "the deal decides next to nothing",
    "how much the deal decides",
    of=" of who wins",
)


def brief(row: Row, margin: float) -> Claim:
    """The claim of a measure, without how many more deals would tell: the details say that."""
    ends = row["low"], row["high"]
    made = claim(row["value"], ends, deals=row["deals"], method="by deals", margin=margin)
    return replace(made, more_deals=math.nan)


# --- what is out of line, and what do variants change? --------------------------------------------


def contents(balance: Balance, made: pd.DataFrame) -> Said | None:
    """The cards out of line in the baseline, and the variant that changes most."""
    clauses = [*cards_clause(balance, made), *changes_clause(balance)]
    return Said(joined(clauses), ("usage", "comparison")) if clauses else None


def cards_clause(balance: Balance, made: pd.DataFrame) -> Iterator[str]:
    """Which cards are out of line where most are, among the baseline's numbers of players."""
    own = made[(made.variant == balance.plan.baseline) & (made.question == CARDS)]
    if own.empty:
        return
    kind = balance.game.subjects.kind
    cell = max(records(own), key=lambda row: (row["value"], -row["players"]))
    players = f"{with_players([cell['players']])} " if len(own) > 1 else ""
    if cell["mark"] == TOO_FEW:
        yield f"too few deals to say which {kind} are out of line"
        return
    rows = own_rows(balance.usage, cell)
    off = rows[(rows.family == SUBJECT) & rows.verdict.isin(["over", "under"])]
    if off.empty:
        open_ = "" if cell["high"] == 0 else f", {cell['high']:.0f} undecided"
        yield f"{players}none of {cell['of']:.0f} {kind} is shown to be out of line{open_}"
        return
    first = records(off.reindex(off.lift.abs().sort_values(ascending=False).index))[:NAMED]
    named = listed([lift_words(row) for row in first])
    verb = "is" if len(off) == 1 else "are"
    yield f"{players}{len(off)} of {cell['of']:.0f} {kind} {verb} out of line, farthest {named}"


def lift_words(row: Row) -> str:
    """'thievery (users win +3.0 pp [+1.6, +4.3])'."""
    span = spanned(row["lift"], row["family_low"], row["family_high"], PP, "+")
    return f"{row['subject'].replace('_', ' ')} (users win {span})"


def changes_clause(balance: Balance) -> Iterator[str]:
    """The variant of which most measures differ from the baseline's, and its clearest change."""
    table = balance.comparison
    rows = table[table.variant.isin(balance.plan.variants) & table.family_low.notna()]
    if rows.empty:
        return
    counts = [
        (int((part.verdict == "differs").sum()), part)
        for _, part in rows.groupby(["variant", "players"], sort=False)
    ]
    most, part = max(counts, key=lambda each: each[0])
    count = rows.variant.nunique()
    if not most:
        yield f"nothing is shown to change in {'the variant' if count == 1 else f'the {count} variants'} tried"
        return
    row = records(part[part.verdict == "differs"].sort_values("p_value", kind="stable"))[0]
    also = f" {with_players([row['players']])}" if rows.players.nunique() > 1 else ""
    text = f"{most} of {len(part)} measures {'differs' if most == 1 else 'differ'}"
    which = f"of {count} variants " if count > 1 else ""
    which += f"{variant_text(row['variant'])}{also} changes {'most' if count > 1 else 'something'}"
    yield f"{which}: {text}, first of all {row['measure']} {change_of(row)}"
