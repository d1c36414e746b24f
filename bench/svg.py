"""Small line charts as SVG: a grid of panels with labelled axes, each line labelled in a legend of its panel."""

import dataclasses
import math
from xml.sax.saxutils import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73")
WIDTH, HEIGHT = 330, 250  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 40, 46  # margins inside it
TITLE = 56  # height of the figure's heading


@dataclasses.dataclass
class Panel:
    title: str
    x_label: str
    y_label: str
    lines: dict  # label: [(x, y), …]
    log_y: bool = False


def figure(title, subtitle, grid):
    """The SVG text of a grid (rows of panels)."""
    width = WIDTH * max(len(row) for row in grid)
    height = TITLE + HEIGHT * len(grid)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        text(16, 24, title, size=16, weight="bold"),
        text(16, 42, subtitle, colour="#555"),
    ]
    for i, row in enumerate(grid):
        for j, panel in enumerate(row):
            parts.append(f'<g transform="translate({j * WIDTH} {TITLE + i * HEIGHT})">{draw(panel)}</g>')
    return "\n".join([*parts, "</svg>\n"])


def draw(panel):
    points = [p for line in panel.lines.values() for p in line]
    if not points:
        return text(LEFT, TOP, f"{panel.title}: no figures")
    x_of = scale([x for x, _ in points], (LEFT, WIDTH - RIGHT), log=False)
    y_of = scale([y for _, y in points], (HEIGHT - BOTTOM, TOP), log=panel.log_y)
    parts = [text(LEFT, 16, panel.title, weight="bold"), *y_axis(panel, y_of), *x_axis(panel, x_of, points)]
    for index, (label, line) in enumerate(panel.lines.items()):
        parts += draw_line(line, COLOURS[index], x_of, y_of)
        parts.append(legend(label, index))
    return "\n".join(parts)


class Scale:
    def __init__(self, ticks, low, high, log, span):
        self.ticks, self.low, self.high, self.log, self.span = ticks, low, high, log, span

    def __call__(self, value):
        low, high, value = (math.log10(v) if self.log else v for v in (self.low, self.high, value))
        start, end = self.span
        return round(start + (end - start) * (value - low) / (high - low), 1)


def scale(values, span, log):
    """A linear scale from 0, or a logarithmic one between powers of ten."""
    if log:
        low = math.floor(math.log10(min(values)) + 1e-9)
        high = max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))
        return Scale([10.0**k for k in range(low, high + 1)], 10.0**low, 10.0**high, True, span)
    top = max(values) or 1
    step = 10 ** math.floor(math.log10(top / 4))
    step *= next(k for k in (1, 2, 2.5, 5, 10) if top / (step * k) <= 5)
    count = math.ceil(top / step - 1e-9)
    return Scale([k * step for k in range(count + 1)], 0, count * step, False, span)


def y_axis(panel, y_of):
    for tick in y_of.ticks:
        y = y_of(tick)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#e4e4e4"/>'
        yield text(LEFT - 6, y + 4, tick_label(tick), anchor="end", colour="#555")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield text(16, middle, panel.y_label, anchor="middle", turn=True)


def x_axis(panel, x_of, points):
    base = HEIGHT - BOTTOM
    yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base}" y2="{base}" stroke="#888"/>'
    for tick in sorted({x for x, _ in points}):
        x = x_of(tick)
        yield f'<line x1="{x}" x2="{x}" y1="{base}" y2="{base + 4}" stroke="#888"/>'
        yield text(x, base + 16, tick_label(tick), anchor="middle", colour="#555")
    yield text((LEFT + WIDTH - RIGHT) / 2, base + 34, panel.x_label, anchor="middle")


def draw_line(line, colour, x_of, y_of):
    places = [(x_of(x), y_of(y)) for x, y in sorted(line)]
    path = " ".join(f"{x},{y}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
    for x, y in places:
        yield f'<circle cx="{x}" cy="{y}" r="2.8" fill="{colour}"/>'


def legend(label, index):
    x = LEFT + index * 120
    mark = f'<line x1="{x}" x2="{x + 16}" y1="28" y2="28" stroke="{COLOURS[index]}" stroke-width="2.4"/>'
    return mark + text(x + 21, 32, label, colour=COLOURS[index])


def text(x, y, content, size=None, weight=None, anchor=None, colour=None, turn=False):
    attributes = {"font-size": size, "font-weight": weight, "text-anchor": anchor, "fill": colour}
    if turn:
        attributes["transform"] = f"rotate(-90 {x} {y})"
    given = "".join(f' {name}="{value}"' for name, value in attributes.items() if value is not None)
    return f'<text x="{x}" y="{y}"{given}>{escape(content)}</text>'


def tick_label(value):
    if value >= 1000 and value % 1000 == 0:
        return f"{value / 1000:g}k"
    return f"{value:g}"
