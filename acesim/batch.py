"""Plan a batch, play its blocks on threads, and count the scores.

Blocks are started and counted in the order of their deals, so what has been counted is always a run
of neighbouring deals: a batch that is interrupted, or that stops when its interval is narrow
enough, is the batch of so many deals, whatever the number of threads.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import signal
import textwrap
import threading
import time
import tokenize
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from acesim import deals as packs_of
from acesim import games, jit, stats
from acesim.cards import Pack
from acesim.errors import InputError
from acesim.game import Game, Policy, Rules
from acesim.results import Result
from acesim.version import VERSION

BLOCK = 20_000
"""Deals that a thread plays before it can be interrupted; some 10 ms for a simple policy."""

MAX_DEALS = 10**15
"""No batch is larger: at ten million deals a second it would take three years."""

MAX_JOBS = 1024

Scores = npt.NDArray[np.uint8]
OwnPolicy = Callable[..., int]
Progress = Callable[[int, int], None]


class Interrupted(KeyboardInterrupt):
    """A batch was interrupted; ``result`` holds what had been finished, or None for nothing."""

    def __init__(self, result: Result | None) -> None:
        super().__init__()
        self.result = result


def available_jobs() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _reason(error: Exception) -> str:
    """Return the line of numba's long messages that says what is wrong, and where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    places = [line for line in lines if line.startswith('File "')]
    said = next((line for line in lines if not line.startswith("Failed in")), type(error).__name__)
    for before, line in pairwise(lines):
        if before.endswith("raised a specific error:"):
            said = line
    return said + (f" ({places[0].rstrip(':')})" if places else "")


def own_policy(function: OwnPolicy, game: Game) -> Policy:
    """Compile a user's function as a policy of ``game``; see :func:`simulate` for what it is given.

    Its text is ``own:NAME#DIGEST``, the digest being of the function's source where there is one.
    Raises InputError when numba can't compile it.
    """
    name = getattr(function, "__name__", "function")
    try:
        with jit.first_use(function):
            compiled = jit.pointer(function, game.own_signature)
    except Exception as error:
        raise InputError(
            f"policy function {name!r} can't be compiled by numba: {_reason(error)}"
        ) from error
    try:
        source = textwrap.dedent(inspect.getsource(function))
        digest = "#" + hashlib.sha256(source.encode()).hexdigest()[:8]
    except (OSError, TypeError, SyntaxError, tokenize.TokenError):
        digest = ""  # made by exec, or typed into an interpreter: there is no source to be found
    # The kernel still wants rows of numbers; it doesn't look at them.
    return Policy(f"own:{name}{digest}", game.policy().encoded, compiled)


class Batch:
    """A game, its rules, a policy and a seed: everything that fixes the score of every deal."""

    def __init__(
        self,
        game: str,
        policy: str | OwnPolicy | None = None,
        *,
        variant: str | None = None,
        rules: Mapping[str, str] | None = None,
        seed: int = 1,
    ) -> None:
        """Check the conditions and compile nothing yet. Raises InputError for unusable ones."""
        self.game: Game = games.game(game)
        self.rules: Rules = self.game.rules(variant, rules)
        if callable(policy):
            self.policy: Policy = own_policy(policy, self.game)
        else:
            self.policy = self.game.policy(policy)
        self.game.check(self.rules, self.policy.text)
        packs_of.check_seed(seed)
        self.seed = seed

    def scores(self, first: int, count: int) -> Scores:
        """Play deals ``first`` … ``first + count - 1``; return their scores, uint8[count]."""
        scores = np.zeros(count, np.uint8)
        encoded = self.policy.encoded
        call = (
            np.uint64(self.seed),
            np.uint64(first % packs_of.INDEX_END),
            count,
            self.rules.codes,
            encoded.rows,
            encoded.weights,
            scores,
        )
        if self.policy.own is None:
            self.game.play_block(*call)
        else:
            self.game.play_block(*call, self.policy.own)
            if self.game.bad_choice in scores:
                index = first + int(np.argmax(scores == self.game.bad_choice))
                raise InputError(
                    f"policy {self.policy.text} chose a move that the rules forbid in the deal of "
                    f"seed {self.seed}, index {index}: choose a pile p with legal[p] > 0, or -1"
                )
        return scores

    def moves(self, pack: Pack, index: int) -> list[str]:
        """Return the moves of the game on ``pack``; ``index`` names the stream of coin tosses."""
        encoded = self.policy.encoded
        return self.game.trace(
            pack, self.rules.codes, encoded.rows, encoded.weights, self.seed, index, self.policy.own
        )

    def prepare(self) -> None:
        """Compile the kernel, or load it, before any thread starts."""
        with jit.first_use((self.game.name, self.policy.own is None)):
            self.scores(0, 0)

    def blocks(self, first: int, deals: int, jobs: int) -> Iterator[Scores]:
        """Yield the scores of block after block, in order, played on ``jobs`` threads."""
        starts = iter(range(first, first + deals, BLOCK))
        pending: deque[Future[Scores]] = deque()
        with ThreadPoolExecutor(jobs, thread_name_prefix="acesim") as pool:
            try:
                while True:
                    while len(pending) < 3 * jobs and (start := next(starts, None)) is not None:
                        count = min(BLOCK, first + deals - start)
                        pending.append(pool.submit(self.scores, start, count))
                    if not pending:
                        return
                    scores = pending[0].result()
                    pending.popleft()
                    yield scores
            finally:
                for future in pending:
                    future.cancel()

    def result(
        self, first: int, counts: npt.NDArray[np.int64], seconds: float, confidence: float
    ) -> Result:
        """Return what was counted with the conditions it holds under."""
        return Result(
            game=self.game.name,
            variant=self.rules.variant,
            rules=dict(self.rules.switches),
            policy=self.policy.text,
            seed=self.seed,
            first=first,
            score_counts=counts,
            seconds=seconds,
            version=VERSION,
            confidence=confidence,
        )


