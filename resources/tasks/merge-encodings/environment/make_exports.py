"""Writes the four exports of the task, each with the habits of another program."""

from pathlib import Path

EXPORTS = Path("/data/exports")
EXPORTS.mkdir(parents=True)

NORTH = """customer,city,amount
Åse Lindqvist,Umeå,120.00
"Berg, Sons & Co",Tromsø,99.5
Łukasz Żak,Gdańsk,"1,250.75"
"Linn ""Lilla"" Ek",Kiruna,0.1
"""
SOUTH = """city,customer,amount
Málaga,Peña Hermanos,310.40
Napoli,"Via Roma 3
Interno 7",18
Αθήνα,Νίκος Παππάς,77.77
"""
EAST = """customer;city;amount
"Dvořák; Novák";Brno;1.234,5
Иван Петров;Варна;15,00
Ștefan Țone;Iași;-42,10
"""
WEST = """amount;customer;city
2.000,00;Café “Zoë”;Liège
7,5;Œuvre – Fils;Nîmes
12.345.678,90;100 € Shop;Gent
0,00;O’Hara;Cork
"""

(EXPORTS / "north.csv").write_bytes(NORTH.encode("utf-8"))
(EXPORTS / "south.csv").write_bytes(b"\xef\xbb\xbf" + SOUTH.replace("\n", "\r\n").encode("utf-8"))
(EXPORTS / "east.csv").write_bytes(b"\xff\xfe" + EAST.replace("\n", "\r\n").encode("utf-16-le"))
(EXPORTS / "west.csv").write_bytes(WEST.encode("cp1252"))
