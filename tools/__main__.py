"""`python -m tools` is `busso`, for a checkout that isn't installed."""

from __future__ import annotations

import sys

from tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
