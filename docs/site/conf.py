"""Sphinx settings of the documentation (`make docs`)."""

import os
import re
import tomllib
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Whether the package can be had from PyPI; until then every page installs from the source. One setting switches pages and
# messages: that of python/spinney/_install.py.
PUBLISHED = re.search(r"^PUBLISHED = (True|False)$", (ROOT / "python/spinney/_install.py").read_text(), re.M)[1] == "True"
# Where the source can be read, as https://host/owner/name; while empty, paths of the repository are shown as text.
REPOSITORY = ""

project = "Spinney"
author = "The Spinney authors"
version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
release = version

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["_build", "_parts"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "Spinney"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "faq": [], "how-it-works": []}
if REPOSITORY:
    html_theme_options["icon_links"] = [{"name": "Source", "url": REPOSITORY, "icon": "fa-brands fa-github"}]
copyright = "the Spinney authors; MIT or Apache-2.0"

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
_FILE = re.compile(r"^```(\w+) file=(\S+)$", re.MULTILINE)
_INSTALL = "<!-- install -->"


def _to_repository(text, folder):
    """Links to files of the repository that are not pages of this site."""

    def changed(match):
        label, target, _ = match.groups()
        place = Path(os.path.normpath(folder / target))
        if place.is_relative_to(HERE):
            return match[0]
        if not place.exists():
            raise FileNotFoundError(f"{folder}: a link to {target}, which is not there")
        path = place.relative_to(ROOT).as_posix()
        if REPOSITORY:
            return f"[{label}]({REPOSITORY}/blob/main/{quote(path)})"
        return f"`{path}`" if label.strip("`/") in path else f"{label} (`{path}`)"

    return _LINK.sub(changed, text)


def _read_page(app, name, source):
    part = "install-published.md" if PUBLISHED else "install-source.md"
    text = source[0].replace(_INSTALL, (HERE / "_parts" / part).read_text().rstrip())
    # A block that is a file has the file's name above it.
    text = _FILE.sub(r"`\2`:\n\n```\1", text)
    source[0] = _to_repository(text, (HERE / name).parent)


def _read_included(app, relative, parent, content):
    content[0] = _to_repository(content[0], (HERE / relative).resolve().parent)


def setup(app):
    app.connect("source-read", _read_page)
    app.connect("include-read", _read_included)
    return {"parallel_read_safe": True}
