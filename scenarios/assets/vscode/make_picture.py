"""Make the photo that a task is about: an evening over water, drawn; quay.png lies beside this script."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

WIDTH, HEIGHT, HORIZON = 640, 400, 230


def draw() -> Image.Image:
    """Return the picture."""
    picture = Image.new("RGB", (WIDTH, HEIGHT))
    pen = ImageDraw.Draw(picture)
    for row in range(HEIGHT):
        glow = 1 - abs(row - HORIZON) / HORIZON
        pen.line([(0, row), (WIDTH, row)], (int(60 + 180 * glow), int(70 + 90 * glow), 110))
    pen.ellipse([300, HORIZON - 60, 360, HORIZON], (250, 210, 140))
    pen.rectangle([0, HORIZON, WIDTH, HORIZON + 12], (70, 62, 58))
    for pile in range(20, WIDTH, 60):
        pen.rectangle([pile, HORIZON - 14, pile + 8, HORIZON + 80], (52, 46, 44))
    return picture


if __name__ == "__main__":
    draw().save(Path(__file__).with_name("quay.png"), optimize=True)
