"""Which positions of Sagrada can be: what a phase needs besides."""

from typing import Any

from engines.errors import PositionError, seat_name

from .drawing import cards_in
from .tables import CELL_NAMES, COLOUR_LETTERS, TOOL_NAMES, Phase, Tool

PHASES = tuple(phase.name.lower() for phase in Phase)
MOVING = (Tool.EGLOMISE_BRUSH, Tool.COPPER_FOIL_BURNISHER, Tool.LATHEKIN, Tool.TAP_WHEEL)
TOOLS_OF_PHASE: dict[int, tuple[int, ...]] = {  # in all others no tool is under way
    Phase.PAY: tuple(Tool),
    Phase.ADJUST: (Tool.GROZING_PLIERS,),
    Phase.SWAP: (Tool.LENS_CUTTER,),
    Phase.APART: (Tool.CORK_BACKED_STRAIGHTEDGE,),
    Phase.VALUE: (Tool.FLUX_REMOVER,),
    Phase.KEEP: (Tool.FLUX_REMOVER,),
    Phase.AGAIN: (Tool.RUNNING_PLIERS,),
    Phase.MOVE: MOVING,
    Phase.COLOUR: (Tool.TAP_WHEEL,),
}
WITH_DIE = (Phase.HAND, Phase.ADJUST, Phase.SWAP, Phase.APART, Phase.VALUE, Phase.KEEP)
CELL_OR_NONE = ("none", *CELL_NAMES)


def check_landing(state: Any) -> None:
    """A die that waits for the second of a pair lies in the window of the player to act, and has a space to go to."""
    moved, landing = int(state["moved"]), int(state["landing"])
    if landing > 0:
        window = state["seat"][int(state["to_act"])]["window"]
        if not state["rules"]["together"]:
            raise PositionError("position.landing: needs the option two_dice_moves: together")
        if moved == 0 or window["die"][moved - 1] == 0 or moved == landing:
            raise PositionError(
                f"position.moved: {CELL_OR_NONE[moved]}, expected the space of the die that goes to"
                f" {CELL_OR_NONE[landing]}"
            )


def check_choices(state: Any) -> None:
    """R4 Windows are chosen in order of seats."""
    to_act = int(state["to_act"])
    for player in range(int(state["players"])):
        if (state["seat"]["pattern"][player] != 0) != (player < to_act):
            name = "a pattern" if player < to_act else "none"
            raise PositionError(
                f"position.seat[{player}].pattern: {seat_name(to_act)} chooses, expected {name} here"
            )


def check_dice(state: Any, phase: int) -> None:
    """R7, R12 No more dice on the table than a round draws, and in the bag enough for the next round."""
    dice, held, pool = (
        int(n) for n in (state["rules"]["dice"], state["held"]["count"], state["pool"]["count"])
    )
    may_hold = (
        phase == Phase.PAY and held == 1
    )  # alone, a die in hand waits while a tool is paid for
    if held != (phase in WITH_DIE) and not may_hold:
        wanted = "one die" if phase in WITH_DIE else "none"
        raise PositionError(f"position.held: {held} dice, {PHASES[phase]} needs {wanted}")
    if held + pool > dice:
        raise PositionError(
            f"position.pool: {held + pool} dice with the held one, a round has {dice}"
        )
    more = int(state["current_round"]) < int(state["rules"]["rounds"])
    if more and state["bag"]["count"] < dice:
        raise PositionError(
            f"position.bag: {int(state['bag']['count'])} dice, the next round draws {dice}"
        )
    if any(state["rolls"][int(state["bag"]["count"]) :]):
        raise PositionError(
            f"position.rolls: more than the {int(state['bag']['count'])} dice in the bag"
        )


def check_tool(state: Any, phase: int) -> None:
    """R20-R35 A phase of a tool has that tool, which lies face up, or alone has been paid for."""
    tool, colour, moved = (int(state[name]) for name in ("tool", "tool_colour", "moved"))
    named = TOOL_NAMES[tool] if tool else "none"
    possible = TOOLS_OF_PHASE.get(phase, (0,))
    if tool not in possible:
        names = " or ".join(TOOL_NAMES[n] if n else "none" for n in possible)
        raise PositionError(f"position.tool: {named}, phase {PHASES[phase]} needs {names}")
    paid = int(state["players"]) == 1 and phase != Phase.PAY
    zone = "tool_box" if paid else "tools"
    if tool and tool not in cards_in(state[zone]):
        raise PositionError(f"position.tool: {named}, expected one of {zone}")
    if phase == Phase.PAY and int(state["players"]) > 1:
        raise PositionError("position.phase: pay, tools are paid for with dice by one player only")
    if (colour > 0) != (phase == Phase.MOVE and tool == Tool.TAP_WHEEL):
        raise PositionError(
            f"position.tool_colour: {('none', *COLOUR_LETTERS[1:])[colour]}, "
            "only Tap Wheel in phase move has a colour"
        )
    if moved and (phase != Phase.MOVE or tool not in (Tool.LATHEKIN, Tool.TAP_WHEEL)):
        raise PositionError(
            f"position.moved: {CELL_NAMES[moved - 1]}, only Lathekin and Tap Wheel move a second die"
        )
