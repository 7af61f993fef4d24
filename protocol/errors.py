"""The errors of the protocol layer.

Law: an error's class says whose fault it is, so a peer is never blamed for our own bug.

    ProtocolError
    ├── LocalProtocolError      ours: this program asked for something it must not do
    │   └── WouldContradict     it would sign two contributions that contradict each other
    ├── RemoteProtocolError     theirs: somebody else sent what the protocol forbids
    │   └── Fault               a fault that a seat or a step can be named for
    ├── EncodingError           octets that are not canonical, too large or of the wrong shape
    │   ├── InvalidKey          a public key that may not sit at a table
    │   └── InvalidHeader       a match header that is inconsistent or not signed by all seats
    └── FileError               a file that can't be used as it is
        ├── NotALog             it never was one of our files, or a program mangled it
        ├── CorruptLog          it was one, and octets inside it have changed
        ├── UnsupportedFormat   it is one of a version that this program doesn't read
        └── FileInUse           another process has it open

The first argument of each is one sentence that a user can read.
"""

from __future__ import annotations


class ProtocolError(Exception):
    """Anything that the protocol layer raises on purpose."""


class LocalProtocolError(ProtocolError):
    """Our own bug: the caller broke the protocol's rules before anything left this node."""


class WouldContradict(LocalProtocolError):
    """Signing this would make evidence against ourselves; nothing was signed."""


class RemoteProtocolError(ProtocolError):
    """Somebody else's fault: what arrived is forbidden by the protocol."""


class Fault(RemoteProtocolError):
    """A fault at `step`, by `seat` where one can be named.

    `kind` is a short stable word for programs (for example "signature", "order"), `text` the
    sentence for people.
    """

    def __init__(self, seat: int | None, step: int, kind: str, text: str) -> None:
        super().__init__(text)
        self.seat = seat
        self.step = step
        self.kind = kind
        self.text = text

    def __reduce__(self) -> tuple[type[Fault], tuple[int | None, int, str, str]]:
        """Rebuild from all four fields, so that a fault survives a worker process."""
        return type(self), (self.seat, self.step, self.kind, self.text)


class EncodingError(ProtocolError, ValueError):
    """Octets that are not the one canonical encoding of a value of the expected shape."""


class InvalidKey(EncodingError):
    """A public key that is malformed, off the curve or outside the prime-order subgroup."""


class InvalidHeader(EncodingError):
    """A header whose parts don't fit together or that some seat did not sign."""


class FileError(ProtocolError):
    """A file that can't be used as it is; the file itself was left untouched."""


class NotALog(FileError):
    """The file doesn't begin as ours do; the sentence says what probably happened to it."""


class CorruptLog(FileError):
    """Octets inside the file changed: `frame` is the first bad frame, `offset` where it starts.

    Frame 0 is the header, frame i holds step i; `offset` counts octets from the file's start.
    """

    def __init__(self, text: str, offset: int, frame: int) -> None:
        super().__init__(text)
        self.text = text
        self.offset = offset
        self.frame = frame

    def __reduce__(self) -> tuple[type[CorruptLog], tuple[str, int, int]]:
        """Rebuild from all fields, so that it survives a worker process."""
        return type(self), (self.text, self.offset, self.frame)


class UnsupportedFormat(FileError):
    """A format that this program doesn't read; the sentence says which version does."""


class FileInUse(FileError):
    """Another process works with this file or folder."""
