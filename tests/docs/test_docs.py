"""Every code block of the documentation runs, page by page, in a folder of its own.

The program is $SPINNEY or target/release/spinney; the Python package is the one installed.
``python tests/docs/test_docs.py [PAGE...]`` writes what blocks print into the pages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from blocks import DOCS, ROOT, RUNNABLE, blocks_of, pages  # noqa: E402

RUN_PAGE = Path(__file__).with_name("run_page.py")
SECONDS_A_PAGE = 240
#: Blocks that need what a test machine has not: a cluster, the network, hours.
MAX_BLOCKS_NOT_RUN = 25


def name_of(page: Path) -> str:
    return str(page.relative_to(DOCS))


def program() -> Path | None:
    candidates = [os.environ.get("SPINNEY"), ROOT / "target/release/spinney", shutil.which("spinney")]
    return next((Path(c).resolve() for c in candidates if c and Path(c).exists()), None)


def run_page(page: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The page's blocks, run in a folder, with the program and this Python on the path."""
    found = program()
    tools = folder.parent / f"{folder.name}-bin"
    tools.mkdir(exist_ok=True)
    if found is not None and not (tools / "spinney").exists():
        (tools / "spinney").symlink_to(found)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPINNEY")}
    environment["PATH"] = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, str(RUN_PAGE), str(page), *options]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS_A_PAGE
    )


@pytest.mark.parametrize("page", [p for p in pages() if any(b.runs for b in blocks_of(p.read_text()))], ids=name_of)
def test_page(page, tmp_path):
    if program() is None and any(b.runs and b.language == "sh" for b in blocks_of(page.read_text())):
        pytest.skip("the program spinney is not built")
    folder = tmp_path / "page"
    folder.mkdir()
    done = run_page(page, folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_of_the_readme(tmp_path):
    """The lines for chemists, as they stand, on a small table and a small library."""
    if program() is None:
        pytest.skip("the program spinney is not built")
    section = (ROOT / "README.md").read_text().split("## For chemists")[1].split("```sh")[1].split("```")[0]
    lines = [line.split("#")[0].strip() for line in section.splitlines()]
    commands = [line for line in lines if line.startswith("spinney ")]
    assert len(commands) >= 5
    rings = ["C1CC1", "C1CCC1", "C1CCCC1", "C1CCCCC1", "c1ccccc1", "c1ccncc1", "c1ccoc1", "c1ccsc1", "C1CCOC1", "C1CCNCC1"]
    molecules = [ring + "C" * length + end for ring in rings for length in range(3) for end in ["O", "N", "C", "Cl"]]
    rows = [f"{smiles},{int(smiles.endswith(('O', 'N')))}" for smiles in molecules]
    (tmp_path / "activity.csv").write_text("smiles,active\n" + "\n".join(rows) + "\n")
    (tmp_path / "library.smi").write_text("".join(f"{smiles} m{i}\n" for i, smiles in enumerate(molecules[:9])))
    for command in commands:
        arguments = [str(program()), *command.split()[1:]]
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS_A_PAGE)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert {path.name for path in tmp_path.iterdir()} >= {"model.json", "predictions.csv", "why.html", "report.html"}


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_blocks_are_understood(page):
    """No block is left out by a slip of the pen, or without a reason."""
    for block in blocks_of(page.read_text()):
        where = f"{page}:{block.line}: ```{block.language} {block.options}"
        if block.language in RUNNABLE:
            assert block.options in ("", "fails") or len(block.reason or "") > 5, where
        elif block.options and not block.language.startswith("{"):
            assert block.is_output or block.file, where


def test_few_blocks_are_not_run():
    """How many are not run, and why; shown with -s."""
    blocks = [(page, block) for page in pages() for block in blocks_of(page.read_text())]
    left_out = [(page, block) for page, block in blocks if block.reason is not None]
    print(f"\n{sum(block.runs for _, block in blocks)} blocks run, {len(left_out)} do not:")
    for page, block in left_out:
        print(f"  {name_of(page)}:{block.line}: {block.reason}")
    assert len(left_out) <= MAX_BLOCKS_NOT_RUN


def python_page() -> str:
    """The page on the Python package, made from its docstrings."""
    command = [sys.executable, str(DOCS / "site/python_api.py")]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_the_page_on_python_is_current():
    assert (DOCS / "site/reference/python.md").read_text() == python_page(), "run `make docs-outputs`"


if __name__ == "__main__":
    (DOCS / "site/reference/python.md").write_text(python_page())
    chosen = [Path(a).resolve() for a in sys.argv[1:]] or pages()
    for chosen_page in chosen:
        if any(block.runs for block in blocks_of(chosen_page.read_text())):
            with tempfile.TemporaryDirectory() as place:
                home = Path(place, "page")
                home.mkdir()
                result = run_page(chosen_page, home, "--update")
                print(result.stdout + result.stderr, end="", flush=True)
