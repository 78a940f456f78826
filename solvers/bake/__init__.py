"""A bake is a folder: job in, frames out, safe against being stopped at any moment.

Nothing here is imported with numba: Blender's own process reads jobs, status and manifests with these files.
"""
