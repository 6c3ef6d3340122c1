"""The rules of Sacrifice: what a player may do and what it does."""

from .legal import legal_actions
from .turn import apply, deal

__all__ = ["apply", "deal", "legal_actions"]
