"""What speaks for a move is true, in every deal that its player can't tell from the real one.

Each kind of reason has a check of its own below, which looks at what the move leads to (the trick
is played on by chance) or counts anew from the piles; a kind without a check fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, islice
from random import Random
from typing import Any

import pytest

from engine import registry
from engine.contract import Ask, Decide, Move, Note, Reason, Scored, Shuffled, State
from engine.games.picchetto_moves import Announce
from engine.options import specs
from tests.engine.table import Dealer, Setting, at_random, next_input

STRENGTH = {"traversone": "4567FCRA23", "briscola": "24567FCR3A"}
TABLES = (
    Setting("traversone", "ciapano", 2),
    Setting("traversone", "ciapano", 3),
    Setting("traversone", "ciapano", 4),
    Setting("traversone", "ciapano", 5),
    Setting("briscola", "classic", 2),
    Setting("briscola", "classic", 3),
    Setting("briscola", "classic", 4),
    Setting("picchetto", "classic", 2),
    Setting("petrangola", "marche", 2),
    Setting("petrangola", "emilia", 4),
    Setting("mambassa", "mambassa", 3),
)
MOST = 110
"""Decisions of each table that are looked at."""


class Case:
    """One reason for one move: `view` as its player sees it, `world` a deal that agrees with it,
    `after` the world after the move."""

    def __init__(self, view: State, world: State, seat: int, move: Move, reason: Reason) -> None:
        self.game = view.game
        self.kind = view.deck.kind
        self.view: Any = view
        self.world: Any = world
        self.seat = seat
        self.move: Any = move
        self.faces = reason.faces
        self.values = reason.values

    @property
    def card(self) -> str:
        """The card that is moved; the reason has to be about it."""
        face = self.world.faces[self.move.slot]
        assert not self.faces or self.faces[0] == face
        return self.kind.text(face)

    @property
    def led(self) -> str:
        """The suit that was led, as its letter."""
        trick = self.pile("trick")
        return trick[0][1] if trick else ""

    def pile(self, name: str, seat: int = -1) -> list[str]:
        """The cards of a pile of the world."""
        slots = (p.slots for p in self.world.piles() if (p.name, p.seat) == (name, seat))
        return [self.kind.text(self.world.faces[slot]) for slot in next(slots, ())]

    @property
    def hand(self) -> list[str]:
        return self.pile("hand", self.seat)

    @property
    def rest(self) -> list[str]:
        """The hand without the card that is moved."""
        hand = self.hand
        hand.remove(self.card)
        return hand

    def out(self) -> list[str]:
        """The cards that the player doesn't hold and that weren't played, as far as it can know."""
        known = {self.kind.text(f) for f in self.view.faces if f < self.kind.size}
        mine = set(self.hand) | set(self.pile("aside")) & known
        gone = set(self.pile("trick")) | set(self.pile("briscola"))
        for seat in self.world.players:
            gone |= set(self.pile("won", seat))
        return [c for c in map(self.kind.text, range(self.kind.size)) if c not in mine | gone]

    def beats(self, card: str, other: str) -> bool:
        """Whether `card` takes from `other` as the better of its suit."""
        order = STRENGTH[self.game.name]
        return card[1] == other[1] and order.index(card[0]) > order.index(other[0])

    def trick(self, rng: Random) -> Note:
        """Who takes the trick and what for, if the others go on by chance."""
        state = self.world.apply(self.move)
        for _ in range(8):
            for note in state.notes:
                if note.kind == "takes":
                    taken: Note = note
                    return taken
            state = state.apply(rng.choice(state.legal()))
        raise AssertionError("the trick doesn't end")

    def scored(self, *hands: tuple[int, ...]) -> tuple[Scored, ...]:
        """What hands are worth by the table's rules."""
        options: Any = self.view.options
        if "decks" in specs(type(options)):
            options = replace(options, decks=self.view.deck.copies)
        return self.game.score(options, [self.kind.join(hand) for hand in hands])

    def worth(self, *hands: tuple[int, ...]) -> list[int]:
        """The ranks of hands against each other, 1 the best."""
        return [one.rank for one in self.scored(*hands)]


Check = Callable[[Case, Random], bool]


def not_taken(case: Case, rng: Random) -> bool:
    return case.card in case.hand and case.trick(rng).seat != case.seat


def taken(case: Case, rng: Random) -> bool:
    note = case.trick(rng)
    return note.seat == case.seat and (not case.values or note.values[0] == case.values[0])


