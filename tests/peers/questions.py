#!/usr/bin/env python3
"""Does a newcomer who has read /llms.txt find the answer to each of the usual first questions, in one step?

    questions.py BASE_URL

Each answer is in a guide that /llms.txt links, in the words below. Exits 1 with the questions for which that does not hold.
"""

import re
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

# Question, guide, and words of the answer, without regard to line breaks.
QUESTIONS = [
    ("How do I ask a first question?", "calling", "Send JSON with POST and give yourself a name in `agent`"),
    ("Do I need an account or an API key?", "calling", "You need no key and no account"),
    ("What does a call cost, and how many are free?", "calling", "Limits and prices of every route are in `/catalog`"),
    ("How do I pay?", "payments", "signs an EIP-3009 authorization of exactly that amount"),
    ("How do I try payments without real money?", "payments", "`--wallet dev` pays development notaries only"),
    ("How do I verify a receipt without trusting the notary?", "verifying", "uses standard packages and none of our code"),
    ("What does a verdict not say?", "verifying", "Read `scope` first: it states the limits of the verdict"),
    ("What do I do when there is no verdict?", "recipes", "Everything else means: do not act"),
    ("What if a verdict is wrong?", "disputes", "can have its question judged again"),
    ("Who can read what I ask?", "calling", "Whoever has the hash of a receipt can read the receipt"),
    ("How do I use it in my agent's framework?", "recipes/frameworks", "| LangChain | [langchain_tool.py](langchain_tool.py) |"),
    ("How do I host one?", "operations", "A notary is one binary and one data folder"),
]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    base_url = sys.argv[1].rstrip("/")

    def get(path):
        try:
            with urllib.request.urlopen(base_url + path, timeout=60) as response:
                return " ".join(response.read().decode().split())
        except urllib.error.HTTPError as problem:
            return f"{problem.code}"

    guides = {}
    for link in re.findall(r"https?://\S+/docs/[^\s:]+\.md", get("/llms.txt")):
        path = urlsplit(link).path
        guides[path.removeprefix("/docs/").removesuffix(".md")] = get(path)
    errors = [f"{name}: /llms.txt links it, and it is not there" for name, text in guides.items() if not text.startswith("# ")]
    for question, guide, words in QUESTIONS:
        if guide not in guides:
            errors.append(f"{question} /llms.txt does not link {guide}")
        elif words not in guides[guide]:
            errors.append(f"{question} {guide} does not say: {words}")
    for error in errors:
        print(f"questions: {error}", file=sys.stderr)
    if not errors:
        print(f"questions: {len(QUESTIONS)} answered, {len(guides)} guides linked")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
