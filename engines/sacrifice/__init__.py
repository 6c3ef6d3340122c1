"""Sacrifice (Marcus): elevate a human, an animal and a mineral; every kill costs one of your own (2 players)."""

from engines.core import Game, Preset

from . import actions, heuristic, hidden, observation, picture, rules, scoring, state, tables, text

CROWDED = (
    *("Pd4", "Ie4", "Fc6", "Bc5", "Bd5", "Be5", "Mb5", "Mf5", "Sb6", "Sf6", "Gg6", "Va5"),
    *("Oc5", "Oc6", "Od6"),
)

GAME = Game(
    name="sacrifice",
    title="Sacrifice",
    players=(2,),
    Variant=state.Variant,
    dtype=state.STATE,
    actions=actions.ACTIONS,
    max_legal=tables.MOST_LEGAL,
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
    caps=frozenset({tables.Ending.TURN_CAP, tables.Ending.NO_PROGRESS}),
    layout=text.LAYOUT,
    render=text.render,
    observation=observation.observation,
    picture=picture.picture,
    defaults={
        "mcts": {"rollout_depth": 0, "exploration": 0.25},
        "greedy": {"samples": 1},  # nothing is hidden: one sample is all there is
    },
    phrase=text.phrase,
    perfect_information=True,
    presets=(
        Preset(
            "small",
            (2,),
            state.Variant(
                width=8,
                free=2,
                first_points=(3, 3),
                walls=1,
                wall_length=1,
                mineral_limit="always",
                races_needed=2,
                repetition=2,
                max_turns=60,
            ),
        ),
        Preset(
            "large",
            (2,),
            state.Variant(
                width=12,
                elevation=4,
                deployment=5,
                free=6,
                points=6,
                walls=5,
                wall_length=3,
                wall_contact_rule="vertex",
                falcon_cost="per_mount",
                god_diagonal=True,
                takeback="attack",
                cheetah_factor=3,
                kill_cost=2,
                max_turns=100,
                no_progress=60,
            ),
        ),
        Preset(
            "without-powers",
            (2,),
            state.Variant(
                immortal_can_cancel=False,
                emissary_can_revive=False,
                preneuse_free_choice=False,
                martyr_substitutes=False,
                fanatic_self=False,
                elevated_sacrificable=False,
                cheetah_factor=1,
                kill_cost=0,
                build_while_shared=False,
                max_turns=100,
            ),
        ),
        Preset(
            "crowded",  # minerals among their carriers, builders among their friends
            (2,),
            state.Variant(
                width=8,
                free=2,
                setup=CROWDED,
                counts=(1, 0, 1, 1, 3, 2, 2, 1, 1, 3),
                points=6,
                walls=5,
                max_turns=100,
            ),
        ),
    ),
    subjects=actions.SUBJECTS,
)