def higher_out(case: Case) -> tuple[int, int]:
    suit = [card for card in case.out() if card[1] == case.card[1]]
    return sum(case.beats(card, case.card) for card in suit), len(suit)


def ducks_high(case: Case, rng: Random) -> bool:
    best = case.kind.text(case.faces[1])
    below = [c for c in case.hand if c[1] == case.led and not case.beats(c, best)]
    return not_taken(case, rng) and not any(case.beats(c, case.card) for c in below)


def must_take(case: Case, _: Random) -> bool:
    best = case.pile("trick")[0]
    for card in case.pile("trick"):
        best = card if case.beats(card, best) else best
    played = [case.kind.text(case.view.faces[move.slot]) for move in case.view.legal(case.seat)]
    return all(case.beats(card, best) for card in played)


def leads_below(case: Case, rng: Random) -> bool:
    """Whoever follows the suit takes it."""
    state = case.world.apply(case.move)
    laid = 0
    while not any(note.kind == "takes" for note in state.notes):
        move: Any = rng.choice(state.legal())
        laid += case.kind.text(state.faces[move.slot])[1] == case.card[1]
        state = state.apply(move)
    taker = next(note.seat for note in state.notes if note.kind == "takes")
    above, suit = higher_out(case)
    return (taker != case.seat if laid else True) and above == suit == case.values[0]


def takes_now(case: Case, rng: Random) -> bool:
    """So much lies there when the card does, and whoever follows can't take it away."""
    lies = [*case.pile("trick"), case.card]
    thirds = sum(3 if card[0] == "A" else card[0] in "32RCF" for card in lies)
    taker = case.trick(rng).seat
    return case.values == (thirds,) and higher_out(case)[0] == 0 and taker == case.seat


def exits(case: Case, _: Random) -> bool:
    found = 0
    for card in case.rest:
        suit = [other for other in case.out() if other[1] == card[1]]
        found += bool(suit) and all(case.beats(other, card) for other in suit)
    return case.values == (found,)


TRAVERSONE: dict[str, Check] = {
    "ducks": not_taken,
    "ducks-high": ducks_high,
    "sheds": lambda c, rng: c.card[1] != c.led and not_taken(c, rng),
    "sheds-ace": lambda c, rng: c.card[0] == "A" and c.card[1] != c.led and not_taken(c, rng),
    "takes": taken,
    "takes-nothing": lambda c, rng: taken(c, rng) and c.trick(rng).values[0] == 0,
    "must-take": must_take,
    "overtaken": lambda c, _: c.values == higher_out(c)[:1],
    "takes-now": takes_now,
    "leads-top": lambda c, rng: not c.led and higher_out(c)[0] == 0 and c.trick(rng).seat == c.seat,
    "leads-below": leads_below,
    "leads-risk": lambda c, _: c.values == higher_out(c) and 0 < c.values[0] < c.values[1],
    "aside": lambda c, _: c.card in c.hand,
    "voids": lambda c, _: all(other[1] != c.card[1] for other in c.rest),
    "exits": exits,
}


