"""The user of a skill, where the first process has another one: in gVisor only."""
import os

USER = None


def create_stream(create):
    """Creates a pipe or a terminal that code of the skill may open again by its path."""
    if USER is None:
        return create()
    own = os.geteuid()
    os.seteuid(USER)
    try:
        return create()
    finally:
        os.seteuid(own)
