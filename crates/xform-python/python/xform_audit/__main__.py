"""The program `xform`: `python -m xform_audit` and the script of that name."""

from __future__ import annotations

import sys

from xform_audit import _native


def main() -> None:
    # Started by path: with `-m`, a file in the current folder could replace a module.
    sys.exit(_native.run_program([sys.executable, __file__], sys.argv[1:]))


if __name__ == "__main__":
    main()
