"""The one place where Blender data becomes files and files become Blender data.

`playback` turns a bake folder into ordinary objects. Nothing here imports numba: solving happens in a worker process.
"""
