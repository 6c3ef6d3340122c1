"""Karmaka: several lives, hidden Hands, Decks and Futures, and cards that come back (2-4 players)."""

from engines.core import Game, Preset

from . import actions, heuristic, hidden, observation, picture, rules, scoring, state, tables, text

GAME = Game(
    name="karmaka",
    title="Karmaka",
    players=(2, 3, 4),
    Variant=state.Variant,
    dtype=state.STATE,
    actions=actions.ACTIONS,
    max_legal=4 * len(tables.CARDS) + 1,
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
    caps=frozenset({tables.Ending.TURN_CAP}),
    places=scoring.places,
    layout=text.LAYOUT,
    render=text.render,
    observation=observation.observation,
    picture=picture.picture,
    presets=(
        Preset("2v2", (4,), state.Variant(mode="2v2")),
        Preset("bbw", (3,), state.Variant(mode="bbw")),
        Preset(
            "bbw-middle",
            (3,),
            state.Variant(mode="bbw", wolf_seat=1, bbw_ally_future=True, first_player="random"),
        ),
        Preset(
            "ladder",
            (4,),
            state.Variant(
                placement="ladder",
                opposite_gets_offer=False,
                ring_choice="auto",
                ring_supply=4,
                first_player="random",
            ),
        ),
        Preset(
            "hard",
            (3,),
            state.Variant(
                thresholds=(8, 10, 12, 14),
                max_turns_per_player=20,
                max_plays_per_turn=2,
                cap_result="ladder_rings",
                ring_supply=None,
            ),
        ),
        Preset(
            "small",
            (2,),
            state.Variant(
                without=("journey", "another_day", "sowing", "longevity", "embody"),
                hand_size=3,
                deck_size=4,
                reborn_size=8,
                max_turns_per_player=60,
                cap_result="draw",
            ),
        ),
    ),
    subjects=actions.SUBJECTS,
    features=text.opening_hands,
)
