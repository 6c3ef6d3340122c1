"""A program that speaks the protocol and misbehaves as its argument says."""

import json
import os
import signal
import sys
import time


def say(message, end="\n"):
    sys.stdout.write(json.dumps(message) + end)
    sys.stdout.flush()


def answer(message, **more):
    return {"type": message["type"], "id": message["id"], **more}


def act(how, message):
    legal = message["legal"]
    if how == "silent":
        time.sleep(60)
    elif how == "garbage":
        sys.stdout.write("one moment, please\n")
        sys.stdout.flush()
    elif how == "binary":
        os.write(1, bytes(range(128, 256)) + b"\n")
    elif how == "list":
        say([legal[0]])
    elif how == "half-a-line":
        sys.stdout.write('{"type": "act", "id"')
        sys.stdout.flush()
        time.sleep(60)
    elif how == "half-a-line-and-out":
        sys.stdout.write('{"type": "act", "id"')
        sys.stdout.flush()
        sys.exit(0)
    elif how == "long-line":
        for _ in range(100):
            sys.stdout.write("x" * 1_000_000)
        sys.stdout.write("\n")
    elif how == "floods-stdout":
        while True:
            sys.stdout.write("nonsense\n")
    elif how == "floods-without-end":
        while True:
            sys.stdout.write("nonsense")
    elif how == "illegal":
        say(answer(message, action="drop 99"))
    elif how == "other-game":
        say(answer(message, action="play Embrace for its points"))
    elif how == "number":
        say(answer(message, action=3))
    elif how == "nested":
        sys.stdout.write("[" * 50_000 + "\n")
        sys.stdout.flush()
    elif how == "wrong-id":
        say({"type": "act", "id": -1, "action": legal[0]})
    elif how == "twice":
        line = json.dumps(answer(message, action=legal[0])) + "\n"
        os.write(1, (line + line).encode())
    elif how == "exits":
        print("no more of this", file=sys.stderr)
        sys.exit(4)
    elif how == "says-error":
        say({"type": "error", "message": "I know no such game"})
    elif how == "ignores-terminate":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    elif how == "leaves-children":
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                time.sleep(3600)
        sys.exit(0)
    else:
        say(answer(message, action=legal[0]))


def main(how):
    if how == "exits-at-once":
        sys.exit(1)
    if how == "never-reads":
        time.sleep(60)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(answer(message, protocol=99 if how == "wrong-protocol" else 1))
        elif message["type"] == "reset":
            say(answer(message))
        elif message["type"] == "act":
            act(how, message)


main(sys.argv[1])
