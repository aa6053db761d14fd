"""Normative's Python package: `normative.worker` connects a library with the judge."""
