"""A key as three words to read aloud, in Italian as in English: `busso id` shows them.

Law: a fixed scheme, the same for ever in every version; it knows octets and letters.

    word     = three syllables, 6 bits each             three words: 54 bits of the hash
    syllable = consonant b d f k l m n p r s t v z, vowel a e i o u: number 5 c + v, 0 to 63
    bits     = the first 54 of SHA-256("busso/words/1" 0x00 key), the highest first

The consonants are those that neither language writes or says in two ways (no c, g, h, j, q, w);
the 65th syllable, zu, isn't used. 54 bits: who wants a key with given words tries 2^53 keys.
"""

from __future__ import annotations

import hashlib
from typing import Final

_TAG: Final = b"busso/words/1\x00"
_SYLLABLES: Final = tuple(c + v for c in "bdfklmnprstvz" for v in "aeiou")[:64]
_WORDS: Final = 3
_SYLLABLES_A_WORD: Final = 3


def spoken(key: bytes) -> str:
    """The three words of `key`, for example "bademo tilufa rosika"."""
    digest = int.from_bytes(hashlib.sha256(_TAG + key).digest()[:8], "big") >> 10
    count = _WORDS * _SYLLABLES_A_WORD
    parts = [_SYLLABLES[digest >> 6 * (count - 1 - at) & 63] for at in range(count)]
    groups = (parts[at : at + _SYLLABLES_A_WORD] for at in range(0, count, _SYLLABLES_A_WORD))
    return " ".join("".join(group) for group in groups)
