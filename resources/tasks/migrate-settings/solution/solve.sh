#!/bin/bash
# Written by the rules of the instruction; sections and settings are told apart by what they are in the tree.
set -euo pipefail
cat > /app/migrate.py <<'PY'
"""Converts settings of the old format on standard input to JSON on standard output."""

import json
import re
import sys

SPACES = " \t\r"


class Setting(list):
    """The values of one key; a class of its own, to tell it from a section."""


class Wrong(Exception):
    """What is wrong with a line."""


def value_of(text):
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    word = text.lower()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    if re.fullmatch(r"0|-?[1-9][0-9]*", text):
        return int(text)
    return text


def section_of(root, name):
    section = root
    for part in name.split("."):
        if part == "":
            raise Wrong("a section's name has an empty part")
        section = section.setdefault(part, {})
        if isinstance(section, Setting):
            raise Wrong(f"{part} is a setting already")
    return section


def read(text):
    root = {}
    section = root
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip(SPACES)
        if line == "" or line[0] in "#;":
            continue
        try:
            if line[0] == "[" and line[-1] == "]":
                section = section_of(root, line[1:-1])
                continue
            key, equals, value = line.partition("=")
            key = key.rstrip(SPACES)
            if equals == "" or key == "" or key[0] == "[":
                raise Wrong("neither a section nor a setting")
            setting = section.setdefault(key, Setting())
            if not isinstance(setting, Setting):
                raise Wrong(f"{key} is a section already")
            setting.append(value_of(value.strip(SPACES)))
        except Wrong as wrong:
            raise Wrong(f"line {number}: {wrong}") from None
    return root


def plain(node):
    if isinstance(node, Setting):
        return node[0] if len(node) == 1 else list(node)
    return {key: plain(child) for key, child in node.items()}


try:
    settings = read(sys.stdin.buffer.read().decode("utf-8"))
except Wrong as wrong:
    print(wrong, file=sys.stderr)
    sys.exit(2)
sys.stdout.buffer.write((json.dumps(plain(settings), ensure_ascii=False, indent=2) + "\n").encode())
PY
