"""What is worked out by tables, by bits or on demand, against what defines it.

Law: each test says the definition in its plainest form and compares; the matches are by chance.
"""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import registry
from engine.cards import ITALIAN, UNKNOWN, Deck
from engine.contract import Decide, mask_of
from engine.errors import NotationError
from engine.games.mambassa_hands import DECLARED
from engine.games.mambassa_moves import DECLARE, NONE
from engine.games.mambassa_position import special, where_special
from engine.games.petrangola import Petrangola, PetrangolaState, Phase
from engine.games.petrangola_hands import PETRANGOLA, judge
from engine.games.petrangola_moves import Camicia, Exchange
from engine.games.picchetto_cards import FRENCH, PACKS, Pack
from engine.games.picchetto_declare import (
    Category,
    Claim,
    Demand,
    choices,
    longest_suit,
    numbers,
    statable,
    values,
    worth,
)
from engine.games.picchetto_moves import Produce
from engine.games.picchetto_state import PicchettoState
from tests.engine.petrangola_hands import is_petrangola
from tests.engine.table import Dealer, Setting, at_random, options_of, play

often = settings(max_examples=200, deadline=None, derandomize=True, database=None)
packs = st.sampled_from(list(PACKS.values()))
hands = st.integers(0, 2**32 - 1)


@often
@given(
    st.lists(st.integers(0, 41), max_size=3),
    st.integers(0, 39),
    st.integers(0, 3),
    st.sampled_from([1, 2]),
)
def test_a_deck_in_octets_holds_each_card_as_often_as_it_has_copies(
    odd: list[int], at: int, less: int, copies: int
) -> None:
    deck = Deck(ITALIAN, copies)
    cards = [deck.face(n) for n in range(deck.size)]
    cards[at : at + less] = odd
    if sorted(cards) == sorted(deck.face(n) for n in range(deck.size)):
        deck.check(bytes(cards))
    else:
        with pytest.raises(NotationError):
            deck.check(bytes(cards))


@often
@given(packs, st.sampled_from([Category.POINT, Category.SEQUENCE]), st.integers(3, 8), hands)
def test_what_may_be_stated_is_what_some_part_is_worth(
    pack: Pack, category: Category, size: int, hand: int
) -> None:
    found = numbers(statable(pack, category, size, hand))
    assert found == tuple(sorted(values(pack, category, size, hand)))


@often
@given(st.integers(0, 255), st.integers(0, 3), hands, st.integers(3, 8), st.integers(0, 75))
def test_a_point_is_so_many_cards_of_one_suit(
    byte: int, suit: int, others: int, size: int, low: int
) -> None:
    demand = Demand(0, Claim(Category.POINT, size), low, 75, more=False, counts=True)
    for hand in (byte << 8 * suit, byte << 8 * suit | others & others >> 3 & others >> 11):
        good = hand.bit_count() == size == longest_suit(hand) and FRENCH.price(hand) >= low
        assert worth(FRENCH, demand, hand) == ((size,) if good else ())


@pytest.mark.rule("PIC-26")
def test_what_can_be_laid_open_are_the_parts_that_meet_the_demand() -> None:
    """In the same order, whether they are made by slots or by cards."""
    met = set()
    for seed in range(12):
        rng = Random(seed)
        dealer = Dealer(rng, generous=seed % 2 == 0)
        for state, made, _ in play(
            Setting("picchetto", "classic", 2).start(), dealer, at_random(rng)
        ):
            if isinstance(made, Produce) and isinstance(state, PicchettoState) and state.talk:
                demand, known = state.talk.due[0], state.known
                parts = choices(state.match.pack, demand, known.hand(state.held[state.at]))
                slots = [known.slots(part) for part in parts]
                assert list(state.legal()) == [Produce(mask) for mask in slots]
                met.add((demand.claim.category, demand.high > 75))
    assert met >= {(Category.POINT, True), (Category.POINT, False), (Category.SEQUENCE, True)}


@pytest.mark.rule("PET-36")
@pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
def test_a_hand_is_completed_by_its_last_exchange(live: bool) -> None:
    """A kept monte is later than all dealt hands, each turn later than what was before it."""
    swaps = 0
    for seed in range(20):
        rng = Random(seed)
        when: list[int] = []
        start = Setting("petrangola", "marche", 3 + seed % 3).start()
        for before, made, after in play(start, Dealer(rng, live=live), at_random(rng)):
            assert isinstance(before, PetrangolaState)
            assert isinstance(after, PetrangolaState)
            if before.phase is Phase.CHOOSE:
                when = list(range(len(before.players)))
                if isinstance(made, Camicia):
                    when[-1] = len(when)
                    swaps += 1
            elif before.phase is Phase.PLAY and isinstance(made, Exchange | Camicia):
                when[before.at] = len(when) + before.turns + 1
            if Phase.CHOOSE < after.phase < Phase.ASK and after.hand == before.hand:
                assert list(after.when) == when
                if before.phase is Phase.CHOOSE and isinstance(before.turn(), Decide):
                    dealer = after.players[-1]
                    sees = bool(after.shown[dealer] >> 3 * (len(when) - 1) & 7)
                    assert sees is (after.phase is Phase.PLAY and not isinstance(made, Camicia))
    assert swaps > 20


def test_hands_that_are_judged_together_are_worth_what_each_is() -> None:
    game = registry.get("petrangola")
    assert isinstance(game, Petrangola)
    rng = Random(5)
    for preset in game.presets:
        ranks = judge(options_of(game, preset), 2)
        for _ in range(300):
            faces = bytes(rng.choices(range(ITALIAN.size), k=6))
            slots = [(0, 1, 2), (3, 4, 5), (5, 0, 3)]
            found = [ranks.values[grade] for grade in ranks.graded(faces, slots)]
            assert found == [ranks.value([faces[slot] for slot in hand]) for hand in slots]
            for hand, judged in zip(slots, found, strict=True):
                orders = permutations(faces[slot] for slot in hand)
                assert {ranks.value(order) for order in orders} == {judged}
                assert judged.petrangola is is_petrangola([faces[s] for s in hand], ranks.ace_low)
                assert judged.petrangola is (ranks.values.index(judged) >= PETRANGOLA)
        assert list(ranks.values) == sorted(set(ranks.values))


@pytest.mark.rule("MAM-31", "MAM-32")
def test_where_hands_to_be_declared_lie_is_what_each_hand_tells() -> None:
    rng = Random(7)
    for _ in range(60):
        faces = bytearray(rng.sample(range(ITALIAN.size), ITALIAN.size))
        hands = [[slot for slot, f in enumerate(faces) if mask >> f & 1] for mask in DECLARED]
        hands += [rng.sample(range(ITALIAN.size), 4) for _ in range(5)]
        for slot in rng.sample(range(ITALIAN.size), rng.choice((0, 3, 12, 40))):
            faces[slot] = UNKNOWN
        declared, hidden = where_special(bytes(faces))
        for hand in hands:
            mask = mask_of(hand)
            told = True if mask in declared else None if mask & hidden else False
            assert told is special(bytes(faces), hand)


@pytest.mark.rule("MAM-32")
def test_a_view_asks_anew_where_hands_to_be_declared_lie() -> None:
    rng = Random(8)
    asked = 0
    start = Setting("mambassa", "mambassa", 3).start()
    for state, _, after in play(start, Dealer(rng, live=False), at_random(rng)):
        if isinstance(state.turn(), Decide) and len(state.legal()) == 1:
            asked += 1
            assert state.view(None).legal() == (DECLARE, NONE)
            assert len(state.legal()) == 1
        if asked and after.hand > 1:
            break
    assert asked > 3
