#!/usr/bin/env python3
"""A beginning in any language: reads and writes a JSON object a line, needs no package, may be translated."""

import json
import random
import sys


def choose(position, legal, events, chance):
    """One of `legal`, as written. `position` is what you may know, `events` what happened since your last action."""
    return chance.choice(legal)


def main():
    """Answer every message but `close`, each with its own type and id."""
    chance = random.Random(0)
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"type": message["type"], "id": message.get("id")}
        if message["type"] == "hello":
            answer |= {"protocol": 1, "name": "my_bot"}
        elif message["type"] == "reset":
            chance = random.Random(message["seed"])  # equal seeds, equal matches
        elif message["type"] == "act":
            answer["action"] = choose(
                message["position"], message["legal"], message["events"], chance
            )
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
