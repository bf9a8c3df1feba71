"""Hooks for schemathesis: what an OpenAPI document cannot say of a request."""

import schemathesis

# A proof of payment that a wallet did not sign is refused, however well formed: no schema can generate one.
PAYMENT_HEADERS = {"x-payment", "payment-signature"}


@schemathesis.hook
def map_headers(context, headers):
    """Leaves proofs of payment out."""
    if headers:
        return {name: value for name, value in headers.items() if name.lower() not in PAYMENT_HEADERS}
    return headers
