"""What developers run: packaging. Nothing here is part of the extension."""
