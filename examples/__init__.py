"""Small scenes built by script: `python -m examples` lists them, `python -m examples NAME` bakes and renders one."""
