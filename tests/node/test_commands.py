"""The queue between threads: in order, bounded, and never a call lost without a word."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import zmq

from node.commands import COMMAND_OCTETS, COMMANDS, Commands

PATIENCE = 20_000
"""Milliseconds."""


@pytest.fixture
def commands() -> Iterator[Commands]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    one = Commands()
    one.open(context)
    yield one
    one.end()
    one.close()
    one.close()
    context.term()


def test_calls_are_made_in_order_and_once(commands: Commands) -> None:
    done: list[int] = []
    for number in range(5):
        assert commands.submit(lambda n=number: done.append(n))  # type: ignore[misc]
    assert commands.socket.poll(PATIENCE), "the bell rang"
    commands.look()
    commands.look()
    assert done == [0, 1, 2, 3, 4]
    assert not commands.socket.poll(0), "and is silent again"
    commands.submit(lambda: done.append(5))
    assert commands.socket.poll(PATIENCE)
    commands.obey()
    assert done[-1] == 5


def test_messages_are_bounded_by_number_and_size_and_other_calls_are_not(
    commands: Commands,
) -> None:
    sent = [commands.submit(int, 1) for _ in range(COMMANDS + 10)]
    assert (sent.count(True), commands.refused) == (COMMANDS, 10)
    assert commands.submit(int)
    assert not commands.hand_over(int, 1)
    commands.look()
    assert commands.submit(int, COMMAND_OCTETS + 1)
    assert not commands.submit(int, 1)
    commands.look()
    assert commands.submit(int, 1)


def test_what_is_handed_over_is_done_before_the_caller_goes_on(commands: Commands) -> None:
    """The other thread waits at the bell, as the mesh thread does in its poller."""
    done: list[int] = []
    over = threading.Event()

    def obey() -> None:
        while not over.is_set():
            if commands.socket.poll(50):
                commands.obey()

    other = threading.Thread(target=obey)
    other.start()
    try:
        # A busy computer may take longer than the moment that is given, though not every time.
        for number in range(200):
            assert commands.hand_over(lambda n=number: done.append(n), 1)  # type: ignore[misc]
            if number in done:
                break
        else:
            raise AssertionError("nobody waited for it")
    finally:
        over.set()
        other.join()


def test_whoever_hands_over_to_a_busy_thread_waits_a_moment_only(commands: Commands) -> None:
    done: list[int] = []
    assert commands.hand_over(lambda: done.append(1), 1)
    assert done == []
    commands.look()
    assert done == [1]


def test_after_the_end_nothing_is_taken(commands: Commands) -> None:
    done: list[int] = []
    commands.submit(lambda: done.append(1))
    commands.end()
    assert not commands.submit(lambda: done.append(2))
    assert not commands.hand_over(lambda: done.append(3))
    assert done == []
