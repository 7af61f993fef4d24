"""The full screen of a table.

Law: pure until its last file. What is seen (`view`), what it is called (`words`), what a key does
(`desk`, `keys`) and what it looks like (`paint`) are functions of values; `app` alone knows a
terminal, and none of them knows a rule: the engine is asked.
"""
