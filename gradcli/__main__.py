"""Entry point of `python -m gradcli`: the command line."""

import sys

from gradcli.terminal.cli import main

if __name__ == "__main__":
    sys.exit(main())
