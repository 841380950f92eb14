"""Ferrite, an OpenSHMEM 1.6 runtime: its programs, libraries and headers, in this directory."""

import os
import sys

__all__ = ["main", "prefix"]


def prefix():
    """The directory that holds bin, include, lib and share."""
    return os.path.dirname(os.path.abspath(__file__))


def main():
    """Become the command whose script was called."""
    name = os.path.basename(sys.argv[0])
    # One executable implements all commands, and selects by the name by which it was called. Python's own standard streams are still empty
    # here, and its signal handlers do not survive exec.
    os.execv(os.path.join(prefix(), "bin", "oshrun"), [name] + sys.argv[1:])
