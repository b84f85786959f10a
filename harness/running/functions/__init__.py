"""Python functions as taggers: what they answer and how they are called, in their process or in ours."""
