"""The page of a run: `report.html` and the data it loads."""
