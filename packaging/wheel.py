"""Builds the wheel that a release publishes, and checks it.

    python packaging/wheel.py --out target/wheels [--target TRIPLE] [--profile release]

On Linux the wheel is linked by zig against the glibc of manylinux2014 (2.17), so that it runs on old clusters, too, and
`auditwheel` has to agree. Where zig cannot be had the wheel needs a glibc as new as that of this machine; a line says so,
and `--strict` makes it an error. Needs Rust and packaging/requirements.txt, of which maturin is enough to build.
"""

import argparse
import importlib.util
import os
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ABI = "cp310-abi3"
LARGEST_WHEEL_BYTES = 6_000_000


def build(out, profile, target, with_zig):
    """Runs maturin; the wheel is the one file of `out`."""
    command = [sys.executable, "-m", "maturin", "build", "--locked", "--profile", profile, "--out", str(out)]
    if target:
        command += ["--target", target]
    if with_zig:
        command += ["--zig", "--compatibility", "manylinux2014"]
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.whl"):
        old.unlink()
    # maturin looks for zig on the path, where an environment that is not activated is not.
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path})
    if done.returncode:
        sys.exit(done.returncode)
    (wheel,) = out.glob("*.whl")
    return wheel


def faults(wheel, is_manylinux):
    """What is wrong with a wheel, in words."""
    _, version, *tag = wheel.stem.split("-")
    wanted = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    if version != wanted:
        yield f"its version is {version}, that of Cargo.toml {wanted}"
    if "-".join(tag[:2]) != ABI:
        yield f"its tag is {'-'.join(tag)}, not {ABI}-…"
    if wheel.stat().st_size > LARGEST_WHEEL_BYTES:
        yield f"it has {wheel.stat().st_size} bytes, more than {LARGEST_WHEEL_BYTES}"
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("spinney/__init__.py", "spinney/py.typed", "spinney/_spinney.pyi", "LICENSE-MIT", "LICENSE-APACHE"):
        if not any(name.endswith(needed) for name in names):
            yield f"{needed} is missing"
    if is_manylinux:
        if not re.search(r"manylinux(2014|_2_17)_", tag[-1]):
            yield f"its platform is {tag[-1]}, not manylinux2014"
        yield from refused_by_auditwheel(wheel)


def refused_by_auditwheel(wheel):
    """Empty where the symbols and libraries that a wheel needs are those of manylinux2014."""
    if importlib.util.find_spec("auditwheel") is None:
        print("skipped: auditwheel is not installed (pip install -r packaging/requirements.txt)")
        return
    shown = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True)
    if shown.returncode:
        yield f"auditwheel failed: {shown.stderr}"
    found = re.search(r'platform\s+tag:\s+"manylinux_2_(\d+)_', shown.stdout)
    if found is None or int(found[1]) > 17:
        yield f"auditwheel does not take it for manylinux2014: {shown.stdout}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "target" / "wheels")
    parser.add_argument("--profile", default="release")
    parser.add_argument("--target", help="a Rust target other than this machine's")
    parser.add_argument("--strict", action="store_true", help="fail where zig is missing on Linux")
    asked = parser.parse_args()
    is_linux = "linux" in asked.target if asked.target else platform.system() == "Linux"
    with_zig = is_linux and importlib.util.find_spec("ziglang") is not None
    if is_linux and not with_zig:
        print("zig is not installed (pip install ziglang): the wheel needs a glibc as new as that of this machine")
        if asked.strict:
            sys.exit(1)
    wheel = build(asked.out.absolute(), asked.profile, asked.target, with_zig)
    wrong = list(faults(wheel, with_zig))
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB" + "".join(f"\n  fault: {fault}" for fault in wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
