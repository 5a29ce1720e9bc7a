"""What the instruction asks for, one test each, checked by what is there and not by how it was made."""

from pathlib import Path

WORDS = Path("/app/words.txt")
SORTED = Path("/app/sorted.txt")


def test_sorted_words_once_each():
    assert SORTED.read_bytes() == b"Medlar\nfig\npear\nquince\n"


def test_words_are_left_alone():
    assert WORDS.read_bytes() == b"pear\nfig\nquince\nfig\nMedlar\npear\n"
