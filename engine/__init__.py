"""The rules: pure functions of what was dealt and what was played.

Law of the layer: no input or output, no clock, no randomness, no cryptography, and nothing but the
standard library. Dealing is an input, as moves are. See `contract` for the terms that every game
shares, `registry` for the games and `record` for the text form of an open game.
"""
