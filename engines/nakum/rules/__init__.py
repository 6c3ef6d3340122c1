"""The rules of Nakum: what a player may do and what it does."""

from engines.nakum.rules.legal import legal_actions
from engines.nakum.rules.play import apply
from engines.nakum.rules.setup import deal

__all__ = ["apply", "deal", "legal_actions"]
