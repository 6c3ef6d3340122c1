"""A program that plays until it says what no terminal, table or page should repeat."""

import json
import sys

SAYINGS = {
    "surrogate": '{"type": "error", "message": "\\ud800"}',
    "escape": '{"type": "error", "message": "\\u001b]0;owned\\u0007\\u001b[31m\\u0000\\n=cmd|1"}',
    "long": '{"type": "error", "message": "' + "x" * 60_000 + '"}',
    "nested": '{"type": "error", "message": ' + "[" * 300 + "]" * 300 + "}",
    "long-id": '{"type": "act", "id": "' + "y" * 60_000 + '"}',
}

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "id": message["id"], "protocol": 1}), flush=True)
    elif message["type"] == "reset":
        print(json.dumps({"type": "reset", "id": message["id"]}), flush=True)
    elif message["type"] == "act":
        sys.stderr.buffer.write(b"\x1b[2Jlost\0\xff\n\xed\xa0\x80\n")
        sys.stderr.flush()
        print(SAYINGS[sys.argv[1]], flush=True)
