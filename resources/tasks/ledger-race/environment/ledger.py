#!/usr/bin/env python3
"""A ledger of accounts in a JSON file: {"accounts": {name: balance}, "entries": number, "ids": [text]}."""

import argparse
import json
import os
import sys


def load(path: str) -> dict:
    if not os.path.exists(path):
        return {"accounts": {}, "entries": 0, "ids": []}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(path: str, ledger: dict) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(ledger, file, ensure_ascii=False)
        file.write("\n")


def add(path: str, account: str, amount: int, booking: str | None) -> int:
    """Books an amount; answers the new balance of the account."""
    ledger = load(path)
    if booking is not None:
        if booking in ledger["ids"]:
            return ledger["accounts"].get(account, 0)
        ledger["ids"].append(booking)
    balance = ledger["accounts"].get(account, 0) + amount
    ledger["accounts"][account] = balance
    ledger["entries"] += 1
    save(path, ledger)
    return balance


def show(path: str) -> None:
    ledger = load(path)
    for account in sorted(ledger["accounts"]):
        print(f"{account}\t{ledger['accounts'][account]}")
    print(f"total\t{sum(ledger['accounts'].values())}\t{ledger['entries']} entries")


def main() -> int:
    parser = argparse.ArgumentParser(description="Books amounts to accounts.")
    parser.add_argument("file")
    commands = parser.add_subparsers(dest="command", required=True)
    adding = commands.add_parser("add")
    adding.add_argument("account")
    adding.add_argument("amount", type=int)
    adding.add_argument("--id", dest="booking")
    commands.add_parser("show")
    arguments = parser.parse_args()
    try:
        if arguments.command == "add":
            print(add(arguments.file, arguments.account, arguments.amount, arguments.booking))
        else:
            show(arguments.file)
    except (OSError, ValueError, KeyError) as error:
        print(f"ledger: {arguments.file}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
