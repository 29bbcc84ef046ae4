"""Code in documents, and what it prints."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path: Path, language: str) -> list[tuple[int, str, str]]:
    """Line, code and the text that is printed, of every block of a language."""
    document = path.read_text(encoding="utf-8")
    all_blocks = list(_BLOCK.finditer(document))
    found = []
    for place, block in enumerate(all_blocks):
        if block[1] != language:
            continue
        following = all_blocks[place + 1] if place + 1 < len(all_blocks) else None
        near = following is not None and not document[block.end() : following.start()].strip()
        printed = following[2] if following is not None and near and following[1] == "text" else ""
        found.append((document.count("\n", 0, block.start()) + 1, block[2], printed))
    return found


def same_text(found: str, expected: str) -> bool:
    """The same words; figures with a point may differ a little, as estimates do between machines."""
    lines = [text.strip().split("\n") for text in (found, expected)]
    if len(lines[0]) != len(lines[1]):
        return False
    return all(_same_line(*pair) for pair in zip(*lines))


def _same_line(found: str, expected: str) -> bool:
    words = found.split(), expected.split()
    return len(words[0]) == len(words[1]) and all(_same_word(*pair) for pair in zip(*words))


def _same_word(found: str, expected: str) -> bool:
    figure = re.compile(r"\d+\.\d+")
    if figure.sub("#", found) != figure.sub("#", expected):
        return False
    figures = zip(figure.findall(found), figure.findall(expected))
    return all(abs(float(one) - float(other)) <= 0.06 for one, other in figures)
