"""What the operating system knows: who runs, since when, and how much memory there is."""

import os
import socket
import subprocess
import sys
from pathlib import Path


def host_name() -> str:
    return socket.gethostname() or "unknown"


def start_mark(pid: int) -> str:
    """A text that tells this process from any other that had or will have its number; "" if no such process runs."""
    if pid <= 0:
        return ""
    if sys.platform.startswith("linux"):
        return _linux_mark(pid)
    if sys.platform == "win32":
        return _windows_mark(pid)
    listed = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    state, _, started = listed.strip().partition(" ")
    return "" if state.startswith("Z") else " ".join(started.split())


def _linux_mark(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
    # The program's name may hold blanks and brackets: fields are counted after the last bracket.
    after = stat[stat.rindex(")") + 2 :].split()
    state, ticks = after[0], after[19]
    return "" if state in ("Z", "X") else f"{boot}:{ticks}"


def _windows_mark(pid: int) -> str:
    import ctypes

    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    kernel32.OpenProcess.restype = ctypes.c_void_p
    handle = kernel32.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return ""
    try:
        times = [ctypes.c_ulonglong() for _ in range(4)]
        code = ctypes.c_ulong()
        pointer = ctypes.c_void_p(handle)
        if not kernel32.GetProcessTimes(pointer, *(ctypes.byref(time) for time in times)):
            return ""
        running = kernel32.GetExitCodeProcess(pointer, ctypes.byref(code)) and code.value == 259  # STILL_ACTIVE
        return str(times[0].value) if running else ""
    finally:
        kernel32.CloseHandle(ctypes.c_void_p(handle))


def total_memory() -> int:
    """Bytes of memory this process may use: the machine's, or the container's limit if that is lower; 0 if unknown."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(limit).read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            total = min(total, int(text))
    return total


def _windows_memory() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong), *((f"size{i}", ctypes.c_ulonglong) for i in range(7))]

    status = Status()
    status.length = ctypes.sizeof(Status)
    known = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return int(getattr(status, "size0")) if known else 0  # noqa: B009  (the field is made at run time)
