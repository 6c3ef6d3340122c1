"""The rules of Sacrificio: what a player may do and what it does."""

from engines.sacrificio.rules.legal import legal_actions
from engines.sacrificio.rules.setup import deal
from engines.sacrificio.rules.turn import apply

__all__ = ["apply", "deal", "legal_actions"]
