"""The version of acesim that made a result."""

from __future__ import annotations

VERSION = "0.1.0"
