"""What is laid in the way of an agent, and the verdict on what it did."""
