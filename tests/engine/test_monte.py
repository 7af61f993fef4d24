"""What the games with a monte share: exchanges as plans, what speaks for one, tokens and the pot.

Law: plain definitions beside what is worked out; what a game makes of it is in the game's tests.
"""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import ITALIAN, UNKNOWN, Deck
from engine.contract import Reason
from engine.errors import NotationError
from engine.games import mambassa_moves, petrangola_moves
from engine.games.monte_advice import Turn
from engine.games.monte_moves import CAMICIA, KNOCK, Exchange, check_held, check_seen, exact, pairs
from engine.games.monte_tokens import Shown, Tokens, ranked

often = settings(max_examples=200, deadline=None, derandomize=True, database=None)
EXCHANGES = (*petrangola_moves.EXCHANGES, *mambassa_moves.EXCHANGES)


def _match(tokens: tuple[int, ...], paid: tuple[int, ...], drawn: tuple[int, ...]) -> Tokens:
    return Tokens(None, Deck(ITALIAN), None, tokens, paid, drawn)


@often
@given(st.sampled_from(EXCHANGES))
def test_the_cards_of_an_exchange_change_places_and_no_others(move: Exchange) -> None:
    size = 3 if isinstance(move, petrangola_moves.Exchange) else 4
    hand, monte = list("abcd"[:size]), list("wxyz"[:size])
    cards = tuple(map(ord, hand + monte))
    for give, take in zip(move.give, move.take, strict=True):
        hand[give], monte[take] = monte[take], hand[give]
    assert move.hand(cards) == tuple(map(ord, hand))
    assert move.monte(cards) == tuple(map(ord, monte))
    assert move.order(cards) == move.hand(cards) + move.monte(cards)


def test_exchanges_are_equal_by_what_is_given_and_taken_in_one_game() -> None:
    one = petrangola_moves.Exchange((0,), (1,))
    assert one == petrangola_moves.Exchange((0,), (1,)) != petrangola_moves.Exchange((1,), (0,))
    other: Exchange = mambassa_moves.Exchange((0,), (1,))
    assert other not in (one,)
    assert other != mambassa_moves.Exchange((0,), (1,), True)
    assert len({*EXCHANGES}) == len(EXCHANGES) == 18 + 136


def test_pairs_take_as_many_as_they_give_the_given_ones_first() -> None:
    assert list(pairs(((0,), (1,), (0, 1)))) == [
        *(((0,), (0,)), ((0,), (1,)), ((1,), (0,)), ((1,), (1,))),
        ((0, 1), (0, 1)),
    ]


@pytest.mark.parametrize("moves", [petrangola_moves, mambassa_moves])
@pytest.mark.parametrize(
    ("give", "take"),
    [((0,), (0, 1)), ((), ()), ((1, 0), (0, 1)), ([0], (0,)), ((0,), (4,)), ((0, 0), (0, 1))],
)
def test_what_is_no_exchange_is_refused(moves: object, give: object, take: object) -> None:
    with pytest.raises(NotationError):
        moves.Exchange(give, take)  # type: ignore[attr-defined]  # either module has one


def test_a_discard_follows_or_it_does_not() -> None:
    with pytest.raises(NotationError):
        mambassa_moves.Exchange((0,), (0,), 1)  # type: ignore[arg-type]


def test_piles_are_whole_when_cards_can_be_exchanged() -> None:
    check_held(3, (1, 2, 3), [4, 5, 6])
    for hand, monte in (((1, 2), (4, 5, 6)), ((1, 2, 3), ()), ((), ())):
        with pytest.raises(NotationError):
            check_held(3, hand, monte)


def test_no_hidden_card_is_named() -> None:
    check_seen("7c", "hand")
    with pytest.raises(NotationError, match="of the monte"):
        check_seen("??", "monte")


def test_places_are_plain_numbers() -> None:
    assert exact((0, 1), (2,))
    assert not exact((0, True), (2,))
    assert not exact((0,), [2])


@pytest.mark.rule("GEN-02", "PET-03")
def test_who_is_put_out_loses_all_tokens_to_the_pot_at_their_price() -> None:
    match = _match((2, 0, 3), (1, 4, 0), (0, 1, 0))
    assert match.pot == 4
    out = match.without({2}, 5)
    assert (out.tokens, out.paid, out.drawn) == ((2, 0, 0), (1, 4, 15), (0, 1, 0))
    assert out.pot == 4 + 15
    assert match.tokens == (2, 0, 3)
    assert match.without((0, 2), 0).paid == match.paid
    assert match.without((), 5) is match


