"""Where Busso keeps its files: by platformdirs, or below BUSSO_HOME where that is set.

Law: names of folders only; nothing is made here.
"""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """The folder of identities, matches and logs."""
    home = os.environ.get("BUSSO_HOME")
    if home:
        return Path(home)
    from platformdirs import user_data_path  # noqa: PLC0415  # slow, and rarely needed

    return user_data_path("busso", appauthor=False)


def logs_folder() -> Path:
    """Where the log of a match goes if no other place was asked for."""
    return data_folder() / "logs"
