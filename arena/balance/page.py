"""A balance analysis for the terminal, as CSV, and as a Markdown page to publish; all lead with the same sentences."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from arena.balance.analysis import COLUMNS, Balance
from arena.balance.lead import Said, first_screen
from arena.balance.more_deals import PAIRS, SEATS, has_more
from arena.balance.overview import (
    MARKS,
    MEANING,
    SHORT_LEGEND,
    frame_of,
    marks_of,
    own_rows,
)
from arena.balance.readable import LIMITS, MOST_ROWS, SECTIONS, clearest, table_title
from arena.balance.samples import NULL
from arena.balance.seats import by_strength
from arena.balance.sentences import records
from arena.balance.verdict import title, verdict
from arena.plan.wording import counts_text, variant_text
from arena.results.cells import write_table
from arena.results.rankings import aligned
from arena.results.report import escaped, markdown
from arena.store.files import write_text
from arena.store.record import chance_text

PREFIX = "balance_"
IN_SHORT = "In short"


def write_balance(balance: Balance) -> pd.DataFrame:
    """Write one CSV for each table and `balance.md` into the run folder; returns the verdict."""
    said = verdict(balance)
    tables = {name: getattr(balance, name) for name in COLUMNS}
    tables |= {"overview": first_screen(balance)[0], "verdict": said}
    for name, frame in tables.items():
        write_table(balance.folder / f"{PREFIX}{name}.csv", frame)
    write_text(balance.folder / "balance.md", page_text(balance, said))
    return said


def summary(balance: Balance, said: pd.DataFrame) -> str:
    """The lead, the overview and the verdict for the terminal; behind each sentence the CSV that backs it."""
    made, told = first_screen(balance)
    lines = [f"{one.sentence} [{', '.join(one.tables)}]" for one in told]
    if len(made):
        lines += ["", aligned(marks_of(made)), SHORT_LEGEND]
    for about in groups(said):
        lines += ["", named(balance, about)]
        lines += [f"  {row['sentence']} [{row['table']}]" for row in records(own_rows(said, about))]
    tables = f"tables: {balance.folder}/{PREFIX}*.csv, pages: {balance.folder}/balance.md and .html"
    seen = [f"everything is {balance.sampled_text}"] if balance.sampled_text else []
    return "\n".join([*lines, "", *seen, tables]).strip()


def groups(said: pd.DataFrame) -> list[dict[str, Any]]:
    """Variant and number of players of each part of the verdict, in order."""
    return records(said[["game", "variant", "players"]].drop_duplicates())


def named(balance: Balance, about: Mapping[str, Any]) -> str:
    """A part of the verdict as tables and options name it."""
    plain = {**about, "variant": "self-check" if about["variant"] == NULL else about["variant"]}
    mark = ", the baseline" if about["variant"] == balance.plan.baseline else ""
    return f"{title(plain)}{mark}"


def variant_name(balance: Balance, about: Mapping[str, Any]) -> str:
    """A variant in the words of its options."""
    if about["variant"] == NULL:
        return "self-check"
    mark = ", the baseline" if about["variant"] == balance.plan.baseline else ""
    return f"{variant_text(str(about['variant']))}{mark}"


def part_name(balance: Balance, about: Mapping[str, Any]) -> str:
    """'hand size 3, with 2 players'."""
    return f"{variant_name(balance, about)}, with {counts_text([about['players']])}"


def page_title(balance: Balance) -> str:
    """'Karmaka: is it balanced?'."""
    return f"{balance.game.title}: is it balanced?"


# --- Markdown -------------------------------------------------------------------------------------


def page_text(balance: Balance, said: pd.DataFrame) -> str:
    """The whole page: three sentences, one table, then the details."""
    parts = [f"# {escaped(page_title(balance))}", "", *leading(balance)]
    for about in groups(said):
        parts += [f"## {escaped(part_name(balance, about))}", ""]
        for row in records(own_rows(said, about)):
            parts.append(f"* {escaped(row['sentence'])} ({table_title(row['table'])})")
        parts.append("")
        for name, make in SECTIONS.items():
            rows = own_rows(getattr(balance, name), about)
            if len(rows):
                parts += [f"### {table_title(name).capitalize()}", "", LIMITS[name], ""]
                parts += [markdown(make(rows)), ""]
                parts += [cut] if (cut := left_out(name, rows)) else []
    return "\n".join([*parts, *provenance(balance)]).rstrip() + "\n"


def leading(balance: Balance) -> Iterator[str]:
    """What stands above everything in Markdown."""
    made, said = first_screen(balance)
    if not said:
        return
    yield from (f"## {IN_SHORT}", "")
    yield from (f"* {escaped(one.sentence)} ({behind(one)})" for one in said)
    yield from ("", "### Overview", "")
    yield markdown(frame_of(made, lambda about: variant_name(balance, about)))
    yield from ("", *(f"* {line}" for line in legend()), "")


def behind(one: Said) -> str:
    """The tables a sentence rests on, as pages call them."""
    return ", ".join(map(table_title, one.tables))


def legend() -> Iterator[str]:
    """What the columns and marks of the overview mean."""
    yield "; ".join(f"**{question}**: {text}" for question, text in MEANING.items()) + "."
    yield "; ".join(f"*{mark}*: {text}" for mark, text in MARKS.items()) + "."


def left_out(name: str, rows: pd.DataFrame) -> str:
    """What a section does not show."""
    if name not in ("usage", "setup"):
        return ""
    more = len(rows) - len(clearest(rows, MOST_ROWS))
    return f"{more} more in {PREFIX}{name}.csv.\n" if more else ""


def more_deals_text(balance: Balance) -> str:
    """On how many deals that rests which runs of their own tell of the baseline."""
    seats, made = (
        table[table.variant == balance.plan.baseline] for table in (balance.seats, balance.measures)
    )
    alone = seats[seats.bot == by_strength(seats)[0]] if len(seats) else seats
    told = []
    for inner, rows, what in (
        (SEATS, alone, "what seats win where a bot meets itself"),
        (
            PAIRS,
            made[made.measure == "variance by the deal"],
            "what rests on the two strongest bots alone",
        ),
    ):
        found = rows[["players", "deals"]].drop_duplicates().itertuples(index=False)
        own = ", ".join(
            f"{deals} with {counts_text([players])}"
            for players, deals in found
            if deals != balance.plan.deals.get(players, deals)
        )
        if own and has_more(balance.folder, inner):
            told.append(f"; in the baseline {what} is of deals of its own: {own}")
    return "".join(told)


def provenance(balance: Balance) -> Iterator[str]:
    """How the page was made, so that anybody can make it again."""
    record = balance.record
    command = record.spec.name if balance.spec is not None else str(balance.folder)
    rules = ", ".join(f"{name} `{game.rules}`" for name, game in record.games.items())
    bots = ", ".join(map(escaped, balance.plan.ladder))
    margins = balance.plan.margins
    told_of = f", everything here {balance.sampled_text}" if balance.sampled_text else ""
    yield from (
        "---",
        "",
        f"Made by tabletop-arena {record.version}: `arena balance {command}` ({chance_text(record.spec)}), "
        f"{balance.stored} of {balance.planned} matches{told_of}; bots, weakest first: {bots}; "
        f"at most {balance.plan.replays} matches of each variant re-played{more_deals_text(balance)}.",
        "",
        "95 % intervals with the deal as the unit: Wilson's for shares (effective sample size), Student's t for all "
        "else. Test and interval of a difference are one method: of shares the intervals of both (Newcombe), else 9999 "
        "exchanges of labels within deals, p = (b + 1) / (m + 1); Holm over the measures of one variant and number of "
        "players. A sentence says that something differs where the interval lies beside 0, that it is equivalent where "
        f"it lies within the margin ({100 * margins.share:g} percentage points (pp) of shares, {margins.elo:g} Elo, "
        f"{100 * margins.relative:g} % of all else), and else that it is undecided, and how many more deals would "
        "tell. Usage and setup: least squares within table, bot and seat, standard errors clustered by deal, "
        "Benjamini-Hochberg over each family.",
        "",
        f"Rules: {rules}.",
    )
