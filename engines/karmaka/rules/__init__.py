"""The rules of Karmaka: what a player may do and what it does."""

from .legal import legal_actions
from .setup import deal
from .turn import apply

__all__ = ["apply", "deal", "legal_actions"]
