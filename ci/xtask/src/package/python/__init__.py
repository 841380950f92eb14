"""Ferrite, an OpenSHMEM 1.6 runtime: its programs, libraries and headers, in this directory."""

import os
import sys

__all__ = ["main", "prefix"]


def prefix():
    """The directory that holds bin, include, lib and share."""
    return os.path.dirname(os.path.abspath(__file__))


def _program(name):
    """The file of a command: several names are one program, which looks how it was called."""
    bin_directory = os.path.join(prefix(), "bin")
    program = os.path.join(bin_directory, name)
    if os.path.exists(program):
        return program
    return os.path.join(bin_directory, "oshrun" if name in ("shmemrun", "oshexec") else "oshcc")


def main():
    """Become the command whose script was called."""
    name = os.path.basename(sys.argv[0])
    # Python's own standard streams have nothing in them yet, and its signal handlers do not outlive it.
    os.execv(_program(name), [name] + sys.argv[1:])
