"""Methods of combining entities with contexts: `sample`, `product`, `zip` and `each`."""
