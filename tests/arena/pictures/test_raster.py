"""Pictures as pixels."""

import struct
import zlib

import numpy as np
import pytest

from arena.pictures.raster import picture_pixels, png_pixels
from engines.core import BUILT_IN, load_game
from engines.rng import seeded

QUICK = ("connect_four", "karmaka", "sacrificio")  # a grid, cards, both


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(lines: bytes, width: int, height: int, depth: int = 8) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, 6, 0, 0, 0)
    whole = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + whole


def filtered(pixels: np.ndarray, method: int) -> bytes:
    """Lines of a PNG as its specification writes them, with one filter for all."""
    height, width = pixels.shape[:2]
    flat = pixels.reshape(height, -1).astype(int)
    lines = bytearray()
    for y in range(height):
        lines.append(method)
        for x in range(4 * width):
            a = flat[y, x - 4] if x >= 4 else 0
            b = flat[y - 1, x] if y else 0
            c = flat[y - 1, x - 4] if y and x >= 4 else 0
            near = min((a, b, c), key=lambda one: abs(a + b - c - one))
            guess = (0, a, b, (a + b) // 2, near)[method]
            lines.append((flat[y, x] - guess) % 256)
    return bytes(lines)


@pytest.mark.parametrize("method", range(5))
def test_each_filter_of_a_png_is_undone(method: int) -> None:
    pixels = np.random.default_rng(method).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    assert (png_pixels(png(filtered(pixels, method), 7, 5)) == pixels).all()


def test_another_png_is_refused() -> None:
    with pytest.raises(ValueError, match="PNG of depth"):
        png_pixels(png(b"", 1, 1, depth=16))
    with pytest.raises(ValueError, match="not a PNG"):
        png_pixels(b"GIF89a")


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in BUILT_IN],
)
def test_every_game_is_drawn_in_colour(name: str) -> None:
    game = load_game(name)
    states = game.new_state(game.players[0], game.Variant(), seeded(1))
    picture = game.picture(game.view(states, 0))
    pixels = picture_pixels(picture)
    assert pixels.dtype == np.uint8
    assert pixels.shape[0] > 50
    assert pixels.shape[1] > 100
    assert pixels.shape[2] == 3
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 8
