"""A bot that speaks the protocol of PROTOCOL.md; it needs nothing of this package.

arena match connect_four random 'process:command="python3 examples/line_bot.py"'
"""

import json
import random
import sys


def main():
    chance = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"type": message["type"], "id": message.get("id")}
        if message["type"] == "hello":
            answer.update(protocol=1, name="line bot")
        elif message["type"] == "reset":
            chance = random.Random(message["seed"])
        elif message["type"] == "act":
            answer["action"] = chance.choice(message["legal"])
        else:  # close, or something newer than this bot
            continue
        print(json.dumps(answer), flush=True)


main()