def points(case: Case, *cards: str) -> int:
    return sum({"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}.get(card[0], 0) for card in cards)


def trump(case: Case) -> str:
    return case.kind.text(case.world.faces[case.world.briscola])[1]


def wins(case: Case, card: str) -> bool:
    """Whether a card that is out takes the trick from the one that is played."""
    return case.beats(card, case.card) or card[1] == trump(case) != case.card[1]


def loses(case: Case, rng: Random) -> bool:
    return not_taken(case, rng) and not wins_now(case)


def wins_now(case: Case) -> bool:
    trick = case.pile("trick")
    best = trick[0]
    for card in trick:
        if case.beats(card, best) or card[1] == trump(case) != best[1]:
            best = card
    return case.beats(case.card, best) or case.card[1] == trump(case) != best[1]


def least(case: Case) -> bool:
    own = points(case, case.card)
    return case.values == (own,) == (min(points(case, card) for card in case.hand),)


def partner_has(case: Case) -> bool:
    taker = case.world.players[case.world.taker]
    return len(case.world.players) == 4 and (taker - case.seat) % 4 == 2 and not wins_now(case)


BRISCOLA: dict[str, Check] = {
    "takes-by-trump": lambda c, rng: (
        taken(c, rng) and c.card[1] == trump(c) and not points(c, c.card)
    ),
    "takes": taken,
    "takes-empty": lambda c, rng: taken(c, rng) and c.trick(rng).values[0] == 0,
    "takes-surely": lambda c, rng: (
        taken(c, rng) and wins_now(c) and not any(wins(c, other) for other in c.out())
    ),
    "takes-so-far": lambda c, _: (
        wins_now(c) and c.values == (sum(wins(c, other) for other in c.out()),)
    ),
    "feeds-partner": lambda c, rng: (
        partner_has(c)
        and c.values == (points(c, c.card),)
        and (c.trick(rng).seat - c.seat) % 4 == 2
    ),
    "partner-has": lambda c, _: partner_has(c),
    "empty": lambda c, rng: loses(c, rng) and not points(c, c.card, *c.pile("trick")),
    "gives-nothing": lambda c, rng: (
        loses(c, rng)
        and not points(c, c.card)
        and c.values == (points(c, *c.pile("trick")),)
        and not partner_has(c)
    ),
    "gives-least": lambda c, rng: loses(c, rng) and least(c) and not partner_has(c),
    "leads-nothing": lambda c, _: not points(c, c.card) and c.card[1] != trump(c) and not c.led,
    "leads-least": lambda c, _: least(c) and not c.led,
    "keeps-trumps": lambda c, _: (
        c.kind.text(c.world.faces[c.move.slot])[1] != trump(c)
        and c.values == (sum(other[1] == trump(c) for other in c.hand),)
    ),
}

_ORDER = "789TJQKA"


def kept(case: Case) -> list[str]:
    """The cards of the reason, which have to stay in the hand."""
    cards = [case.kind.text(face) for face in case.faces]
    slots = {
        case.kind.text(case.world.faces[slot])
        for slot in range(case.world.deck.size)
        if case.move.given >> slot & 1
    }
    assert set(cards) <= set(case.hand) - slots
    assert len(cards) == case.values[0]
    return cards


def is_run(cards: list[str]) -> bool:
    places = sorted(_ORDER.index(card[0]) for card in cards)
    return len({c[1] for c in cards}) == 1 and places == list(range(places[0], places[-1] + 1))


def is_longest_point(case: Case) -> bool:
    cards = kept(case)
    price = sum(int({"A": "11"}.get(c[0], "10" if c[0] in "TJQK" else c[0])) for c in cards)
    return len({c[1] for c in cards}) == 1 and price == case.values[1]


def claims(case: Case) -> list[Any]:
    """The claims in the same category that are legal for whoever sees the hand."""
    moves: list[Any] = [m for m in case.view.legal(case.seat) if isinstance(m, Announce)]
    return [move.claim for move in moves]


def longest(case: Case) -> int:
    """What the own hand holds in the category that is talked about: the longest suit or run."""
    suits = [[c for c in case.hand if c[1] == suit] for suit in "hdcs"]
    if case.world.talk.category.name == "POINT":
        most = max(map(len, suits))
        return most if most > 2 else 0
    best = 0
    for suit in suits:
        for size in range(len(suit), 2, -1):
            places = [{_ORDER[n + k] for k in range(size)} for n in range(9 - size)]
            if any(run <= {c[0] for c in suit} for run in places):
                best = max(best, size)
    return best


def french_beats(card: str, other: str) -> bool:
    return card[1] == other[1] and _ORDER.index(card[0]) > _ORDER.index(other[0])


def led_card(case: Case) -> str:
    return case.kind.text(case.world.faces[case.world.led])


def lowest_winner(case: Case) -> bool:
    winners = [c for c in case.hand if french_beats(c, led_card(case))]
    return case.card in winners and not any(french_beats(case.card, c) for c in winners)


def under(case: Case, rng: Random) -> bool:
    suit = [c for c in case.hand if c[1] == led_card(case)[1]]
    lower = any(french_beats(case.card, other) for other in suit)
    can = any(french_beats(other, led_card(case)) for other in suit)
    return case.card in suit and not lower and not can and not_taken(case, rng)


def throws_low(case: Case, rng: Random) -> bool:
    lower = [c for c in case.hand if _ORDER.index(c[0]) < _ORDER.index(case.card[0])]
    return not lower and led_card(case)[1] not in {c[1] for c in case.hand} and not_taken(case, rng)


PICCHETTO: dict[str, Check] = {
    "keeps-set": lambda c, _: len({card[0] for card in kept(c)}) == 1,
    "keeps-run": lambda c, _: is_run(kept(c)),
    "keeps-point": lambda c, _: is_longest_point(c),
    "bianca": lambda c, _: not any(card[0] in "JQK" for card in c.hand),
    "claims-all": lambda c, _: not any(other.beats(c.move.claim) for other in claims(c)),
    "claims-part": lambda c, _: (
        c.values == (c.move.claim.size, max(claim.size for claim in claims(c)))
        and c.values[0] < c.values[1]
    ),
    "no-better": lambda c, _: (
        c.values == (c.world.talk.claim.size, longest(c)) and c.values[0] > c.values[1]
    ),
    "as-many": lambda c, _: c.values == (longest(c),) == (c.world.talk.claim.size,),
    "leads-master": taken,
    "leads-long": lambda c, _: (
        c.values == (sum(o[1] == c.card[1] for o in c.hand),)
        and all(c.values[0] >= sum(o[1] == suit for o in c.hand) for suit in "hdcs")
    ),
    "takes-cheaply": lambda c, rng: taken(c, rng) and lowest_winner(c),
    "takes-last": lambda c, rng: (
        taken(c, rng) and sum(french_beats(o, led_card(c)) for o in c.hand) == 1
    ),
    "under": under,
    "throws-low": throws_low,
}


def hand_of(case: Case) -> tuple[int, ...]:
    slots = next(p.slots for p in case.view.piles() if (p.name, p.seat) == ("hand", case.seat))
    return tuple(case.view.faces[slot] for slot in slots)


def monte_of(case: Case) -> tuple[int, ...]:
    slots = next(p.slots for p in case.view.piles() if p.name == "monte")
    return tuple(case.view.faces[slot] for slot in slots)


def reachable(case: Case) -> list[tuple[int, ...]]:
    """Every hand that an exchange leads to."""
    cards = hand_of(case) + monte_of(case)
    moves: list[Any] = [m for m in case.view.legal(case.seat) if hasattr(m, "give")]
    return [monte_of(case), *(move.hand(cards) for move in moves)]


def after(case: Case) -> tuple[int, ...]:
    """The hand that the move makes."""
    if hasattr(case.move, "give"):
        made: tuple[int, ...] = case.move.hand(hand_of(case) + monte_of(case))
        return made
    return monte_of(case)


def raises(case: Case, _: Random) -> bool:
    better, worse = case.worth(case.faces, hand_of(case))
    return case.faces == after(case) and better < worse


def best_hand(case: Case, rng: Random) -> bool:
    return raises(case, rng) and case.worth(case.faces, *reachable(case))[0] == 1


SPECIAL = {"tris", "scala", "three-aces", "petrangulo"}
SPECIAL_OF_FOUR = {"tris", "quartina", "scala-lunga", "quarantuna", "mambassa"}


def makes_special(case: Case, known: list[int], monte: list[int]) -> bool:
    """Whether some known cards make a special hand with some of the monte."""
    size = len(hand_of(case))
    kinds = SPECIAL if size == 3 else SPECIAL_OF_FOUR
    cards = list(enumerate([*known, *monte]))
    for hand in combinations(cards, size):
        if hand[0][0] < len(known):
            (found,) = case.scored(tuple(face for _, face in hand))
            if found.kind in kinds:
                return True
    return False


def denies(case: Case, _: Random) -> bool:
    """The next player could have made a special hand of the monte, and can't any more."""
    state = case.world.apply(case.move)
    players = case.view.players
    following = players[(players.index(case.seat) + 1) % len(players)]
    hand = next(p.slots for p in case.view.piles() if (p.name, p.seat) == ("hand", following))
    known = [face for face in (case.view.faces[slot] for slot in hand) if face < case.kind.size]
    monte, own = list(monte_of(case)), list(hand_of(case))
    left = list(case.move.monte((*own, *monte))) if hasattr(case.move, "give") else own
    return (
        case.values == (following, len(known))
        and state.hand == case.world.hand
        and isinstance(state.turn(), Decide | Ask)
        and makes_special(case, known, monte)
        and not makes_special(case, known, left)
        and set(case.faces) == set(monte) - set(left) != set()
    )


def spare(case: Case, _: Random) -> bool:
    (found,) = case.scored(hand_of(case))
    return case.kind.text(case.faces[0]) not in dict(found.counted)


MONTE: dict[str, Check] = {
    "cut": lambda c, _: not c.view.faces,
    "monte": lambda c, _: c.faces == monte_of(c),
    "raises": raises,
    "best-hand": best_hand,
    "denies": denies,
    "nothing": lambda c, _: c.faces == hand_of(c) and c.worth(c.faces, *reachable(c))[0] == 1,
    "spare": spare,
}
CHECKS = {
    "traversone": TRAVERSONE,
    "briscola": BRISCOLA,
    "picchetto": PICCHETTO,
    "petrangola": MONTE,
    "mambassa": MONTE,
}


def decisions(setting: Setting, seed: int) -> Iterator[tuple[State, int]]:
    """Positions of matches by chance as whoever is to choose sees them."""
    rng = Random(seed)
    dealer = Dealer(rng, live=True, generous=True)
    choose = at_random(rng)
    state = setting.start()
    while True:
        turn = state.turn()
        seats = turn.seats if isinstance(turn, Ask) else ()
        if isinstance(turn, Decide):
            seats = (turn.seat,)
        for seat in seats:
            yield dealer.seen_by(state, seat).view(seat), seat
        given = next_input(state, dealer, choose)
        state = setting.start() if given is None else state.apply(given)


@pytest.mark.parametrize("setting", TABLES, ids=str)
def test_every_reason_is_true_where_it_is_given(setting: Setting) -> None:
    rng = Random(77)
    game = registry.get(setting.game)
    seen: set[str] = set()
    for view, seat in islice(decisions(setting, 4), MOST):
        legal = list(view.legal(seat))
        for move in rng.sample(legal, min(5, len(legal))):
            found = game.reasons(view, seat, move)
            if not found:
                continue
            world = game.determine(view, seat, rng) if view.faces else view
            for reason in found:
                case = Case(view, world, seat, move, reason)
                assert CHECKS[setting.game][reason.kind](case, rng), (reason, move)
                seen.add(reason.kind)
    assert len(seen) > 2


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_kind_of_reason_comes_up(name: str) -> None:
    """A check that nothing is ever put to would prove nothing."""
    rng = Random(6)
    game = registry.get(name)
    seen: set[str] = set()
    wanted = set(CHECKS[name]) - {
        "petrangola": {"spare"},
        "mambassa": {"cut"},
        "picchetto": {"bianca"},
    }.get(name, set())
    for seed in range(12):
        for setting in (table for table in TABLES if table.game == name):
            for view, seat in islice(decisions(setting, seed), 400):
                legal = list(view.legal(seat))
                for move in rng.sample(legal, min(4, len(legal))):
                    seen |= {reason.kind for reason in game.reasons(view, seat, move)}
        if seen >= wanted:
            break
    assert seen == wanted


@pytest.mark.parametrize("setting", TABLES, ids=str)
def test_reasons_are_the_same_in_every_deal_that_looks_alike(setting: Setting) -> None:
    rng = Random(3)
    game = registry.get(setting.game)
    for view, seat in islice(decisions(setting, 9), 40):
        if not view.faces:
            continue
        hidden = {game.determine(view, seat, rng).faces for _ in range(2)}
        for faces in hidden:
            whole = view.with_faces(faces)
            for move in list(view.legal(seat))[:3]:
                assert game.reasons(whole, seat, move) == game.reasons(view, seat, move)


def test_a_carta_bianca_speaks_for_itself() -> None:
    """Once in 1,800 hands by chance, so it is dealt here."""
    rng = Random(1)
    dealer, state = Dealer(rng), Setting("picchetto", "classic", 2).start()
    while not isinstance(state.turn(), Decide):
        given = next_input(state, dealer, at_random(rng))
        assert given is not None
        before, state = state, state.apply(given)
    turn = state.turn()
    assert isinstance(turn, Decide)
    own = next(p.slots for p in state.piles() if (p.name, p.seat) == ("hand", turn.seat))
    kind = state.deck.kind
    low = [face for face in range(kind.size) if kind.text(face)[0] not in "JQK"]
    deck = dict(zip(own, low, strict=False))
    rest = [face for face in range(kind.size) if face not in deck.values()]
    faces = bytes(deck[slot] if slot in deck else rest.pop() for slot in range(kind.size))
    view = before.apply(Shuffled(faces)).view(turn.seat)
    legal = view.legal(turn.seat)
    found = [game_reasons for m in legal if (game_reasons := view.game.reasons(view, turn.seat, m))]
    assert (Reason("bianca"),) in found
    case = Case(view, view, turn.seat, legal[0], Reason("bianca"))
    assert PICCHETTO["bianca"](case, rng)
