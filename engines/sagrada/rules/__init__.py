"""The rules of Sagrada: what a player may do and what it does."""

from engines.sagrada.rules.legal import legal_actions
from engines.sagrada.rules.play import apply
from engines.sagrada.rules.setup import deal

__all__ = ["apply", "deal", "legal_actions"]
