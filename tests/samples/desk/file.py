"""A file as it lies on somebody's desk, and what is to become of it; and the made-up people who are in all of them."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PEOPLE = 240
HEAD = ("Name", "Geburtsdatum", "PLZ", "Geschlecht", "Größe", "Gehalt", "Station", "Diagnose")
FAMILIES = ("Müller", "Schröder", "Weiß", "Yildiz", "Nowak", "García", "Lefèvre", "Jäger", "Smith", "Öztürk")
GIVEN = ("Änne", "Jörg", "François", "Zoë", "Björn", "Mária", "Peter", "Ida", "Noël", "Käthe")
TOWNS = ("80331", "80333", "80335", "81667", "04109", "04103", "01067", "01069")
WARDS = ("Chirurgie", "Innere", "Gynäkologie", "Pädiatrie")
ILLS = ("Grippe", "Diabetes", "Angina", "Gürtelrose", "Asthma", "Krätze")


@dataclass(frozen=True)
class DeskFile:
    """What `shoal init` and then `shoal run` make of a file.

    `proposes`: parts of the recipe, each a text that it has. `refused`: by `init`, words of the message, a regular expression.
    `stopped`: by `run`, after every suggestion was confirmed, words of its message. Without both: a release that is verified.
    """

    name: str
    write: Callable[[Path], None]
    options: tuple[str, ...] = ()  # of `shoal init`
    address: str = ""  # what `init` is called with; "" for the name
    proposes: tuple[str, ...] = ()
    refused: str = ""
    stopped: str = ""


@dataclass(frozen=True)
class Person:
    """A patient, who is on the payroll as well."""

    name: str
    born: datetime.date
    town: str
    sex: str
    height: int  # in millimetres
    pay: int  # in cents
    ward: str
    ill: str


def people() -> list[Person]:
    """The same ones each time."""
    chance = random.Random(16)
    return [
        Person(
            f"{chance.choice(FAMILIES)}, {chance.choice(GIVEN)} {i}",
            datetime.date(1940, 1, 1) + datetime.timedelta(days=chance.randrange(25_000)),
            chance.choice(TOWNS),
            chance.choice("mw"),
            chance.randrange(1500, 2000),
            chance.randrange(100_050, 900_000, 200_000),
            chance.choice(WARDS),
            chance.choice(ILLS),
        )
        for i in range(PEOPLE)
    ]
