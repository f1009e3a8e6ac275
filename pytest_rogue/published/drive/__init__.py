"""The user's Google Drive: whose it is, how it is asked, what can be done with its files, and one episode at a time."""
