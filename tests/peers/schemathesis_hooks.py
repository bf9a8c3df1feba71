"""Hooks for schemathesis: what an OpenAPI document cannot say of a request."""

import schemathesis

# A proof of payment that no wallet signed is refused, however well formed: no schema generates a good one.
PAYMENT_HEADERS = {"x-payment", "payment-signature"}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leaves proofs of payment out of requests that are to be accepted; in others they stay, as garbage."""
    if case.meta and case.meta.generation.mode.is_positive:
        for name in [name for name in case.headers or {} if name.lower() in PAYMENT_HEADERS]:
            del case.headers[name]
