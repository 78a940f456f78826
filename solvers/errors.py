"""Errors meant for people: every message names the object, the value and the cure."""


class TsubuError(Exception):
    """Something the user can understand and put right. The message is shown as it is."""


class InvalidScene(TsubuError):
    """The scene or job asks for something that cannot be simulated."""


class BakeFolderError(TsubuError):
    """The bake folder is missing, unwritable, locked, full, edited or damaged."""


class Cancelled(Exception):
    """The user asked to stop. Not an error: the bake can be resumed."""
