"""The loop: task, desktop, agent, obstacle and check become a record."""
