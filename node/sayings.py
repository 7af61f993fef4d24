"""Sentences, and parts of them, that layers below make up as they go, as catalogues need them.

Law: templates only, each marked by `said`. Most of what is said in English is found where it is
written; here stands what no single expression there shows: what broke a promise (it comes without
its `seat N`), the values that an option takes, why a table can't be reached. It must never be
imported for its values: it is there to be read by whoever makes a catalogue.
"""

from __future__ import annotations

from typing import Final

from node.language import said

BROKEN_PROMISES: Final = (
    said("knocked without showing {cards}"),
    said("declared {cards}"),
    said("stated none with {cards}"),
    said("didn't follow {suit} and held {card}"),
    said("announced carta bianca and held a figure"),
    said("held carta bianca and didn't announce it"),
    said("held a {suit} card and didn't play it when it was due"),
    said("held {suit} above the {rank} and didn't play it when it was due"),
    said("claimed {size} of rank {rank} and didn't hold them"),
    said("claimed a {claim} of {size} and didn't hold it"),
    said("claimed a {claim} of {size} and {sum} and didn't hold it"),
    said("claimed a {claim} of {size} up to the {rank} and didn't hold it"),
)
PROMISES: Final = (said("{promise} and didn't hold it"), said("seat {seat} {promise}"))
CLAIMS: Final = (said("point"), said("sequence"), said("set"))
VALUES: Final = (
    said("true or false"),
    said("a whole number from {low} to {high}"),
    said("Ks, change Kh 9c, point 5, good or show Kh Qh Jh"),
    said("{word} or a whole number from {low} to {high}"),
)
"""What an option or a move may be."""
DECKS: Final = (said("italian"), said("french"), said("regional"))
TABLES: Final = (
    said("The host has left the table."),
    said("The table says no: {reason}."),
    said("no interface can join the groups of multicast DNS"),
)
REASONS: Final = (
    *(said("every seat is taken"), said("the host has removed you from the table")),
    *(said("it wants no spectators"), said("another table is there now"), said("a match is on")),
    *(said("its connection closed"), said("nothing was heard from it for too long")),
    *(said("it could not be reached"), said("it refused this key"), said("it was removed")),
    *(said("it broke the protocol too often"), said("it is not who it was said to be")),
)
"""Why another node is gone, or says no, as it or this one words it."""
PARSER: Final = (
    said("unrecognized arguments: {arguments}"),
    said("the following arguments are required: {arguments}"),
    said("argument {argument}: expected one argument"),
    said("argument {argument}: expected at least one argument"),
    said("argument {argument}: invalid choice: {value} (choose from {choices})"),
    said("argument {argument}: ignored explicit argument {value}"),
    said("argument {argument}: not allowed with argument {other}"),
    said("argument {argument}: {problem}"),
    said("there is no verb {word}"),
)
"""What the parser of the command line finds wrong."""
SYSTEM: Final = (
    *(said("No such file or directory"), said("Permission denied"), said("Is a directory")),
    *(said("Not a directory"), said("File exists"), said("No space left on device")),
    *(said("Read-only file system"), said("Connection refused"), said("No route to host")),
    *(said("Network is unreachable"), said("Address already in use")),
)
"""What the system finds wrong, where it speaks English."""
WAYS: Final = (
    *(said("multicast and broadcast"), said("multicast and IPv6 multicast")),
    *(said("broadcast and IPv6 multicast"), said("multicast, broadcast and IPv6 multicast")),
)
ENDINGS: Final = (said("interrupted"),)
