#!/usr/bin/env python3
"""Makes names.txt: the commonest given and family names by country.

    pip download --no-deps names-dataset==3.3.1
    make.py names_dataset-3.3.1-py3-none-any.whl > names.txt

The source (MIT licence) ranks given and family names in 105 countries by how many people of the country bear them. Only
ranks are read. A name counts with its best rank in any country: it is as common as it is where it is most common. Names
in other scripts than Latin are left out: they are compared by the Latin spellings that they are read as.

The source lacks, of countries with over thirty million people, Kenya, Pakistan, Tanzania, Thailand, Uganda, Ukraine,
Uzbekistan and Vietnam. Their names count as far as they are common abroad.
"""

import collections
import gzip
import hashlib
import io
import pickle
import re
import sys
import textwrap
import unicodedata
import zipfile

SHA_256 = "9fb1b60a82de8bea004e7755b6133df0b4a029f93b9ee18bfa37f356f2b8c75e"
# A name of class k has a rank from 2^(k-1) to 2^k - 1.
CLASSES = 7


def spelling(name):
    """The name in the letters a to z, or None if it is not one word of a Latin script."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.strip().lower()) if not unicodedata.combining(c))
    for letter, letters in (("'", ""), ("’", ""), ("ı", "i"), ("ø", "o"), ("ł", "l"), ("ß", "ss")):
        plain = plain.replace(letter, letters)
    return plain if re.fullmatch("[a-z]{2,}", plain) else None


def main(path):
    wheel = open(path, "rb").read()
    if hashlib.sha256(wheel).hexdigest() != SHA_256:
        sys.exit(f"{path} is not names-dataset 3.3.1")
    files = zipfile.ZipFile(io.BytesIO(wheel))
    best = {}
    for part in ("first", "last"):
        names = pickle.loads(gzip.decompress(files.read(f"names_dataset/v3/{part}_names.pkl.gz")))
        for name, facts in names.items():
            ranks = (facts.get("rank") or {}).values()
            ranks = [rank for rank in ranks if rank and rank < 2**CLASSES]
            if ranks and (word := spelling(name)):
                best[word] = min(best.get(word, 2**CLASSES), *ranks)
    classes = collections.defaultdict(list)
    for word, rank in best.items():
        classes[rank.bit_length()].append(word)
    for number in range(1, CLASSES + 1):
        for line in textwrap.wrap(" ".join(sorted(classes[number])), 116):
            print(number, line)


if __name__ == "__main__":
    main(*sys.argv[1:])
