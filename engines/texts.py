"""Texts from outside: what bots, files and people wrote, made fit to be stored and shown.

Every text that is not ours goes through `clean` once, where it comes in: answers and faults of bots, what they
write on stderr, names, configs, stored files.
"""

import re
import unicodedata

MOST_LETTERS = 10_000  # of a text that has no limit of its own
LONGEST_WORD = 200  # in a message: longer ones are shown by their ends
LONGEST_MESSAGE = 2000
MARK = "�"  # stands for what cannot be shown
BLANKS = re.compile(r"[\t\r\v\f\x1c-\x1e\x85\xa0\u2028\u2029]")
# Control characters, halves of surrogate pairs, what turns the direction of writing, invisible marks but the
# two that join letters, and code points that are no characters.
UNFIT = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"
    r"\U000e0000-\U000e007f"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
WORD = re.compile(rf"\S{{{LONGEST_WORD},}}")


def clean(text: str | bytes, most: int = MOST_LETTERS, lines: bool = False) -> str:
    """A text as valid Unicode without control characters, of at most `most` letters and "..." behind them.

    Args:
        lines: newlines stay; else they become spaces, like all other blanks.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if len(text) > most:
        text = f"{text[:most]}..."
    if text.isprintable():
        return text
    if not text.isascii():
        # Halves of one pair, as json.dumps escapes them, become their letter; lone ones become MARK.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\r\n", "\n")
    if not lines:
        text = text.replace("\n", " ")
    return UNFIT.sub(MARK, BLANKS.sub(" ", text))


def brief(value: object, most: int = 60) -> str:
    """A value as a message quotes it, never long."""
    try:
        text = repr(value)
    except Exception:  # too deep, too long a number, or a class of its own mind
        text = f"a {type(value).__name__}"
    return clean(text, most)


def message(text: str) -> str:
    """A message in one line: long words, such as values of options, are shown by their ends."""
    text = WORD.sub(lambda found: f"{found[0][:80]}...{found[0][-40:]}", clean(text, 1 << 20))
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= 2 * half else f"{text[:half]} ... {text[-half:]}"


def folded(name: str) -> str:
    """What names have in common that a reader cannot tell apart: case, blanks and forms of letters are gone."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
