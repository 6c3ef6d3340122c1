"""Tables where people in browsers and bots play: a seat's page gets its own View, nothing else leaves the server."""

import asyncio
import hmac
import json
import re
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.execution.people import PLACE, Seated, seat_people, store_match, take_deal
from arena.plan.identity import read_label
from arena.playing.endings import result_lines
from arena.playing.fitting import label
from arena.playing.hints import hint_text
from arena.playing.live import LiveMatch, begin, resume, save
from arena.playing.play import STORED
from arena.playing.seating import HINT as APART
from arena.playing.seating import HUMAN, read_seats
from arena.web.minds import MindLost, Minds, Question
from arena.web.shown import position
from bots.registry import bot_kinds
from engines.core import Game, changes, game_names
from engines.errors import UserError
from engines.pictures import player_name
from engines.records import copy
from engines.rng import below, mix, seeded

MOST_TABLES = 50
MOST_TOLD = 300  # events that a seat is shown
IDLE_SECONDS = 12 * 3600.0  # after which a table is cleared
HINT = "mcts:simulations=1000"
UNAIDED = "this match will be stored as human play without help: no hints, nothing is taken back"
WIDTH = 100
SAVED = re.compile(r"[\w-]{1,80}\.yaml")


@dataclass(eq=False)
class Table:
    """A match with its seats.

    texts: `human` or a bot's text for each player; tokens: of the people's seats. seated: who they are, where the
    match goes into a run of human play (in `run`) when it is over. seconds: that each seat has thought.
    """

    id: str
    match: LiveMatch
    texts: tuple[str, ...]
    minds: Minds
    seated: Seated | None = None
    run: Path = Path()
    seconds: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)  # seconds about each action, forced ones 0
    since: float = field(default_factory=time.monotonic)  # when the decision that is due began
    replaced: bool = False  # a random action stood in for a bot's
    tokens: dict[int, str] = field(default_factory=dict)
    number: int = 1  # of the position; rises with each change
    closed: bool = False
    said: list[str] = field(default_factory=list)  # to everybody, of bots that failed
    used: float = field(default_factory=time.monotonic)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _running: "asyncio.Task[None] | None" = None

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return list(self.tokens)

    @property
    def game(self) -> Game:
        """What is played."""
        return self.match.game

    def name(self, player: int) -> str:
        """A player as all read it: numbers begin with 1."""
        who = self.texts[player] if player not in self.tokens else "person"
        if self.seated is not None and player in self.tokens:
            who = self.seated.entrants[player].name
        return f"{player_name(player)} ({who})"

    @property
    def helps(self) -> bool:
        """Whether people may ask for hints and take back: not where that was not said before a stored match."""
        return self.seated is None or self.seated.helped

    def seat_of(self, token: str) -> int:
        """The seat that a token opens, or -1."""
        return next((s for s, own in self.tokens.items() if hmac.compare_digest(own, token)), -1)

    # --- what is shown ------------------------------------------------------------------------------------

    def shown_to(self, player: int) -> dict[str, Any]:
        """All that a player's page needs, from his View and what he has seen alone."""
        match, game = self.match, self.game
        over = match.over
        states = match.states if over else game.view(match.states, player)
        mine = match.to_act == player
        legal = match.legal() if mine else []
        texts = [game.action_text(match.states, action) for action in legal]
        told = [game.told(match.states, action) for action in legal]
        events = match.told(player)[-MOST_TOLD:]
        return {
            "number": self.number,
            "player": player,
            "names": [self.name(p) for p in range(match.players)],
            "to_act": match.to_act,
            "over": over,
            **position(game, states, player, told),
            "actions": [
                {
                    "text": text,
                    "told": words,
                    "group": label(text),
                    "cost": cost,
                }
                for text, words, cost in zip(
                    texts, told, game.cost_texts(states, legal), strict=True
                )
            ],
            "events": [f"{self.name(event.player)}: {event.text}" for event in events],
            "said": self.said[-5:],
            "result": [*result_lines(match, self.name)] if over else [],
            "undo": len(self.people) == 1 and self.helps,
            "hint": self.helps,
        }

    async def follow(self, player: int) -> AsyncIterator[str]:
        """What a player is shown now, and after each change, as JSON."""
        seen = 0
        while True:
            async with self.changed:
                while self.number <= seen:
                    await self.changed.wait()
                seen = self.number
            if self.closed:
                raise UserError("this table is closed")
            self.used = time.monotonic()
            yield json.dumps(self.shown_to(player), separators=(",", ":"))

    async def tell(self) -> None:
        """Let all who look see the new position."""
        async with self.changed:
            self.number += 1
            self.changed.notify_all()

    # --- what is done --------------------------------------------------------------------------------------

    async def play(self, player: int, number: int, text: str) -> str:
        """Carry out a person's action, in words, at the position that he saw; what is wrong, or nothing."""
        async with self.lock:
            match = self.match
            if match.to_act != player:
                return "it is not your turn"
            if number != self.number:
                return "the position has changed meanwhile"
            action = self.game.find_action(match.states, text) if len(text) < 500 else None
            if action is None:
                return "no legal action"
            self.do(action)
        await self.tell()
        self.go_on()
        return ""

    async def take_back(self, player: int) -> str:
        """Go back to before a person's last decision, against bots only."""
        async with self.lock:
            if self.people != [player]:
                return "others play too: nothing is taken back"
            if not self.helps:
                return UNAIDED
            if not self.match.undo([player]):
                return "you have not decided anything yet"
            self.minds.forget()
            del self.moves[len(self.match.past) :]
            self.since = time.monotonic()
        await self.tell()
        self.go_on()
        return ""

    async def hint(self, player: int) -> str:
        """What a search would play for a person."""
        async with self.lock:
            if self.match.to_act != player:
                return "it is not your turn"
            if not self.helps:
                return UNAIDED
            question, states = self.question(player, HINT, APART), copy(self.match.states)
        try:
            found = await asyncio.to_thread(self.minds.consider, question)
        except MindLost as lost:
            return f"no hint: {lost}"
        return hint_text(HINT, found, lambda action: self.game.told(states, action))

    def question(self, player: int, bot: str, apart: int = 0) -> Question:
        """What a bot is asked in a player's place."""
        match = self.match
        seed = mix(match.chance, player + apart, len(match.past))
        record = copy(self.game.view(match.states, player))
        legal, events = tuple(match.legal()), tuple(match.events(player))
        return Question(player + apart, bot, record, legal, events, seed, bool(apart))

    def go_on(self) -> None:
        """Let bots and forced actions follow, until a person must decide."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._bots())

    async def _bots(self) -> None:
        match = self.match
        while not match.over:
            async with self.lock:
                if match.over:
                    break
                player, legal = match.to_act, match.legal()
                if len(legal) == 1:
                    self.do(legal[0], choice=False)
                elif player in self.tokens:
                    break
                else:
                    self.do(await self._asked(player, legal))
            await self.tell()
        if match.over:
            self.minds.close()
            await self._store()

    def do(self, action: int, choice: bool = True) -> None:
        """Carry out an action, and note how long its player has thought."""
        now, actor = time.monotonic(), self.match.to_act
        thought = now - self.since if choice else 0.0
        self.seconds[actor] += thought
        self.moves.append(thought)
        self.match.do(action, choice)
        self.since = now

    async def _store(self) -> None:
        """Put a match that is over into its run of human play."""
        if self.seated is None:
            return
        line = "not stored as human play: a random action stood in for a bot's"
        if not self.replaced:
            kept = self.run, self.seated, self.match, self.seconds, self.moves
            try:
                line = f"stored as human play: match {await asyncio.to_thread(store_match, *kept)}"
            except UserError as error:
                line = f"not stored as human play: {error}"
        self.said.append(line)
        await self.tell()

    async def _asked(self, player: int, legal: list[int]) -> int:
        try:
            return await asyncio.to_thread(
                self.minds.ask, self.question(player, self.texts[player])
            )
        except MindLost as lost:
            self.replaced = True
            self.said.append(f"{self.name(player)} failed ({lost}); a random action stands in")
            number = mix(self.match.seed, player, len(self.match.past))
            return legal[int(below(seeded(number), len(legal)))]

    def close(self) -> None:
        """End what thinks for the table."""
        if self._running is not None:
            self._running.cancel()
        self.minds.close()


@dataclass(frozen=True)
class Asked:
    """A table as it is asked for: seed None is a new deal; with names of people the match will be stored."""

    game: str
    seats: str
    options: str = ""
    seed: int | None = None
    names: tuple[str, ...] = ()
    helped: bool = False


class Tables:
    """All tables of a server. What is saved lies in `results/play` below its folder, human play beside it."""

    def __init__(self, folder: Path) -> None:
        """Keep tables for a folder."""
        self._folder = folder
        self._place = folder / STORED
        self._tables: dict[str, Table] = {}

    def all(self) -> list[Table]:
        """The tables, the newest first."""
        return list(self._tables.values())[::-1]

    def open(self, asked: Asked) -> Table:
        """A new table.

        Raises:
            UserError: what does not fit, in a line.
        """
        texts = self._checked(asked.game, asked.seats)
        options = read_label(asked.options, "variant")
        if not asked.names:
            seed = secrets.randbelow(1_000_000_000) if asked.seed is None else asked.seed
            return self._add(begin(asked.game, options, len(texts), seed), texts)
        if asked.seed is not None:
            raise UserError("seed: a match that is stored as human play has a deal nobody has seen")
        begin(asked.game, options, len(texts), 0)  # says what does not fit before a deal is taken
        seated = seat_people(asked.game, options, texts, asked.names, asked.helped)
        seed, deal = take_deal(self._run(asked.game), seated)
        match = begin(asked.game, options, len(texts), seed, deal)
        match.people, match.helped = asked.names, asked.helped
        return self._add(match, texts, seated)

    def _run(self, game: str) -> Path:
        """Where human play of a game is stored."""
        return self._folder / PLACE / game

    def reopen(self, file: str) -> Table:
        """A table that goes on with a saved match.

        Raises:
            UserError: no such file, or not one of these.
        """
        if not SAVED.fullmatch(file):
            raise UserError(f"{file[:100]}: not the name of a saved match")
        match, texts = resume(
            self._place / file, lambda game, seats: self._checked(game.name, ",".join(seats))
        )
        given = match.game_text, changes(match.variant), texts, match.people, match.helped
        return self._add(match, tuple(texts), seat_people(*given) if match.people else None)

    def save(self, table: Table) -> str:
        """Store the match of a table; how its file is called."""
        name = f"{table.game.name}-{table.id}.yaml"
        save(table.match, table.texts, self._place / name)
        return name

    def saved(self) -> list[str]:
        """The saved matches, the newest first."""
        try:
            files = [f for f in self._place.iterdir() if SAVED.fullmatch(f.name)]
        except OSError:
            return []
        return [f.name for f in sorted(files, key=lambda f: -f.stat().st_mtime)][:100]

    def find(self, name: str) -> Table | None:
        """A table by its id."""
        return self._tables.get(name)

    def close(self) -> None:
        """End all tables."""
        for table in self._tables.values():
            table.close()

    def _checked(self, game: str, seats: str) -> tuple[str, ...]:
        """The texts of the seats. No game and no bot from a file, nor one that reads files or asks other hosts: what is
        typed into a page loads no code, opens no file and sends nothing.
        """
        if game not in game_names():
            raise UserError(
                f"game {game[:100]!r}: unknown, expected one of {', '.join(game_names())}"
            )
        known = [HUMAN, *(name for name, kind in bot_kinds().items() if kind.plain)]
        for text in filter(None, (part.strip() for part in seats.split(","))):
            named = any(text == one or text.startswith(f"{one}:") for one in known)
            if not named and "=" not in text.partition(":")[0]:
                raise UserError(
                    f"seats: {text[:100]!r}, expected {', '.join(known)} with options "
                    "(others play in arena play and arena run)"
                )
        _, texts = read_seats(seats)
        if HUMAN not in texts:
            raise UserError("seats: nobody is human; arena match plays bots against each other")
        return texts

    def _add(self, match: LiveMatch, texts: tuple[str, ...], seated: Seated | None = None) -> Table:
        now = time.monotonic()
        for name, old in list(self._tables.items()):
            if now - old.used > IDLE_SECONDS:
                self._tables.pop(name).close()
        if len(self._tables) >= MOST_TABLES:
            raise UserError(f"{MOST_TABLES} tables are open already: close one")
        name = secrets.token_hex(4)
        run = self._run(match.game.name)
        table = Table(name, match, texts, Minds(match.game_text), seated, run, [0.0] * len(texts))
        table.tokens = {
            s: secrets.token_urlsafe(16) for s, text in enumerate(texts) if text == HUMAN
        }
        self._tables[name] = table
        return table

    async def drop(self, table: Table) -> None:
        """Close a table for good; who sits at it is told."""
        self._tables.pop(table.id, None)
        table.close()
        table.closed = True
        await table.tell()
