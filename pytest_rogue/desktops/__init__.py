"""Running machines with a screen, and the client of the guest inside them."""
