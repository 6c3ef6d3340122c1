"""The rules of Sacrifice: what a player may do and what it does."""

from engines.sacrifice.rules.legal import legal_actions
from engines.sacrifice.rules.turn import apply, deal

__all__ = ["apply", "deal", "legal_actions"]
