"""Pictures as arrays of pixels: an SVG drawn by vl-convert, its PNG taken apart here."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import struct
import zlib

import numpy as np
import vl_convert
from numpy.typing import NDArray

from arena.pictures.svg import picture_svg
from engines.kernel import kernel
from engines.pictures import Picture

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = 4  # vl-convert writes red, green, blue and opacity, 8 bits each, without interlacing
WHITE = 255


def picture_pixels(
    picture: Picture, scheme: str = "light", scale: float = 1.0
) -> NDArray[np.uint8]:
    """A picture as uint8[height, width, 3], on white where it is empty. scale: pixels for a unit of the picture."""
    pixels = png_pixels(vl_convert.svg_to_png(picture_svg(picture, scheme), scale=scale))
    opacity = pixels[..., 3:].astype(np.uint16)
    seen = pixels[..., :3] * opacity + WHITE * (255 - opacity)
    return (seen // 255).astype(np.uint8)


def png_pixels(png: bytes) -> NDArray[np.uint8]:
    """The pixels uint8[height, width, 4] of a PNG of vl-convert.

    Raises:
        ValueError: it is of another kind.
    """
    if not png.startswith(SIGNATURE):
        raise ValueError("not a PNG")
    at, data, size, kind = len(SIGNATURE), b"", (0, 0), (0, 0, 0)
    while at < len(png):
        (length,), name = struct.unpack_from(">I", png, at), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", body)
            size, kind = (height, width), (rest[0], rest[1], rest[4])
        elif name == b"IDAT":
            data += body
        at += 12 + length
    if kind != (8, 6, 0):
        raise ValueError(f"PNG of depth, colours, interlacing {kind}, expected (8, 6, 0)")
    height, width = size
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + CHANNELS * width)
    out = np.zeros((height, CHANNELS * width), np.uint8)
    unfilter(lines, out, CHANNELS)
    return out.reshape(height, width, CHANNELS)


@kernel
def unfilter(lines, out, step):
    """Undo the filters of a PNG (its specification, section 9): each line begins with the number of its own."""
    for y in range(out.shape[0]):
        method = int(lines[y, 0])
        for x in range(out.shape[1]):
            left = int(out[y, x - step]) if x >= step else 0
            above = int(out[y - 1, x]) if y > 0 else 0
            corner = int(out[y - 1, x - step]) if y > 0 and x >= step else 0
            guess = 0
            if method == 1:
                guess = left
            elif method == 2:
                guess = above
            elif method == 3:
                guess = (left + above) // 2
            elif method == 4:
                far = left + above - corner
                guess = corner
                if abs(far - left) <= abs(far - above) and abs(far - left) <= abs(far - corner):
                    guess = left
                elif abs(far - above) <= abs(far - corner):
                    guess = above
            out[y, x] = (int(lines[y, x + 1]) + guess) & 255
