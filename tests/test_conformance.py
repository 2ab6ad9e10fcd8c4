"""Every registered game, through the same checks."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from regenerate import PLAYTHROUGHS, playthrough

import acesim
from acesim.batch import simulate
from acesim.cards import parse_pack
from acesim.errors import InputError
from acesim.game import Choice, Number
from acesim.games import NAMES
from acesim.games import game as find
from acesim.moves import parse_moves

FILES = sorted(PLAYTHROUGHS.glob("*/*.txt"))


def example(family):
    """A text for each policy of a game."""
    if family.items is None:
        return family.name
    return f"{family.name}:{','.join(item.code for item in family.items.values())}"


@pytest.mark.parametrize("name", NAMES)
def test_a_game_states_its_contract(name):
    game = find(name)
    assert game.name == name
    assert game.decks in (1, 2)
    assert 0 < game.max_score < game.bad_choice
    assert all(game.variants.values())
    assert all(switch.name and len(switch.values) > 1 for switch in game.switches)
    assert game.policy().text == game.default_policy
    assert game.rules().codes.dtype == np.int64
    for family in game.policies:
        assert family.summary
        for key in family.keys:
            assert isinstance(key, Choice | Number)
            assert key.summary


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_plays_every_variant_and_is_traced(name):
    game = find(name)
    for variant in game.variants:
        for family in game.policies:
            text = example(family)
            result = simulate(name, text, variant=variant, deals=20, seed=2)
            assert result.deals == 20
            assert result.policy == game.policy(result.policy).text
            scores = [
                acesim.trace(name, text, variant=variant, seed=2, index=i).score for i in range(20)
            ]
            counts = np.bincount(scores, minlength=game.max_score + 1)
            assert counts.tolist() == result.score_counts.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_of_a_game_has_a_golden_playthrough(name):
    commands = [shlex.split(f.read_text().splitlines()[0]) for f in FILES if f.parent.name == name]
    default = next(iter(find(name).variants))
    shown = {c[c.index("--variant") + 1] if "--variant" in c else default for c in commands}
    assert shown == set(find(name).variants)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_playthrough_is_read_as_moves_that_replay_to_its_score(path: Path):
    text = path.read_text()
    game = find(path.parent.name)
    _, title, _, pack, *_ = text.splitlines()
    variant, *switches = title.split(": ")[1].split(", ")
    rules = game.rules(variant, dict(switch.split("=") for switch in switches))
    cards = parse_pack(pack.removeprefix("# pack "), game.decks)
    score = game.replay(cards, parse_moves(text), rules)
    assert f"score {score} of {game.max_score}" in text.splitlines()[-1]


@pytest.mark.parametrize("text", ["t1", "t1>", "x1>t2", "t1>t2x", "stock>t t1>out2"])
def test_what_is_no_move_is_refused(text):
    with pytest.raises(InputError, match=r"move \d, '.*', can't be read: write SOURCE>DEST"):
        parse_moves(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_playthroughs(path: Path):
    text = path.read_text()
    command, _, _ = text.partition("\n")
    assert command.split()[1:4] == ["acesim", "trace", path.parent.name]
    assert playthrough(command) == text
