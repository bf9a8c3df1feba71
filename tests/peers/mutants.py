"""Receipts that differ a little from one that holds, most of them in what nobody signed."""

import json

# What is put in anywhere: whatever a reader may take for the end of a line, for padding, or for nothing at all.
ADDED = "\n\r \t\0+=/A\u2014\u00a0\u2028\x1c\x7f"


def of_text(text):
    """The text with each of its characters cut, changed or added to, cut short, and with its lines moved about."""
    yield from of_characters(text)
    yield from of_lines(text)


def of_characters(text):
    """The text with each of its characters cut, changed or added to, and cut short."""
    for at, sign in enumerate(text):
        before, after = text[:at], text[at + 1 :]
        yield before + after
        yield text[:at]
        yield before + chr(ord(sign) ^ 1) + after
        yield before + ADDED[(at + 5) % len(ADDED)] + after
        yield before + ADDED[at % len(ADDED)] + sign + after


def of_lines(text):
    """The proof with its lines changed, moved about and added to."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        for changed in [[], [line, line], [line, ""], ["", line], [line + "\r"], [line[::-1]]]:
            yield "\n".join(lines[:at] + changed + lines[at + 1 :])
        yield "\n".join(lines[:at] + lines[at : at + 2][::-1] + lines[at + 2 :])
    # After a line that holds, in front of one, and at the end.
    signature = lines[-2]
    stranger = "\u2014 stranger.example/log " + signature.split(" ")[2]
    for added in [
        *ADDED, *(sign + "\n" for sign in ADDED), "\n\n", "\r\n", signature, signature + "\n", stranger, stranger + "\n",
        stranger.replace("stranger", "stran\u2003ger") + "\n", stranger.replace("stranger", "stran+ger") + "\n",
        stranger.replace("\u2014", "-") + "\n", "\u2014 stranger.example/log AAAA\n", "\u2014 stranger.example/log AAAAAA==\n",
        "\u2014  " + signature.split(" ")[2] + "\n", signature[:-1] + "\n", stranger + " \n", (stranger + "\n") * 99, (stranger + "\n") * 100,
    ]:
        yield text + added
        yield text.replace(signature, added + signature)
    head, rest = text.split("\n", 1)
    for extra in ["QQ==", "QR==", "QQ", "", "QUJD", "A" * 87384, "A" * 87380 + "AA==", " QUJD", "QUJD "]:
        yield f"{head}\nextra {extra}\n{rest}"
    yield f"{head}\nextra QUJD\nextra QUJD\n{rest}"


def of_members(receipt):
    """The receipt as JSON text with each of its members cut, emptied, renamed, exchanged with the next, or given twice."""
    names = list(receipt)
    for at, name in enumerate(names):
        following = names[(at + 1) % len(names)]
        without = {other: value for other, value in receipt.items() if other != name}
        yield json.dumps(without)
        for value in [None, "", 0, 1.5, [], {}, True, [receipt[name]], receipt[following]]:
            yield json.dumps(receipt | {name: value})
        yield json.dumps(without | {name + "_": receipt[name]})
        yield json.dumps(receipt | {name: receipt[following], following: receipt[name]})
        member = f"{json.dumps(name)}: {json.dumps(receipt[name])}"
        escaped = f'"\\u{ord(name[0]):04x}{name[1:]}": {json.dumps(receipt[name])}'
        whole = json.dumps(receipt)
        for twice in [member, escaped]:
            yield "{" + twice + ", " + whole[1:]
            yield whole[:-1] + ", " + twice + "}"


def of_json(text):
    """The JSON text with each of its characters cut or changed; each is one line."""
    for at, sign in enumerate(text):
        yield text[:at] + text[at + 1 :]
        yield text[:at] + chr(ord(sign) ^ 1) + text[at + 1 :]


def of(receipt):
    """Those of its proof and of its members, as JSON texts of one line."""
    for proof in of_text(receipt["proof"]):
        yield json.dumps(receipt | {"proof": proof})
    yield from of_members(receipt)
