"""Write the golden files again. Run by hand, and only when a change of packs or play is meant.

    python tests/regenerate.py

A playthrough's first line is the command that writes the rest of it.
"""

import shlex
import subprocess
import sys
from pathlib import Path

from acesim.cards import pack_text
from acesim.deals import pack
from acesim.version import VERSION

HERE = Path(__file__).parent
PLAYTHROUGHS = HERE / "playthroughs"
PACKS = HERE / "golden_packs.txt"


def playthrough(command):
    """Return what a playthrough file holds: the command, and what it prints."""
    words = shlex.split(command.removeprefix("# acesim "))
    run = "from acesim.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", run, *words], capture_output=True, text=True, check=True
    )
    return command + "\n" + done.stdout.replace(f"acesim {VERSION}", "acesim")


def golden_packs(lines):
    """Return the lines of the golden packs again: decks, seed, index and the pack."""
    for line in lines:
        decks, seed, index = (int(word) for word in line.split(":")[0].split())
        yield f"{decks} {seed} {index}: {pack_text(pack(seed, index, decks))}"


if __name__ == "__main__":
    for path in sorted(PLAYTHROUGHS.glob("*/*.txt")):
        path.write_text(playthrough(path.read_text().splitlines()[0]))
    PACKS.write_text("\n".join(golden_packs(PACKS.read_text().splitlines())) + "\n")
