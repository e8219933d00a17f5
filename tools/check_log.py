#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Every page of docs/log has its headings and a row in the index, and every row a page."""
import pathlib
import re
import sys

HEADINGS = ["Question", "Prediction", "Why", "Method", "Result", "Verdict", "Because", "Trace"]
VERDICTS = ("KEPT", "REMOVED", "PARKED")


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent / "docs/log"
    index = (folder / "README.md").read_text()
    problems = []
    pages = sorted(p for p in folder.glob("*.md") if p.name != "README.md")
    for page in pages:
        text = page.read_text()
        if not re.match(r"# " + page.name[:4] + r"  ?\S", text):
            problems.append(f"{page.name}: does not begin with its number and title")
        for heading in HEADINGS:
            if not re.search(rf"^(\*\*)?{heading}\b", text, re.M):
                problems.append(f"{page.name}: no line begins with {heading}")
        if not any(v in text for v in VERDICTS):
            problems.append(f"{page.name}: the verdict is none of {', '.join(VERDICTS)}")
        if page.name not in index:
            problems.append(f"{page.name}: not in the index")
    for name in re.findall(r"\(([0-9]{4}-[^)]*\.md)\)", index):
        if not (folder / name).exists():
            problems.append(f"README.md: {name} does not exist")
    for problem in problems:
        print(problem)
    print(f"log: {len(pages)} pages, {'ok' if not problems else f'{len(problems)} problems'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
