"""The bot named `chat`: a language model behind an OpenAI-compatible endpoint plays any game.

It is told the game's own rules, the View in words, what happened since its last decision and the legal actions in
words. What is no legal action is asked for again. All that was said is kept beside the match.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from bots.contract import Bot, BotKind, View
from bots.endpoint import Endpoint, EndpointError, Reply, check_endpoint, hold_back
from engines.core import Game, Option
from engines.errors import UserError
from engines.rng import below, seeded
from engines.texts import clean

ANSWER = re.compile(r"^\W*action\W*:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
MOST_KEPT = 20_000  # letters of a prompt or an answer that are kept
MILLION = 1_000_000


@dataclass(frozen=True)
class Parameters:
    """Who is asked, how, and what becomes of wrong answers."""

    url: Annotated[str, Option("of an OpenAI-compatible endpoint, up to /v1")] = ""
    model: Annotated[str, Option("as the endpoint names it")] = ""
    key: Annotated[str, Option("the environment variable that holds the key")] = ""
    retries: Annotated[int, Option("times that it is asked again for a legal action", 0, 20)] = 2
    fallback: Annotated[
        str,
        Option(
            "after that: fault loses the match, random and first play on",
            choices=("fault", "random", "first"),
        ),
    ] = "fault"
    seconds: Annotated[float, Option("for an answer, attempts included", 0.01, 3600.0)] = 60.0
    temperature: Annotated[float | None, Option("none: as the endpoint has it", 0.0, 2.0)] = None
    max_tokens: Annotated[int | None, Option("of an answer; none: no limit", 1, 1_000_000)] = None
    rules: Annotated[int, Option("letters of the rules in the prompt at most", 0, 200_000)] = 24_000
    price_in: Annotated[float, Option("of a million tokens of the prompts", 0.0, 1e6)] = 0.0
    price_out: Annotated[float, Option("of a million tokens of the answers", 0.0, 1e6)] = 0.0

    def __post_init__(self) -> None:
        """An address that a key may be sent to."""
        if problem := check_endpoint(self.url, self.key):
            raise ValueError(f"chat.{problem}")
        if not self.model:
            raise ValueError("chat.model: missing, expected a name that the endpoint knows")


@dataclass
class Said:
    """One decision as it was talked about: what is kept beside the match."""

    system: str
    messages: list[dict[str, str]]
    requests: int = 0
    illegal: int = 0  # answers that were no legal action
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    chosen: str = ""
    fallback: bool = False
    problem: str = field(default="")

    def add(self, reply: Reply, parameters: Parameters) -> None:
        """Count a reply."""
        self.requests += reply.requests
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        self.seconds += reply.seconds
        price = reply.tokens_in * parameters.price_in + reply.tokens_out * parameters.price_out
        self.cost += price / MILLION


class ChatBot:
    """A language model in a seat."""

    def __init__(self, parameters: Parameters) -> None:
        """Nobody has been asked yet."""
        self.parameters = parameters
        own = {"temperature": parameters.temperature, "max_tokens": parameters.max_tokens}
        extra = {name: value for name, value in own.items() if value is not None}
        one = parameters
        self.endpoint = Endpoint(one.url, one.model, one.key, one.seconds, extra)
        self.said: Said | None = None
        self.kept = False  # what stays the same in a match is kept once

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        self.system = system_prompt(game, view.player, view.players, self.parameters.rules)
        self.told, self.kept = 0, False
        self.rng = seeded(seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """What the model chooses.

        Raises:
            UserError: it named no legal action, or did not answer, and `fallback` is fault.
        """
        texts = [view.game.told(view.record, int(action)) for action in legal]
        asked = question(view, view.events[self.told :], texts)
        self.told = len(view.events)
        said = self.said = Said(self.system, [{"role": "user", "content": asked}])
        try:
            chosen = self.talk(said, texts)
        except EndpointError as error:
            said.problem, chosen = str(error), None
        if chosen is None:
            said.fallback = True
            if self.parameters.fallback == "fault":
                raise UserError(said.problem)
            first = self.parameters.fallback == "first"
            chosen = 0 if first else int(below(self.rng, len(legal)))
        said.chosen = texts[chosen]
        return int(legal[chosen])

    def talk(self, said: Said, texts: Sequence[str]) -> int | None:
        """The place of the chosen action among the legal ones; None where no answer named one."""
        for _ in range(self.parameters.retries + 1):
            reply = self.endpoint.ask([{"role": "system", "content": said.system}, *said.messages])
            said.add(reply, self.parameters)
            said.messages.append({"role": "assistant", "content": reply.text})
            named = named_action(reply.text)
            chosen = place_of(named, texts)
            if chosen is not None:
                return chosen
            said.illegal += 1
            said.problem = f"{said.illegal} answers named no legal action, the last {named!r:.60}"
            said.messages.append({"role": "user", "content": correction(named, texts)})
        said.messages.pop()  # nobody was asked this
        return None

    def last_said(self) -> dict[str, Any] | None:
        """What was said about the last decision, once; texts of others are cleaned."""
        said, self.said = self.said, None
        if said is None:
            return None
        kept = [
            {"role": one["role"], "content": clean(one["content"], MOST_KEPT, lines=True)}
            for one in said.messages
        ]
        system = "" if self.kept else clean(said.system, MOST_KEPT, lines=True)
        self.kept = True
        return {**vars(said), "system": system, "messages": kept}

    def close(self) -> None:
        """Nothing is held."""


# --- words ------------------------------------------------------------------------------------------------


def system_prompt(game: Game, player: int, players: int, most: int) -> str:
    """What stays the same in a match: who the model is, the rules, how it is to answer."""
    file = game.folder / "RULES.md"
    rules = file.read_text(encoding="utf-8") if most and file.is_file() else ""
    if len(rules) > most:
        rules = f"{rules[:most]}\n(the rest of the rules is left out)"
    return (
        f"You are player {player + 1} of {players} in the game {game.title}. Play to win.\n\n"
        f"{rules.strip()}\n\n"
        "You will be shown the position as you may know it ('?' is hidden from you) and the legal actions. Think "
        "briefly, then end your answer with one line:\nACTION: one of the legal actions, word for word"
    )


def question(view: View, since: Sequence[Any], texts: Sequence[str]) -> str:
    """What is asked at a decision."""
    past = [f"- player {one.player + 1}: {told(view.game, one.text)}" for one in since]
    parts = ["Since you were last asked:", *past, ""] if past else []
    parts += ["The position:", str(view), "", f"You are player {view.player + 1}. Legal actions:"]
    return "\n".join([*parts, *(f"- {text}" for text in texts)])


def told(game: Game, text: str) -> str:
    """An action as people read it: a model counts players from 1, like the rest of what it is shown."""
    try:
        return game.actions.told(game.actions.number(text))
    except UserError:  # worded by its position, which names no player
        return text


def correction(named: str, texts: Sequence[str]) -> str:
    """What is said to an answer that names no legal action."""
    known = "\n".join(f"- {text}" for text in texts)
    what = f"{named!r:.80} is no legal action now." if named else "There is no line ACTION: ..."
    return f"{what} The legal actions are:\n{known}\nEnd your answer with: ACTION: one of them"


def named_action(text: str) -> str:
    """What an answer names in its last line ACTION, else the whole answer if it is one line."""
    found = ANSWER.findall(text)
    if found:
        return str(found[-1])
    whole = text.strip()
    return whole if "\n" not in whole else ""


def place_of(named: str, texts: Sequence[str]) -> int | None:
    """The place of a text among others, whatever its case, blanks and quotation marks."""
    wanted = plain(named)
    found = [i for i, text in enumerate(texts) if plain(text) == wanted]
    return found[0] if wanted and len(found) == 1 else None


def plain(text: str) -> str:
    """A text without what people add to it."""
    return " ".join(text.strip(" \t`'\"*.").casefold().split())


# ----------------------------------------------------------------------------------------------------------


def with_key(kind: BotKind, parameters: Parameters, content: bytes) -> BotKind:
    """The kind that is refused before anything is played where its key is not at hand; no bot's process gets it."""
    hold_back(parameters.key)

    def suits(game: Game, players: int, rules: bytes) -> None:
        if parameters.key and not os.environ.get(parameters.key):
            raise UserError(f"key: the environment variable {parameters.key} is not set")

    return replace(kind, suits=suits)


def make(parameters: Parameters) -> Bot:
    """A fresh bot."""
    return ChatBot(parameters)


KIND = BotKind(
    "chat",
    "a language model behind an OpenAI-compatible endpoint",
    Parameters,
    make,
    bound=with_key,
    here=True,
    waits=True,
)
