"""The command tacho."""

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tacho")


def main():
    try:
        os.execv(PROGRAM, ["tacho", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tacho: {PROGRAM} cannot be started: {error.strerror}; install the wheel again")


if __name__ == "__main__":
    main()
