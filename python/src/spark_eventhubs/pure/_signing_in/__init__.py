"""How the engine reaches a hub and signs in."""
