"""The bundled taggers, each a program of its own."""
