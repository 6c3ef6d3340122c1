"""What a fit of weights says: on the terminal, as evaluate.md, and as a diff of heuristic.py."""

from collections.abc import Iterator
from pathlib import Path

from arena.results.claims import sentence, stronger_words
from arena.statistics.sentences import PERCENT, spanned, told
from arena.statistics.shares import elo_of_score
from arena.store.files import write_text
from arena.tune.evaluate import Evaluated, mixed
from arena.tune.pasting import diff_of, meanings, source_of
from engines.texts import clean
from engines.weights import declared

PAGE, DIFF = "evaluate.md", "heuristic.diff"
LONGEST = 200  # letters of what a weight means
OF_WINS = " of wins"


def write_files(made: Evaluated, folder: Path) -> None:
    """Write the page, and the diff if weights were confirmed."""
    write_text(folder / PAGE, "\n".join(page(made)) + "\n")
    if is_better(made):
        write_text(folder / DIFF, diff(made))


def is_better(made: Evaluated) -> bool:
    """Whether other weights are surely better than today's."""
    found = made.confirmed
    return found is not None and found.outcome == "differs" and found.above


def diff(made: Evaluated) -> str:
    """What changes in the heuristic."""
    return diff_of(made.game.evaluate, made.weights, f"engines/{made.game.name}/heuristic.py")


def summary(made: Evaluated) -> Iterator[str]:
    """What came of it, in sentences."""
    old, new = made.fit.tested
    positions, decisions = made.tested
    yield (
        f"Of what was not fitted to, the loss of {positions} positions (how they end) is {old.results:.4f} with "
        f"today's weights and {new.results:.4f} with the fitted ones, that of {decisions} decisions (what the search "
        f"chose) {old.choices:.4f} and {new.choices:.4f}."
    )
    for one in made.tried:
        found = one.claim
        span = spanned(found.estimate, found.low, found.high, PERCENT)
        yield f"Mixture {one.mixture:g} against today's weights on {found.deals} deals: {span}{OF_WINS}."
    if made.interrupted:
        return
    if made.confirmed is None:
        yield "No mixture won more than half of its matches; today's weights stay."
        return
    words = stronger_words(f"the mixture {made.best:g}", "today's weights", OF_WINS)
    elo = float(elo_of_score(made.confirmed.estimate))
    text = sentence(told(made.confirmed, PERCENT, words))
    yield f"On {made.confirmed.deals} fresh deals: {text[:-1]} ({elo:+.0f} Elo)."
    if not is_better(made):
        yield "So today's weights stay."


def page(made: Evaluated) -> Iterator[str]:
    """The page, line by line."""
    plan, game = made.plan, made.game
    yield f"# Weights of {game.title}"
    yield ""
    source = plan.run or f"{plan.matches} matches of mcts:simulations={plan.teacher} with itself"
    yield (
        f"Fitted to {clean(source, LONGEST)}; play with mcts:simulations={plan.simulations}; seed {plan.seed}, "
        f"pull {plan.pull:g}."
    )
    yield ""
    yield from (f"* {line}" for line in summary(made))
    yield ""
    yield "| weight | today | fitted | best | what it means |"
    yield "|---|---:|---:|---:|---|"
    said = meanings(source_of(game.evaluate))
    fitted = mixed(game, made.fit.weights, 1.0)
    for one in declared(game.evaluate):
        meaning = clean(said.get(one.constant, ""), LONGEST).replace("|", "\\|")
        numbers = f"{one.value:g} | {fitted[one.name]:g} | {made.weights[one.name]:g}"
        yield f"| {one.name} | {numbers} | {meaning} |"
    if is_better(made):
        yield ""
        yield f"To take them over (`git apply {DIFF}`):"
        yield ""
        yield "```diff"
        yield diff(made).rstrip("\n")
        yield "```"
