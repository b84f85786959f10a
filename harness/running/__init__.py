"""Running taggers in processes, on clusters or behind HTTP, and aligning their output with the texts."""
