"""What a report's sections hold: figures by class, tables, charts, sentences, cases to read."""