def check_jobs(jobs: int | None) -> int:
    """Return the number of threads to use; None is one a processor. Raises InputError."""
    if jobs is None:
        return available_jobs()
    if not 1 <= jobs <= MAX_JOBS:
        raise InputError(f"jobs {jobs} is out of range: 1 to {MAX_JOBS}")
    return jobs


def check_deals(deals: int) -> None:
    """Raise InputError unless ``deals`` is a number of deals that a batch can have."""
    if not 1 <= deals <= MAX_DEALS:
        raise InputError(f"deals {deals} is out of range: 1 to {MAX_DEALS}")


@contextmanager
def _deferred_interrupts() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C wait until a block has been counted; a second one doesn't wait.

    Yields a function that says whether Ctrl-C was pressed. Does nothing in a thread other than the
    main one, or where the program has a handler of its own.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False
        return
    pressed = False

    def press(_number: int, _frame: Any) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def simulate(
    game: str = "aces-up",
    policy: str | OwnPolicy | None = None,
    *,
    variant: str | None = None,
    rules: Mapping[str, str] | None = None,
    deals: int | None = None,
    seed: int = 1,
    first: int = 0,
    jobs: int | None = None,
    until_margin: float | None = None,
    confidence: float = stats.CONFIDENCE,
    progress: Progress | None = None,
    each_block: Callable[[int, Scores], None] | None = None,
) -> Result:
    """Play a batch of seeded deals and return how many ended with each score.

    Parameters
    ----------
    game
        The game's name; ``acesim games`` lists them.
    policy
        A policy as text (``acesim policies GAME`` lists them), or a function of your own that numba
        can compile; it is called when an empty pile may be filled. In Aces Up it is given (to read,
        not to write)

        * ``piles``, uint8[4, 52]: ``piles[p, 0]`` is the top card of pile p, ``piles[p, 1]`` the
          card below it, and so on, 255 where there is none. A card is ``13 * suit + rank``: suits
          CDHS, ranks 0 for an ace to 12 for a king;
        * ``heights``, int64[4]: cards in each pile;
        * ``legal``, int64[4]: how many cards of each pile may be moved as a unit, 0 for a pile that
          may not fill (1 is the most unless runs move);
        * ``stock``, int: cards left in the stock;
        * ``chance``, a random uint64 fixed by (seed, index) and the number of the question;

        and returns the pile to take from, 0 to 3, plus 4 for every card beyond the first that
        moves with it, or -1 to leave the pile empty.
    variant, rules
        The variant's name and rule switches, such as ``{"fills": "forced"}``.
    deals
        Number of deals; 1,000,000 by default. With ``until_margin``, the most deals to play
        (default: no limit but 10^15).
    seed, first
        Deals ``(seed, first)``, ``(seed, first + 1)``, … are played; both unsigned 64-bit.
    jobs
        Number of threads, by default one a processor. The result doesn't depend on it.
    until_margin
        Stop once half the width of the win rate's interval is at most this rate.
    confidence
        The confidence of intervals, between 0 and 1.
    progress
        Called after each block with the deals finished and the deals planned (with
        ``until_margin``, an estimate).
    each_block
        Called in order with the index of a block's first deal and its scores (uint8).

    Raises
    ------
    InputError
        When something given is unusable; the message says what would be right.
    Interrupted
        On Ctrl-C; holds the result of the deals finished.
    """
    batch = Batch(game, policy, variant=variant, rules=rules, seed=seed)
    if until_margin is not None and not 0 < until_margin < 1:
        raise InputError(f"margin {until_margin} is out of range: above 0 and below 1")
    if not 0 < confidence < 1:
        raise InputError(f"confidence {confidence} is out of range: above 0 and below 1")
    if deals is None:
        limit = min(MAX_DEALS, packs_of.INDEX_END - first)
        deals = 1_000_000 if until_margin is None else max(limit, 1)
    check_deals(deals)
    packs_of.check_range(first, deals)
    jobs = check_jobs(jobs)
    counts = np.zeros(batch.game.max_score + 1, np.int64)
    finished = 0
    started = time.perf_counter()

    def partial() -> Result:
        return batch.result(first, counts, time.perf_counter() - started, confidence)

    try:
        batch.prepare()
        started = time.perf_counter()
        with _deferred_interrupts() as interrupted:
            for scores in batch.blocks(first, deals, jobs):
                if each_block is not None:
                    each_block(first + finished, scores)
                counts += np.bincount(scores, minlength=len(counts))
                finished += len(scores)
                planned = deals
                enough = False
                if until_margin is not None:
                    wins = int(counts[-1])
                    enough = stats.wilson_margin(wins, finished, confidence) <= until_margin
                    needed = stats.deals_for_margin(
                        (wins + 2) / (finished + 4), until_margin, confidence
                    )
                    planned = finished if enough else min(deals, max(needed, finished + 1))
                if progress is not None:
                    progress(finished, planned)
                if enough:
                    break
                if interrupted() and finished < deals:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise Interrupted(partial() if finished else None) from None
    return partial()
