"""What every game hands to the rest: its names, its kernels, and how its policies are written."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from acesim.errors import InputError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def unknown(kind: str, given: str, known: Sequence[str], where: str = "") -> InputError:
    """Return the error for a name that isn't known; it lists those that are."""
    near = difflib.get_close_matches(given, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return InputError(f"unknown {kind} {given!r}{where}; known: {', '.join(known)}{hint}")


@dataclass(frozen=True)
class Switch:
    """A point on which rules differ. ``values`` maps each value to its meaning, default first."""

    name: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Choice:
    """A policy's key that takes one of some words, the default first."""

    name: str
    values: Sequence[str]
    summary: str


@dataclass(frozen=True)
class Number:
    """A policy's key that takes a finite number."""

    name: str
    default: float
    summary: str


@dataclass(frozen=True)
class Item:
    """One of the things that a policy's list may name: by its readable name or by its code."""

    code: str
    summary: str


@dataclass(frozen=True)
class EncodedPolicy:
    """A policy as a kernel reads it. What the numbers mean is the game's own affair."""

    rows: IntArray
    weights: FloatArray


@dataclass(frozen=True)
class PolicyFamily:
    """A named policy, with the keys that tune it.

    ``encode`` gets the value of every key, or for a family with ``items``, by readable name, the
    list of the codes written after the colon.
    """

    name: str
    summary: str
    encode: Callable[[Any], EncodedPolicy]
    keys: Sequence[Choice | Number] = ()
    items: Mapping[str, Item] | None = None


@dataclass(frozen=True)
class Policy:
    """A policy ready to play: ``text`` is its one spelling, in which it is stored and printed.

    ``own`` is None, or the compiled function of a user's own policy.
    """

    text: str
    encoded: EncodedPolicy
    own: Any = None


@dataclass(frozen=True)
class Rules:
    """A variant and its switches; ``codes`` (int64) is what kernels read."""

    variant: str
    switches: Mapping[str, str]
    codes: IntArray

    def text(self) -> str:
        """Return the rules in one line: the variant, and the switches as ``name=value``."""
        return ", ".join([self.variant, *(f"{k}={v}" for k, v in self.switches.items())])


def _no_check(_rules: Rules, _policy: str) -> None:
    """Find nothing wrong."""


@dataclass(frozen=True)
class Game:
    """A game: everything the rest of the package knows about it.

    ``play_block(seed, first, count, rules, policy, weights, scores[, own])``
        compiled, without the GIL; writes the score of each deal (uint8[count]).
    ``trace(pack, rules, policy, weights, seed, index, own)``
        the moves of one game, in notation.
    ``replay(pack, moves, rules)``
        the referee: returns the score, or raises IllegalMove at the first move the rules forbid.
    ``narrate(pack, moves, rules)``
        the same game as lines to read, comments after ``#``.
    ``check(rules, policy)``
        raises InputError for a policy (its text) that the rules make impossible.
    ``own_signature``
        the numba signature of a user's own policy; ``bad_choice`` is the score that marks a deal in
        which such a policy chose a forbidden move.
    """

    name: str
    title: str
    decks: int
    max_score: int
    variants: Mapping[str, str]
    switches: Sequence[Switch]
    policies: Sequence[PolicyFamily]
    default_policy: str
    play_block: Callable[..., None]
    trace: Callable[..., list[str]]
    replay: Callable[..., int]
    narrate: Callable[..., list[str]]
    own_signature: Any
    bad_choice: int = 255
    check: Callable[[Rules, str], None] = _no_check

    def rules(self, variant: str | None = None, switches: Mapping[str, str] | None = None) -> Rules:
        """Return the rules of a variant (the first one by default) with some switches set.

        Raises InputError for an unknown variant, switch or value.
        """
        names = list(self.variants)
        variant = names[0] if variant is None else variant
        if variant not in self.variants:
            raise unknown("variant", variant, names, f" of {self.name}")
        given = dict(switches or {})
        by_name = {switch.name: switch for switch in self.switches}
        for name, value in given.items():
            if name not in by_name:
                raise unknown("rule", name, list(by_name), f" of {self.name}")
            if value not in by_name[name].values:
                raise unknown("value", value, list(by_name[name].values), f" of rule {name}")
        chosen = {
            switch.name: given.get(switch.name, next(iter(switch.values)))
            for switch in self.switches
        }
        codes = [names.index(variant)]
        codes += [list(by_name[name].values).index(value) for name, value in chosen.items()]
        return Rules(variant, chosen, np.array(codes, dtype=np.int64))

    def policy(self, text: str | None = None) -> Policy:
        """Return the policy written ``name``, ``name:key=value,…`` or ``name:item,item,…``.

        Raises InputError for an unknown name, key, value or item; it lists the known ones.
        """
        text = self.default_policy if text is None else text
        name, colon, rest = text.partition(":")
        families = {family.name: family for family in self.policies}
        if name not in families:
            raise unknown("policy", name, list(families), f" of {self.name}")
        family = families[name]
        parts = [part.strip() for part in rest.split(",")] if colon else []
        if family.items is not None:
            return self._listed(family, parts)
        return self._keyed(family, parts)

    def _listed(self, family: PolicyFamily, parts: Sequence[str]) -> Policy:
        items = family.items or {}
        by_word = {name: item.code for name, item in items.items()}
        by_word |= {item.code: item.code for item in items.values()}
        known = [f"{item.code} {name}" for name, item in items.items()]
        for part in parts:
            if part not in by_word:
                raise unknown("rule", part, known, f" in policy {family.name}")
        codes = [by_word[part] for part in parts]
        if not codes:
            raise InputError(
                f"policy {family.name!r} names no rule: write {family.name}:RULE,RULE,… with "
                f"{', '.join(known)}"
            )
        return Policy(f"{family.name}:{','.join(codes)}", family.encode(codes))

    def _keyed(self, family: PolicyFamily, parts: Sequence[str]) -> Policy:
        keys = {key.name: key for key in family.keys}
        values: dict[str, Any] = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if name not in keys:
                if not keys:
                    raise InputError(
                        f"policy {family.name!r} takes no keys, but was given {part!r}: write "
                        f"{family.name} alone"
                    )
                raise unknown("key", name, list(keys), f" of policy {family.name}")
            if not equals or name in values:
                wrong = "given twice" if name in values else "without a value"
                raise InputError(f"key {name!r} of policy {family.name} is {wrong}")
            key = keys[name]
            if isinstance(key, Choice):
                if value not in key.values:
                    raise unknown("value", value, key.values, f" of key {name}")
                values[name] = value
            else:
                values[name] = _finite(value, f"key {name} of policy {family.name}")
        defaults = {
            key.name: key.values[0] if isinstance(key, Choice) else key.default
            for key in family.keys
        }
        written = [
            f"{name}={_number_text(value)}" if isinstance(value, float) else f"{name}={value}"
            for name, value in ((name, values.get(name)) for name in keys)
            if value is not None and value != defaults[name]
        ]
        text = family.name + (":" + ",".join(written) if written else "")
        return Policy(text, family.encode(defaults | values))


def _finite(text: str, what: str) -> float:
    """Return the finite number written in ``text``; raise InputError for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise InputError(f"{text!r} is no number, where {what} needs one")
    return number


def _number_text(number: float) -> str:
    """Return the shortest text that reads back as the same number."""
    return repr(number).removesuffix(".0")
