"""Connect Four: the small reference game, yardstick and tutorial (CONTRIBUTING.md walks through it)."""

from engines.core import Game, Preset

from . import actions, heuristic, hidden, observation, picture, rules, scoring, state, tables, text

GAME = Game(
    name="connect_four",
    title="Connect Four",
    players=(2,),
    Variant=state.Variant,
    dtype=state.STATE,
    actions=actions.ACTIONS,
    max_legal=tables.MOST_COLUMNS,
    Ending=tables.Ending,
    blank=state.blank,
    deal=state.deal,
    legal_actions=rules.legal_actions,
    apply=rules.apply,
    witnesses=hidden.witnesses,
    observe=hidden.observe,
    determinize=hidden.determinize,
    points=scoring.points,
    ranks=scoring.ranks,
    ending=scoring.ending,
    turns=scoring.turns,
    key=hidden.key,
    evaluate=heuristic.evaluate,
    layout=text.LAYOUT,
    render=text.render,
    observation=observation.observation,
    picture=picture.picture,
    defaults={"mcts": {"exploration": 0.8, "rollout_depth": 4, "prior": 48}},
    perfect_information=True,
    presets=(
        Preset("small", (2,), state.Variant(rows=4, columns=5, connect=3)),
        Preset("large", (2,), state.Variant(rows=7, columns=8, connect=5)),
    ),
    subjects=actions.SUBJECTS,
)
