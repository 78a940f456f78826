"""Drops: liquid held together by its surface tension, on walls that it wets as far as the artist says."""
