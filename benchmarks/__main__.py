"""Measure what the README claims, in one run, as ratios: ``python -m benchmarks``.

Machines are shared and noisy, so what is compared is measured in turns and the fastest turn of each
counts. Every figure is a ratio to something measured in the same run; the times beside them are for
orientation.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from acesim import deals as packs_of
from acesim import jit
from acesim.batch import Batch, available_jobs, simulate
from acesim.cards import card_text
from acesim.games.aces_up.rules import BIT
from acesim.version import VERSION

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import naive

RUN = [sys.executable, "-c", "from acesim.cli import main; main()"]
DECK = [card_text(card) for card in range(52)]
POLICIES = ("never", "tallest", "random", "any-discard", "most-discards", "most-before-deal")


@jit.kernel
def shuffle_our_way(count, dice, ordered, pack):
    """Make packs as the kernels do."""
    for index in range(count):
        pack[:] = ordered
        packs_of.shuffle(np.uint64(1), np.uint64(index), dice, pack)
    return pack[0]


@jit.kernel
def shuffle_straight(count, ordered, pack):
    """Make packs the straightforward unbiased way: SplitMix64, and Lemire's method card by card."""
    state = np.uint64(1)
    for _ in range(count):
        pack[:] = ordered
        for here in range(51, 0, -1):
            bound = np.uint64(here + 1)
            while True:
                state += np.uint64(0x9E3779B97F4A7C15)
                word = state
                word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                word ^= word >> np.uint64(31)
                low = word * bound
                # The remainder is only worked out where the word might have to be rejected.
                if low >= bound or low >= (np.uint64(0) - bound) % bound:
                    break
            there = jit.multiply_high(word, bound)
            card = pack[here]
            pack[here] = pack[there]
            pack[there] = card
    return pack[0]


def my_tallest(piles, heights, legal, stock, chance):  # noqa: ARG001
    """Choose as ``tallest`` does, in a user's own words."""
    best = -1
    for pile in range(4):
        if legal[pile] > 0 and (best < 0 or heights[pile] > heights[best]):
            best = pile
    return best


def seconds(function):
    """Return how long a call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turns(functions, turns):
    """Call the functions in turns; return the fastest time of each."""
    times = {name: [] for name in functions}
    for _ in range(turns):
        for name, function in functions.items():
            times[name].append(seconds(function))
    return {name: min(found) for name, found in times.items()}


def kernels(deals, turns):
    """Nanoseconds a deal, one thread: shuffles, whole games, and the plain twin."""
    ordered = BIT.copy()
    pack = ordered.copy()
    dice = packs_of.DICE[52]
    batches = {name: Batch("aces-up", name) for name in POLICIES}
    batches["own tallest"] = Batch("aces-up", my_tallest)
    functions = {
        "straight shuffle": lambda: shuffle_straight(deals, ordered, pack),
        "our shuffle": lambda: shuffle_our_way(deals, dice, ordered, pack),
    }
    for name, batch in batches.items():
        functions[name] = lambda batch=batch: batch.scores(0, deals)
    shuffle_straight(1, ordered, pack)
    shuffle_our_way(1, dice, ordered, pack)
    for batch in batches.values():
        batch.prepare()
    fastest = {name: 1e9 * s / deals for name, s in in_turns(functions, turns).items()}
    return fastest, {
        "plain twin": plain(naive_packs, turns),
        "plain twin, random.shuffle": plain(library_packs, turns),
    }


def naive_packs(count):
    """Yield packs from (seed, index) by the shuffle's plain twin."""
    groups = [range(int(row[0]), int(row[1])) for row in packs_of.DICE[52]]
    for index in range(count):
        yield naive.shuffled(1, index, groups, DECK)


def library_packs(count):
    """Yield packs by Python's own shuffle, which are other packs, but quicker made."""
    generator = random.Random(1)
    for _ in range(count):
        pack = list(DECK)
        generator.shuffle(pack)
        yield pack


def plain(packs, turns, count=1000):
    """Nanoseconds that the plain twin takes for a pack and its game of ``tallest``."""
    policy = naive.policy("tallest")
    play = lambda: [naive.Game(pack).play(policy) for pack in packs(count)]  # noqa: E731
    return 1e9 * min(seconds(play) for _ in range(turns)) / count


