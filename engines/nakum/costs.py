"""What actions cost and bring, in words: their codes do not say it."""

from collections.abc import Iterator
from typing import Any

from engines.records import View

from .actions import ACTION_FIELD, ACTION_KIND, Kind
from .notation import Gain, gain_text
from .tables import MOST_MARKET, Takes


def costs(view: View, action: int) -> str:
    """R11, R15, R17, R21, R23 What an action takes besides one worker, and what it brings."""
    rules, kind = view[0]["rules"], Kind(int(ACTION_KIND[action]))
    first, option, card = (int(number) for number in ACTION_FIELD[action])
    parts: list[str] = []
    if kind == Kind.HERITAGE0:
        parts = [*card_parts(rules["heritage"][first])] if first > 0 else []
    elif kind == Kind.PLACE:
        parts = [*brought(goods_of(rules["space"][first]["option"][option]))]
        if card:
            name, number = (
                ("market", card) if card <= MOST_MARKET else ("heritage", card - MOST_MARKET)
            )
            parts += card_parts(rules[name][number])
    elif kind == Kind.EXPLORE:
        parts = [*brought(Gain(vp=int(rules["explore_vp"])))]
    elif kind == Kind.OFFERING:
        parts = [*card_parts(rules["offering"][first + 1], "2 workers")]
    elif kind == Kind.PITUK:
        parts = [*brought(Gain(vp=int(rules["pituk_vp"])))]
    elif kind == Kind.GROW:
        parts = ["costs 2 workers"]
    return ", ".join(parts)


def card_parts(card: Any, workers: str = "") -> Iterator[str]:
    """What a card costs, besides workers, and brings."""
    names = card.dtype.names
    goods = gain_text(goods_of(card["cost"])) if "cost" in names else ""
    if goods or workers:
        yield f"costs {' and '.join(filter(None, (workers, goods)))}"
    if "sacrifice" in names and card["sacrifice"]:
        yield f"sacrifices {int(card['sacrifice'])}"
    if "gain" in names:
        yield from brought(goods_of(card["gain"]))
    end = int(card["end"])
    if end:
        yield f"{end} point{'s' * (end != 1)} at the end"
    if "release" in names and card["release"]:
        yield "releases a cube"


def brought(gain: Gain) -> Iterator[str]:
    """What a gain brings, if it is one."""
    if gain != Gain():
        yield f"brings {gain_text(gain)}"


def goods_of(record: Any) -> Gain:
    """A gain or cost without the card that it lets take: that card is named."""
    return Gain(*(int(amount) for amount in record.tolist()))._replace(takes=Takes.NOTHING)
