"""What actions cost is said in words, by the position as it is."""

from engines.core import load_game
from engines.rng import seeded


def costs_in(game, states):
    """The costs of all legal actions, by their words."""
    legal = [int(action) for action in game.legal(states)]
    told = game.cost_texts(game.view(states, int(states["to_act"][0])), legal)
    return {game.told(states, a): text for a, text in zip(legal, told, strict=True)}


def test_a_tool_of_sagrada_costs_more_once_tokens_lie_on_it():
    game = load_game("sagrada")
    position = {"tools": ["Lathekin", "Glazing Hammer"], "pool": ["R1", "B2"]}
    position["seat"] = [
        {"window": ["R1 B2 Y3 -- --", "P4 -- -- -- --"], "tokens": 5},
        {"tokens": 3},
    ]
    states = game.from_dict(2, game.Variant(), position)
    first = costs_in(game, states)
    states["tool_tokens"][0, 4] = 1
    assert first["use Lathekin"] == "costs 1 token"
    assert costs_in(game, states)["use Lathekin"] == "costs 2 tokens"
    assert first["draft R1"] == ""


def test_an_offering_of_nakum_costs_workers_and_goods():
    game = load_game("nakum")
    seat = {"maize": 6, "hide": 4, "mask": 3}
    board = {"board": ["milpa", "selva"], "offering_row": ["O01"], "seat": [seat, {}]}
    told = costs_in(game, game.from_dict(2, game.Variant(), board))
    assert told["offering:O01"] == "costs 2 workers and 2m 3h, sacrifices 1, 10 points at the end"


def test_a_displacement_of_sacrifice_costs_a_point_and_the_end_nothing():
    game = load_game("sacrifice")
    states = game.new_state(2, game.Variant(), seeded(1))
    told = costs_in(game, states)
    assert {text for words, text in told.items() if words[0] != "w"} == {"costs 1 point"}
    assert {text for words, text in told.items() if words[0] == "w"} == {""}
