"""The parity cases, one module per family; `generate.py` writes what their `cases()` return."""
