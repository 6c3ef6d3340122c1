"""Rules and what cites them: numbers that nothing cites, and citations of numbers that do not exist."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from arena.authoring.checks.folder import folder, rule_numbers
from arena.authoring.checks.sources import TESTS, source_files, syntax
from arena.authoring.scenarios import SCENARIOS, find_files, read_scenarios
from engines.core import Game

RANGE = re.compile(r"\bR(\d+)(?:\s*(?:-|–|to)\s*R?(\d+))?")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def rules_are_cited(game: Game) -> Iterator[str]:
    """Every rule of RULES.md is cited by a docstring, a comment, a scenario or a test, and no other number is."""
    here = folder(game)
    rules = here / "RULES.md"
    if not rules.is_file():
        return
    stated = rule_numbers(rules)
    cited = dict(citations(here))
    if unproven := [rule for rule in stated if not any(rule in found for found in cited.values())]:
        yield f"RULES.md: nothing cites {', '.join(unproven)}"
    for place, found in cited.items():
        if unknown := sorted(found - set(stated), key=lambda rule: int(rule[1:])):
            yield f"{place}: cites {', '.join(unknown)}, which RULES.md does not state"


def citations(here: Path) -> Iterator[tuple[str, set[str]]]:
    """Each place in a game's folder that may cite rules, with the rules that it cites."""
    for path in source_files(here):
        for line, text in remarks(path):
            yield f"{path.relative_to(here)}:{line}", cited_rules(text)
    for path in find_files([here / SCENARIOS]) if (here / SCENARIOS).is_dir() else []:
        for scenario in read_scenarios(path):
            place = f"{path.relative_to(here)}: {scenario.name!r}"
            yield place, cited_rules(" ".join(scenario.rule))
    for path in sorted((here / TESTS).rglob("*.py")):
        yield str(path.relative_to(here)), cited_rules(path.read_text(encoding="utf-8"))


def remarks(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a file with their first lines."""
    tree = syntax(path)
    if isinstance(tree, SyntaxError):
        return
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)) is not None:
            yield getattr(node, "lineno", 1), text
    with tokenize.open(path) as lines:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def cited_rules(text: str) -> set[str]:
    """Every rule a text names; "R3-R5" and "R3–5" name three, and so does test_r3_and_r4_r5."""
    names = re.findall(r"def (test_r\d\w*)", text)
    found = {f"R{number}" for name in names for number in re.findall(r"_r(\d+)(?=_)", name)}
    for first, last in RANGE.findall(text):
        found |= {f"R{number}" for number in range(int(first), int(last or first) + 1)}
    return found


CHECKS = (rules_are_cited,)
