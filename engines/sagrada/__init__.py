"""Sagrada: draft dice, place them in a window, use tools (2-4 players, or one against a target)."""

from engines.core import Game, Preset

from . import (
    actions,
    costs,
    heuristic,
    hidden,
    observation,
    picture,
    rules,
    scoring,
    sources,
    state,
    tables,
    text,
)

GAME = Game(
    name="sagrada",
    title="Sagrada",
    players=(1, 2, 3, 4),
    Variant=state.Variant,
    dtype=state.STATE,
    actions=actions.ACTIONS,
    max_legal=actions.MOST_LEGAL,
    Ending=tables.Ending,
    blank=state.blank,
    deal=rules.deal,
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
    sources=sources.sources,
    costs=costs.costs,
    defaults={"mcts": {"rollout_depth": 0, "control": 1, "prior": 64}},
    presets=(
        Preset(
            "all-tools",
            (2,),
            state.Variant(
                rounds=4, tools=12, tokens_by_difficulty=False, tokens=12, first_player="random"
            ),
        ),
        Preset(
            "together",
            (2,),
            state.Variant(
                rounds=4,
                tools=2,
                fixed_tools=("Lathekin", "Tap Wheel"),
                tokens_by_difficulty=False,
                tokens=12,
                two_dice_moves="together",
            ),
        ),
        Preset(
            "solo-all-tools",
            (1,),
            state.Variant(rounds=5, solo_tools=12, solo_dice=9, fixed_windows=("Virtus",)),
        ),
        Preset(
            "short",
            (2,),
            state.Variant(
                rounds=3,
                dice_per_player=3,
                extra_dice=2,
                public_objectives=9,
                fixed_objectives=("Color Diagonals",),
                fixed_tools=("Flux Brush", "Flux Remover"),
                private_objectives=("Red", "Blue"),
                later_cost=1,
                gap_penalty=3,
                reveal_before_choice=True,
                returned_die_spends_draft=False,
            ),
        ),
    ),
    subjects=actions.SUBJECTS,
    features=text.features,
)
