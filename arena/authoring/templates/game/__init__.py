"""Highest Card: rounds of one card each from hands that nobody else sees, for 2-4 players."""

from engines.core import Game, Preset

from . import actions, heuristic, hidden, observation, rules, scoring, state, tables, text

GAME = Game(
    name="highest_card",
    title="Highest Card",
    players=(2, 3, 4),
    Variant=state.Variant,
    dtype=state.STATE,
    actions=actions.ACTIONS,
    max_legal=actions.ACTIONS.size,
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
    presets=(Preset("small", (2,), state.Variant(highest=4, copies=2, hand_size=2, rounds=3)),),
    subjects=actions.SUBJECTS,
    features=text.features,
)
