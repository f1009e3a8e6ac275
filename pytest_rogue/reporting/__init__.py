"""From results to report.json and to the numbers in the summary."""
