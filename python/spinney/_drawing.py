"""SVG that notebooks show."""

from __future__ import annotations

import os
import re
from html import escape
from pathlib import Path


class Drawing:
    """An SVG picture. Notebooks show it inline; ``str()`` gives its text.

    Attributes
    ----------
    svg : str
        The SVG text.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing: {len(self.svg)} characters of SVG>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def grid(pictures: list[str], captions: list[str], columns: int) -> Drawing:
    """Pictures side by side, each with a line of text below."""
    sizes = [_size(svg) for svg in pictures]
    width = max([160.0] + [w for w, _ in sizes])
    height = max([80.0] + [h for _, h in sizes]) + 26
    columns = max(1, min(columns, len(pictures)))
    rows = -(-len(pictures) // columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * width:.0f}" height="{rows * height:.0f}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for i, (svg, caption, (w, h)) in enumerate(zip(pictures, captions, sizes, strict=True)):
        x, y = (i % columns) * width, (i // columns) * height
        left, top = x + (width - w) / 2, y + (height - 26 - h) / 2
        parts.append(svg.replace("<svg ", f'<svg x="{left:.1f}" y="{top:.1f}" ', 1))
        middle = x + width / 2
        parts.append(
            f'<text x="{middle:.1f}" y="{y + height - 8:.1f}" text-anchor="middle" fill="#333">{escape(caption)}</text>'
        )
    parts.append("</svg>")
    return Drawing("\n".join(parts))


def _size(svg: str) -> tuple[float, float]:
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    return (float(found[1]), float(found[2])) if found else (160.0, 80.0)