@often
@given(
    st.lists(st.integers(0, 30), min_size=2, max_size=6),
    st.lists(st.integers(0, 5), min_size=2, max_size=6),
    st.data(),
)
@pytest.mark.rule("PET-45", "PET-60", "MAM-33")
def test_the_pot_is_shared_out_to_the_last_coin(
    paid: list[int], drawn: list[int], data: st.DataObject
) -> None:
    seats = min(len(paid), len(drawn))
    before = tuple(min(pair) for pair in zip(paid, drawn, strict=False))
    match = _match((0,) * seats, tuple(paid[:seats]), before)
    some = [w for n in range(1, seats + 1) for w in combinations(range(seats), n)]
    winners = data.draw(st.sampled_from(some))
    dealer = data.draw(st.integers(0, seats - 1))
    result = match.result(winners, "split", dealer)
    assert sum(result.won) == sum(result.paid)
    gains = [own - already for own, already in zip(result.won, before, strict=True)]
    assert [seat for seat, n in enumerate(gains) if n and seat not in winners] == []
    share = match.pot // len(winners)
    odd = dealer if dealer in winners else winners[0]
    assert [gains[seat] for seat in winners if seat != odd] == [share] * (len(winners) - 1)
    assert gains[odd] == share + match.pot % len(winners)
    assert (result.winners, result.reason) == (winners, "split")


def test_a_match_that_goes_on_has_paid_nobody_but_what_was_drawn() -> None:
    assert _match((1, 1), (3, 3), (0, 2)).result((), "unfinished", 0).won == (0, 2)


def test_equal_hands_share_a_rank_and_the_next_one_is_below_all_of_them() -> None:
    assert ranked((3, 0, 2), ("a", "b", "c"), (5, 9, 9), {3: 1}, {0: 2}) == (
        Shown(3, "a", 3, 1, 0),
        Shown(0, "b", 1, 0, 2),
        Shown(2, "c", 1, 0, 0),
    )


class _Sum:
    """A judge to whom the higher sum is the better hand."""

    def value(self, hand: tuple[int, ...]) -> SimpleNamespace:
        return SimpleNamespace(key=sum(hand))


def _turn(hand: tuple[int, ...], monte: tuple[int, ...], seen: int = 0b111111) -> Turn:
    """The turn of seat 0 of two, after which the other one has the last."""
    view = SimpleNamespace(
        match=SimpleNamespace(judge=_Sum()),
        monte=(3, 4, 5),
        players=(0, 1),
        held=((0, 1, 2), (6, 7, 8)),
        faces=hand + monte + (UNKNOWN,) * 3,
        at=0,
        most=0,
        turns=0,
        left=-1,
        visible=lambda _: seen,
        hand_of=lambda _: (0, 1, 2),
    )
    return Turn(view, 0, 1000)


def test_a_camicia_is_judged_by_the_hand_that_it_takes() -> None:
    exchanges = petrangola_moves.EXCHANGES
    assert _turn((1, 2, 3), (7, 8, 9)).moved(CAMICIA, exchanges) == (
        Reason("best-hand", (7, 8, 9)),
    )
    assert _turn((1, 2, 9), (2, 3, 8)).moved(CAMICIA, exchanges) == (Reason("raises", (2, 3, 8)),)
    assert _turn((7, 8, 9), (1, 2, 3)).moved(CAMICIA, exchanges) == ()


def test_an_exchange_is_judged_beside_all_others_and_a_kept_hand_too() -> None:
    exchanges = petrangola_moves.EXCHANGES
    one = petrangola_moves.Exchange((0,), (2,))
    assert _turn((1, 8, 9), (2, 3, 4)).moved(one, exchanges) == (Reason("best-hand", (4, 8, 9)),)
    assert _turn((1, 2, 9), (5, 6, 7)).moved(one, exchanges) == (Reason("raises", (7, 2, 9)),)
    assert _turn((7, 8, 9), (1, 2, 3)).moved(KNOCK, exchanges) == (Reason("nothing", (7, 8, 9)),)
    assert _turn((7, 8, 9), (1, 2, 8)).moved(KNOCK, exchanges) == ()


def test_nothing_is_said_of_cards_that_the_seat_does_not_see() -> None:
    for hidden in (0b1, 0b100000):
        turn = _turn((1, 2, 3), (7, 8, 9), 0b111111 & ~hidden)
        assert turn.moved(CAMICIA, petrangola_moves.EXCHANGES) == ()
    assert _turn((1, 2, 3), (7, 8, 9), 0b111000).chosen() == (Reason("monte", (7, 8, 9)),)
    assert _turn((1, 2, 3), (7, 8, 9), 0b110111).chosen() == ()