def threads(deals, turns):
    """How much faster two threads are than one: a batch's, and bare ones that share nothing.

    The second figure is what the machine has to give at that moment.
    """
    batch = Batch("aces-up", "tallest")

    def bare(jobs):
        share = deals // jobs
        started = [
            threading.Thread(target=batch.scores, args=(job * share, share)) for job in range(jobs)
        ]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()

    times = in_turns(
        {
            "batch 1": lambda: simulate("aces-up", "tallest", deals=deals, jobs=1),
            "batch 2": lambda: simulate("aces-up", "tallest", deals=deals, jobs=2),
            "bare 1": lambda: bare(1),
            "bare 2": lambda: bare(2),
        },
        turns,
    )
    return times["batch 1"] / times["batch 2"], times["bare 1"] / times["bare 2"]


def peak_memory(deals):
    """Peak memory of a process that plays so many deals, in MB."""
    arguments = [
        "run",
        "aces-up",
        "--policy",
        "tallest",
        "--deals",
        str(deals),
        "--quiet",
        "--json",
    ]
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *RUN, *arguments], capture_output=True, text=True, check=True
    )
    unit = 1 if platform.system() == "Darwin" else 1024
    return int(done.stdout) * unit / 1e6


def whole_process(arguments, **environment):
    """Seconds that a command takes from start to end."""
    env = os.environ | environment
    return seconds(
        lambda: subprocess.run([*RUN, *arguments], env=env, check=True, stdout=subprocess.DEVNULL)
    )


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--deals", type=int, default=500_000, help="deals a turn")
    parser.add_argument("--turns", type=int, default=7, help="turns; the fastest counts")
    parser.add_argument(
        "--memory-deals", type=int, default=100_000_000, help="deals of the large run"
    )
    parser.add_argument("--skip-memory", action="store_true", help="leave the large run out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    fastest, twins = kernels(options.deals, options.turns)
    straight = fastest["straight shuffle"]
    ours = fastest["our shuffle"]
    record = {
        "version": VERSION,
        "python": platform.python_version(),
        "processors": available_jobs(),
        "deals": options.deals,
        "turns": options.turns,
        "nanoseconds": {name: round(value, 1) for name, value in fastest.items()},
        "tallest_per_140_ns": fastest["tallest"] / 140,
        "tallest_per_straight_shuffle": fastest["tallest"] / straight,
        "tallest_per_our_shuffle": fastest["tallest"] / ours,
        "straight_per_our_shuffle": straight / ours,
        "own_per_built_in": fastest["own tallest"] / fastest["tallest"],
        "plain_twin_per_kernel": twins["plain twin"] / fastest["tallest"],
        "plain_twin_with_library_shuffle_per_kernel": (
            twins["plain twin, random.shuffle"] / fastest["tallest"]
        ),
    }
    both = threads(4 * options.deals, options.turns)
    record["two_threads_per_one"], record["two_bare_threads_per_one"] = both
    million = ["run", "aces-up", "--policy", "tallest", "--deals", "1000000", "--quiet", "--json"]
    whole_process(million)
    record["help_seconds"] = min(whole_process(["--help"]) for _ in range(options.turns))
    record["million_warm_seconds"] = min(whole_process(million) for _ in range(3))
    with tempfile.TemporaryDirectory() as empty:
        record["million_cold_seconds"] = whole_process(million, ACESIM_CACHE_DIR=empty)
    if not options.skip_memory:
        small, large = peak_memory(100_000), peak_memory(options.memory_deals)
        record["peak_mb_100000_deals"] = small
        record[f"peak_mb_{options.memory_deals}_deals"] = large
        record["peak_mb_more"] = large - small
    if options.json:
        print(json.dumps(record))
        return
    print(f"acesim {VERSION}, Python {record['python']}, {record['processors']} processors")
    print(f"fastest of {options.turns} turns of {options.deals:,} deals, one thread\n")
    print(f"{'':28}{'ns a deal':>10}{'/ straight':>12}{'/ our shuffle':>15}")
    for name, value in fastest.items():
        print(f"{name:28}{value:10.0f}{value / straight:12.2f}{value / ours:15.2f}")
    for name, value in twins.items():
        print(f"{name:28}{value:10.0f}{value / straight:12.0f}{value / ours:15.0f}")
    print()
    for name, value in record.items():
        if isinstance(value, float):
            print(f"{name:44}{value:12.2f}")


if __name__ == "__main__":
    main()
