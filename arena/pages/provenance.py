"""How a run was made: versions, code, rules, seed, machines, config, bots, and what makes it again."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pandas as pd
import yaml

from arena.pages.html import bullets, code, paragraph, table
from arena.plan.identity import salt_digest
from arena.plan.spec import public
from arena.results.findings import Findings
from arena.results.report import Tables
from arena.store.provenance import match_command, replay_command, run_command
from arena.store.record import RunRecord

METHODS = (
    "Elo: Bradley–Terry of who finished before whom, weak prior; intervals by deals, of the "
    "score's scale. Win share: first places for each seat played, shared by those that share the "
    "place. Usage: win share of the seats that used a thing, against what the same bots reach in "
    "the same seats."
)


def provenance(made: Tables, found: Findings, folder: Path) -> Iterator[str]:
    """All that it takes to make a run again, and how its numbers are made. folder: where the page will lie."""
    record = made.record
    yield (
        f'<div class="panel">{fact_list(record, matches_text(made))}{commands(made, folder)}'
        f"{bot_table(record)}{bullets(found.notes)}{config(record)}{paragraph(METHODS)}</div>"
    )


def fact_list(record: RunRecord, matches: str) -> str:
    """The facts about a run. matches: how many there are, in words."""
    entries = (f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in facts(record, matches))
    return f"<dl>{''.join(entries)}</dl>"


def config(record: RunRecord) -> str:
    """The config of a run, folded away."""
    text = yaml.safe_dump(public(record.spec), sort_keys=False, allow_unicode=True)
    return f"<details><summary>The config</summary><pre tabindex='0'>{escape(text)}</pre></details>"


def facts(record: RunRecord, matches: str) -> Iterator[tuple[str, str]]:
    """What there is to know about a run, with its name; as HTML."""
    again = "people played" if record.people else "budgets or a clock in seconds"
    if record.reproducible:
        source = "its spec.yaml" if record.spec.salt else "the same config"
        again = f"{source} gives the same matches"
    yield "tabletop-arena", escape(record.version)
    yield "code of the package", ", ".join(map(code, record.code))
    for name, game in record.games.items():
        yield f"rules of {name}", code(game.rules)
    yield "seed of the run", str(record.spec.seed)
    if record.spec.salt:
        yield "salt of the run", f"secret, digest {code(salt_digest(record.spec.salt))}"
    yield "matches", matches
    yield "reproducible", f"{'yes' if record.reproducible else 'no'}, {again}"
    yield "isolation of bots", escape(record.spec.isolation or "no bot needed any")
    for number, machine in enumerate(record.machines, 1):
        name = "played on" if len(record.machines) == 1 else f"played on, {number}"
        yield name, escape(machine.text)


def matches_text(made: Tables) -> str:
    """How many matches there are."""
    if made.decided:
        return f"{made.stored:,}, of {made.planned:,} at most: then the question was decided"
    return f"{made.stored:,} of {made.planned:,}"


def commands(made: Tables, page: Path) -> str:
    """The commands that play a run, or any match of it, again. page: the folder where the page will lie."""
    folder = shown_folder(made.folder, page)
    listed = [
        ("all of it again", run_command(folder)),
        ("any match again, compared with what is stored", match_command(folder)),
    ]
    if made.record.people:
        listed = [("any match, move by move", replay_command(folder, "MATCH"))]
    width = max(len(command) for _, command in listed)
    lines = "\n".join(f"{command.ljust(width)}  # {what}" for what, command in listed)
    return f"<pre tabindex='0'>{escape(lines)}</pre>"


def shown_folder(run: Path, page: Path) -> str:
    """A run's folder as it is typed from here; no path of this machine on a page that lies apart and so travels."""
    here, whole = Path.cwd(), run.resolve()
    if whole.is_relative_to(here):
        return str(whole.relative_to(here))
    return (
        str(run) if page.resolve() == whole else f"results/{whole.name}"
    )  # where `arena run` puts it


BOT_COLUMNS = ("bot", "kind", "parameters", "id", "source")


def bot_table(record: RunRecord) -> str:
    """The bots with all their parameters; source: digest of a bot's own files."""
    rows = [
        (
            entrant.name,
            entrant.bot,
            ", ".join(f"{k} {v}" for k, v in entrant.params.items() if v is not None),
            entrant.id,
            entrant.source_hash,
        )
        for entrant in record.entrants.values()
    ]
    frame = pd.DataFrame(rows, columns=list(BOT_COLUMNS))
    return table(frame, "Bots with all their parameters", left=BOT_COLUMNS)
