"""Calls a notary with the client that openapi-python-client has made.

clients.py BASE_URL, with the package notary_client on PYTHONPATH. A free call, the 402 after the free calls, and a screening come back as
the types that the document names.
"""

import sys

from notary_client import Client
from notary_client.api.claim import claim_verdict
from notary_client.api.sanctions import screen_entity
from notary_client.models import ClaimVerdictReceipt, ClaimVerdictRequest, PaymentProblem, ScreenEntityReceipt, ScreenEntityRequest

base = sys.argv[1]
client = Client(base_url=base)
question = ClaimVerdictRequest.from_dict(
    {
        "agent": "python-client",
        "claim": "This notary is for trying out.",
        "resolver": {"type": "url_json", "url": f"{base}/health", "path": "profile", "expect": "dev"},
    }
)
for _ in range(3):
    receipt = claim_verdict.sync(client=client, body=question)
    assert isinstance(receipt, ClaimVerdictReceipt) and receipt.verdict == "CONFIRMED", receipt
terms = claim_verdict.sync_detailed(client=client, body=question)
assert terms.status_code == 402 and isinstance(terms.parsed, PaymentProblem), terms
assert terms.parsed.accepts[0].amount == "0.05", terms.parsed

name = ScreenEntityRequest.from_dict({"agent": "python-client", "entity": "Viktor Anatolyevich Bout"})
screened = screen_entity.sync(client=client, body=name)
assert isinstance(screened, ScreenEntityReceipt) and screened.matches[0].verdict == "MATCH", screened
print("openapi-python-client: a receipt, a 402 and a screening as the document types them")
