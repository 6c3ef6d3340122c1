"""The rules of Karmaka: what a player may do and what it does."""

from engines.karmaka.rules.legal import legal_actions
from engines.karmaka.rules.setup import deal
from engines.karmaka.rules.turn import apply

__all__ = ["apply", "deal", "legal_actions"]
