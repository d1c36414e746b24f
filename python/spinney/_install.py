"""How the package is installed: its name on PyPI, and whether it can be had there.

This is the one place that knows. Messages ask it for a command; a release sets ``PUBLISHED`` (packaging/RELEASE.md), and
``python/tests/test_install.py`` holds that no other text of the repository names a command that does not work yet.
"""

from __future__ import annotations

import importlib
from types import ModuleType

#: The name on PyPI. ``spinney`` there is another project's; the import stays ``spinney``.
DISTRIBUTION = "spinney-learn"

#: Whether PyPI has it.
PUBLISHED = False


def command(extra: str = "") -> str:
    """The command that installs the package, with an extra if one is named."""
    extras = f"[{extra}]" if extra else ""
    if PUBLISHED:
        return f'pip install "{DISTRIBUTION}{extras}"'
    return f'pip install "FILE{extras}", where FILE is the wheel that `make wheel` wrote or a checkout of the sources'


def require(module: str, extra: str) -> ModuleType:
    """An optional module.

    Raises
    ------
    ImportError
        If it is missing, with the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise ImportError(f"this needs {name}, which could not be imported ({error}); {command(extra)}") from error
