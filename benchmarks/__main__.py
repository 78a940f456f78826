"""`python -m benchmarks` lists; `python -m benchmarks NAME [--quick]` runs one. The last line is one JSON object."""

import argparse
import ast
import importlib
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


def titles() -> dict[str, str]:
    """Name → title of every benchmark, read without importing them."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                if any(isinstance(target, ast.Name) and target.id == "TITLE" for target in node.targets):
                    found[path.stem] = str(node.value.value)
    return found


def main() -> int:
    known = titles()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", help="which one; without it they are listed")
    parser.add_argument("--quick", action="store_true", help="the same figures at a smaller size, within a minute")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of pictures and figures")
    arguments = parser.parse_args()
    if arguments.name is None:
        width = max(map(len, known), default=0)
        for name, title in known.items():
            print(f"{name.ljust(width)}  {title}")
        return 0
    if arguments.name not in known:
        print(f"There is no benchmark {arguments.name!r}; known are {', '.join(known)}.", file=sys.stderr)
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    print(known[arguments.name] + (" (quick)" if arguments.quick else ""), flush=True)
    start = time.perf_counter()
    figures = importlib.import_module(f"benchmarks.{arguments.name}").run(arguments.quick, arguments.out)
    answer = {"benchmark": arguments.name, "quick": arguments.quick, **figures}
    answer["benchmark_seconds"] = round(time.perf_counter() - start, 2)
    line = json.dumps(answer, default=float, allow_nan=False)
    (arguments.out / f"{arguments.name}.json").write_text(line + "\n", encoding="utf-8")
    for picture in sorted(arguments.out.glob(f"{arguments.name}*.png")):
        if picture.stat().st_mtime >= time.time() - answer["benchmark_seconds"] - 1.0:
            print(f"Picture: {picture}")
    print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
