"""A position of Picchetto and the way forward from it.

Law: this file holds the table of what is due when, and what ends a deal or a match. It must never
know how cards are dealt, nor hold a rule of an earlier part of the hand (picchetto_exchange,
picchetto_dialogue, picchetto_talk, picchetto_play) or count totals by itself (picchetto_match).

    phase    turn()                          next
    -------  ------------------------------  ----------------------------------------------------
    DRAW     Cards(Draw)                     SHUFFLE: the lower card deals (PIC-02)
    SHUFFLE  Cards(Shuffle)                  SERVE: reseal and show the hands
    SERVE    Cards(Reseal | Show .. Open ..) what `wait.aim` says
    ELDER    Decide(elder)                   SERVE; FIX after carta bianca
    FIX      Decide(younger)                 SERVE: the elder's carta bianca is opened
    CHANGE   Decide(elder)                   SERVE
    YOUNGER  Decide(younger)                 SERVE
    CLAIM    Decide(elder)                   COUNTER
    COUNTER  Decide(younger)                 CLAIM, STATE, PRODUCE, PLAY
    STATE    Decide(elder)                   VERDICT
    VERDICT  Decide(younger)                 PRODUCE
    PRODUCE  Decide(who scored or tied)      SERVE: open the cards; PRODUCE, CLAIM, PLAY, REVEAL
    PLAY     Decide(seat)                    SERVE: open the card; PLAY, REVEAL
    REVEAL   Cards(Reveal)                   SHUFFLE, OVER
    OVER     Over

An open state passes over SERVE and REVEAL by itself. A card that refutes a promise leads to
REVEAL at once, and so does a score that reaches the target (PIC-40). `Leave` leads to OVER from
wherever it comes, and nothing of a hand that isn't audited counts (GEN-02).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.contract import (
    Cards,
    Decide,
    Drawn,
    Input,
    Leave,
    Move,
    Over,
    Resealed,
    Reveal,
    Revealed,
    Seen,
    Shuffled,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games import picchetto_match
from engine.games.picchetto_cards import hand_of
from engine.games.picchetto_declare import Category
from engine.games.picchetto_exchange import AFTER_TRADES
from engine.games.picchetto_frame import ALL_SLOTS, ELDER, YOUNGER, Act, Aim, Deal, Phase
from engine.games.picchetto_match import Match
from engine.games.picchetto_moves import (
    Announce,
    Bianca,
    Change,
    Play,
    Produce,
    Say,
    Tell,
    slots_of,
)
from engine.games.picchetto_play import Playing
from engine.games.picchetto_talk import Talking
from engine.position import fresh_note, note, open_slots

_REVEAL: Final = Cards((Reveal(),))

# Members as plain names: to look one up in its class takes longer than to compare it.
_ACT_RESEAL: Final = Act.RESEAL
_AIM_LAID: Final = Aim.LAID
_AIM_PRODUCED: Final = Aim.PRODUCED
_CATEGORY_POINT: Final = Category.POINT
_PHASE_OVER: Final = Phase.OVER
_PHASE_REVEAL: Final = Phase.REVEAL
_PHASE_SERVE: Final = Phase.SERVE
_PHASE_YOUNGER: Final = Phase.YOUNGER


class PicchettoState(Talking, Playing):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> PicchettoState:
        handler = _TABLE[self.phase].get(type(given))
        if handler is not None:
            return handler(self, given)
        if isinstance(given, Move) and isinstance(self.due, Decide):
            raise _misplaced(self.phase)
        raise OutOfTurn(f"{type(given).__name__} isn't due in phase {self.phase.name}")

    def played_openly(self, faces: bytes) -> PicchettoState:
        """This position as an open one whose cards lie as `faces` says, for roll-outs; it must
        agree with what is known here (ValueError), and what is due is answered at once."""
        if not self.faces:
            raise OutOfTurn("no deck lies dealt")
        faces = self._checked(faces)
        self._agree(faces)
        if self.phase is _PHASE_REVEAL:
            return self._revealed(Revealed(faces))
        new = self._copy()
        new.notes = self.notes
        new._learn(faces, self.phase is not _PHASE_OVER)
        while new.phase is _PHASE_SERVE and new.wait:
            if new.wait.steps[0][0][0] is _ACT_RESEAL:
                new = new._resealed(Resealed())
            else:
                new = new._seen(Seen(tuple(faces[slot] for slot in open_slots(new.due))))
        return new

    def _arrive(self, aim: Aim, cards: int) -> PicchettoState:
        then = AFTER_TRADES.get(aim)
        if then:
            return self._to_decide(*then)
        if aim is _AIM_PRODUCED:
            return self._after_produced(cards)
        if aim is _AIM_LAID:
            return self._after_opened(cards)
        return self._after_white(ELDER if aim is Aim.WHITE_ELDER else YOUNGER)

    # ------------------------------------------------------------------ the end of a hand

    def _to_reveal(self) -> PicchettoState:
        if self.deal.auto:
            return self._finish()
        self.phase = _PHASE_REVEAL
        self.due = _REVEAL
        return self

    def _revealed(self, given: Revealed) -> PicchettoState:
        """What nobody has seen settles the promises that are left (PIC-20, PIC-36, PIC-10), each
        by the cards as they lay when it was made."""
        dealt = self._checked(given.faces)
        if given.reseals and len(given.reseals) != self.reseals:
            raise OutOfTurn(f"the hand had {self.reseals} reseals, not {len(given.reseals)}")
        now = given.moved()
        self._agree(now)
        new = self.with_faces(now)
        new.notes = ()
        codes = self.match.pack.codes
        refuted = []
        for vow in self.vows:
            faces = given.moved(vow.reseals) if given.reseals else dealt
            if not vow.kept(self.match, hand_of(codes[faces[s]] for s in slots_of(vow.cards))):
                refuted.append(vow)
        for vow in refuted:
            new._breached(new.vows.index(vow))
        return new._finish()

    def _finish(self) -> PicchettoState:
        """GEN-01, then PIC-40 to PIC-52."""
        self.vows = ()
        deal, (mine, theirs) = self.deal, self.points
        before = deal.match
        if deal.breaches:
            cheats = {breach.promise.seat for breach in deal.breaches}
            self.notes += (note("void"),)
            self.opened = ALL_SLOTS
            return self._to_over(picchetto_match.put_out(before, cheats))
        if not deal.dealer:
            mine, theirs = theirs, mine
        match, factor = picchetto_match.settle(before, (mine, theirs)), before.factor
        self.notes += (
            fresh_note("scores-deal", 0, (factor, mine, match.totals[0])),
            fresh_note("scores-deal", 1, (factor, theirs, match.totals[1])),
        )
        if not match.ended:
            return self._to_deal(1 - deal.dealer, match)
        self.opened = ALL_SLOTS
        return self._to_over(match)

    def _to_over(self, match: Match) -> PicchettoState:
        self.match = match
        result = match.result()
        self.phase = _PHASE_OVER
        self.due = Over(result)
        if match.ended == picchetto_match.DRAW:
            self.notes += (note("draw"),)
        else:
            self.notes += tuple(note("wins", s, (result.won[s],)) for s in result.winners)
        return self

    def _leave(self, given: Leave) -> PicchettoState:
        """GEN-02: with two players the other has won."""
        gone = self._gone(given)
        new = self._copy()
        old = self.deal
        new.deal = Deal(
            *(old.options, old.seats, old.deck, old.match, old.players, old.decides),
            *(old.hand, old.dealer),
        )
        new._clear(_PHASE_OVER)
        new.notes = tuple(note("leaves", seat) for seat in sorted(gone))
        return new._to_over(picchetto_match.put_out(old.match, gone))


def _misplaced(phase: Phase) -> IllegalMove:
    """A move of another phase than the one where a player is to decide."""
    if phase is Phase.PLAY:
        return IllegalMove("PIC-30", "a card is played now, as in Ks")
    if phase is Phase.PRODUCE:
        return IllegalMove("PIC-26", "the claimed cards are laid open now: show and the cards")
    if phase in (Phase.ELDER, Phase.CHANGE, Phase.YOUNGER, Phase.FIX):
        return IllegalMove("PIC-11", "cards are exchanged now, as in change 9c 7d")
    return IllegalMove("PIC-21", "this is no answer in the dialogue of the declarations")


_S = PicchettoState
_TABLE: Final[list[dict[type, Callable[..., PicchettoState]]]] = [
    {Drawn: _S._drawn, Leave: _S._leave},
    {Shuffled: _S._shuffled, Leave: _S._leave},
    {Seen: _S._seen, Resealed: _S._resealed, Leave: _S._leave},
    {Bianca: _S._bianca, Change: _S._change, Leave: _S._leave},
    {Change: _S._change, Leave: _S._leave},
    {Change: _S._change, Leave: _S._leave},
    {Bianca: _S._bianca, Change: _S._change, Leave: _S._leave},
    {Announce: _S._say, Say: _S._say, Leave: _S._leave},
    {Announce: _S._say, Say: _S._say, Leave: _S._leave},
    {Tell: _S._say, Leave: _S._leave},
    {Say: _S._say, Leave: _S._leave},
    {Produce: _S._produce, Leave: _S._leave},
    {Play: _S._play, Leave: _S._leave},
    {Revealed: _S._revealed, Leave: _S._leave},
    {},
]
"""Indexed by Phase: which inputs are due and what they do."""
