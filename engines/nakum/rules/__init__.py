"""The rules of Nakum: what a player may do and what it does."""

from .legal import legal_actions
from .play import apply
from .setup import deal

__all__ = ["apply", "deal", "legal_actions"]
