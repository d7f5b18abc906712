"""``python -m duelbench``."""

from duelbench.cli import main

if __name__ == "__main__":
    main(prog_name="duelbench")
