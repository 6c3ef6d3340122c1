"""What the documents say is true: boards, commands, configs, links."""

import re
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from arena.authoring.checks.folder import FILES
from arena.balance.config import read_balance, tournament_spec, variant_labels
from arena.balance.interventions import intervention_spec
from arena.cli import app
from arena.plan.spec import read_spec
from arena.plan.tournament import resolve
from arena.tune.variants.wanted import parse_search, read_search
from engines.core import game_names

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SEARCHES = sorted((ROOT / "configs").glob("search-*.yaml"))
BALANCE = sorted((ROOT / "configs").glob("balance-*.yaml"))


def test_the_readme_shows_the_published_board():
    for name, shown in re.findall(
        r"<!-- board: (\S+) -->\n(.*?)<!-- end of board -->", README, re.S
    ):
        board = (ROOT / name).read_text(encoding="utf-8")
        assert shown.strip(), name
        assert shown.strip() in board, name


def test_every_published_page_is_in_the_readme_and_has_its_html():
    published = sorted((ROOT / "results" / "leaderboards").glob("*.md"))
    for board in published:
        for file in (board, board.with_suffix(".html")):
            assert file.exists()
            assert f"(results/leaderboards/{file.name})" in README, file.name
    assert len(published) >= len(game_names())


def test_every_command_is_in_the_readme():
    for name in get_command(app).commands:
        assert f"`arena {name}" in README, name


def test_every_command_of_the_guide_for_authors_can_be_given():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = [
        line for block in re.findall(r"```\n(.*?)```", guide, re.S) for line in block.splitlines()
    ]
    commands = [line.partition("#")[0].split() for line in shown if line.startswith("arena ")]
    assert len(commands) >= 6
    for _, *words in commands:
        command = get_command(app)
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        options = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= options, words


def test_the_guide_for_authors_goes_through_every_file_of_a_game():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [
        name for name in (*FILES, "scenarios/") if f"**{name}" not in guide.replace("`", "")
    ] == []


@pytest.mark.parametrize("folder", ["", "docs", "results/leaderboards"])
def test_every_file_that_a_document_links_to_exists(folder):
    linked = [
        (document, target)
        for document in (ROOT / folder).glob("*.md")
        for target in re.findall(
            r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")
        )
    ]
    assert linked
    for document, target in linked:
        assert (document.parent / target).exists(), f"{document.name}: {target}"


@pytest.mark.parametrize("config", SEARCHES, ids=lambda path: path.stem)
def test_every_search_config_is_a_search(config):
    wanted = read_search(str(config))
    assert wanted.spec.name == config.stem
    assert wanted.space.holds(wanted.printed)


def test_the_search_in_the_docs_is_one_and_its_rungs_are_the_default():
    text = (ROOT / "docs" / "balance.md").read_text(encoding="utf-8")
    data = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.S)[1])
    wanted = parse_search(data)
    shown = data.pop("rungs")
    assert parse_search(data).rungs == wanted.rungs
    assert [rung["deals"] for rung in shown] == [rung.deals for rung in wanted.rungs]


@pytest.mark.parametrize("config", BALANCE, ids=lambda path: path.stem)
def test_every_balance_config_is_an_analysis(config):
    spec = read_balance(str(config))
    assert spec.name == config.stem
    tournament = resolve(tournament_spec(spec))
    assert tournament.reproducible
    assert list(tournament.games) == [spec.game]
    assert len(variant_labels(spec)) > 1
    intervention_spec(spec, None)


def test_the_config_in_the_readme_is_one(tmp_path):
    block = re.search(r"```yaml\n(.*?)```", README, re.S)
    file = tmp_path / "my.yaml"
    file.write_text(block[1], encoding="utf-8")
    assert resolve(read_spec(str(file))).spec.name == yaml.safe_load(block[1])["name"]


def test_the_ten_lines_in_the_readme_are_the_example():
    shown = re.search(r"# examples/ten_lines.py\n(.*?)```", README, re.S)[1]
    assert shown.strip() in (ROOT / "examples" / "ten_lines.py").read_text(encoding="utf-8")


def test_every_game_is_in_the_readme_and_has_rules():
    for name in game_names():
        assert (ROOT / "engines" / name / "RULES.md").is_file()
        assert name.replace("_", " ").title() in README
