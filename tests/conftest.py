"""Which tests keep together when several processes share the work (`make test`)."""

from pathlib import PurePath

import pytest


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a file in one process, because its fixtures are costly, and all of `tests/installed`, which shares a zip."""
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            file = PurePath(item.nodeid.partition("::")[0])
            group = file.parent if file.parent.name == "installed" else file
            item.add_marker(pytest.mark.xdist_group(group.as_posix()))
