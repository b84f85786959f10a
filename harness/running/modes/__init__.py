"""The modes in which a tagger runs: a module each, with ``send(attempt: Attempt) -> Reply``.

`Attempt.send` is the way in. A mode is the module of its name; `Specification.mode` lists the names.
"""
