"""Hooks for schemathesis: what an OpenAPI document cannot say of a request, and what the generator cannot do."""

import schemathesis

# A proof of payment that no wallet signed is refused, however well formed: no schema generates a good one.
PAYMENT_HEADERS = {"x-payment", "payment-signature"}
# Valid requests may cost something, ask for what is not there, or for a module that is not there.
ACCEPTED = {200, 202, 204, 402, 404, 503}
# Fields with rules that no JSON Schema can state: what parses, the days that a month has, what is left of a name,
# which addresses may be reached, which lists are live.
UNSTATED = {
    ("url", "malformed"),
    ("url", "empty"),
    ("path", "malformed"),
    ("agency", "malformed"),
    ("agency_parent", "malformed"),
    ("birth_date", "malformed"),
    ("period_end", "malformed"),
    ("country", "unknown_value"),
    ("entity", "empty"),
    ("counterparty_name", "empty"),
    ("chain", "not_applicable"),
    ("birth_date", "in_future"),
    ("until", "malformed"),
    ("lists", "unknown_value"),
    ("entities", "empty"),
    ("wallet", "malformed"),
    ("pay_to", "malformed"),
    ("instrument", "contradictory"),
    ("side", "contradictory"),
    ("size", "contradictory"),
    ("stake", "contradictory"),
    ("max_loss", "contradictory"),
    ("opened_at", "contradictory"),
    ("receipt_hash", "duplicate"),
    ("previous", "contradictory"),
    ("webhook", "malformed"),
    ("webhook", "not_applicable"),
    ("opened_at", "malformed"),
    ("closed_at", "malformed"),
    ("closed_at", "contradictory"),
    ("closed_at", "in_future"),
    ("date", "malformed"),
    ("date", "duplicate"),
    ("date", "in_future"),
    ("trade_id", "duplicate"),
    ("currency", "contradictory"),
    ("fees", "out_of_range"),
    ("pnl_net", "contradictory"),
    ("pnl_net", "missing"),
    ("pnl", "contradictory"),
    ("exit_price", "contradictory"),
    ("outcome", "contradictory"),
    ("b", "contradictory"),
    ("benchmark_return", "contradictory"),
    ("alternatives", "out_of_range"),
    # Of an imported file: what its format allows, zones that there are, and the generator that fills in all members.
    ("file", "malformed"),
    ("file", "contradictory"),
    ("file_base64", "malformed"),
    ("file_base64", "contradictory"),
    ("format", "contradictory"),
    ("import", "contradictory"),
    ("import", "malformed"),
    ("zone", "malformed"),
    ("columns", "malformed"),
    ("funding", "malformed"),
    ("cash_flows", "malformed"),
    # Of records: days of a month, ranges of two fields, what only the sources know, and what a query cannot state of two.
    ("from", "malformed"),
    ("from", "in_future"),
    ("from", "contradictory"),
    ("to", "malformed"),
    ("to", "out_of_range"),
    ("since", "malformed"),
    ("since", "in_future"),
    ("since", "contradictory"),
    ("next", "contradictory"),
    ("next", "malformed"),
    ("page", "out_of_range"),
    ("limit", "out_of_range"),
    ("per_page", "out_of_range"),
    ("types", "contradictory"),
    ("types", "unknown_value"),
    ("agency", "unknown_value"),
    ("agency_role", "not_applicable"),
    ("agency_tier", "not_applicable"),
    ("agency_parent", "not_applicable"),
    ("subawards", "not_applicable"),
    ("min_amount", "contradictory"),
    ("group", "missing"),
    ("ticker", "unknown_value"),
    ("cik", "unknown_value"),
    # Of a company: the generator of edge cases fills in all members, whatever `oneOf` says.
    ("financials", "missing"),
    ("ticker", "contradictory"),
    ("cik", "contradictory"),
    ("basis", "contradictory"),
    ("supplement", "contradictory"),
    ("as_of", "contradictory"),
    ("sic", "contradictory"),
    ("as_of", "malformed"),
    ("as_of", "in_future"),
    ("series", "malformed"),
    ("series", "contradictory"),
    ("price", "malformed"),
    ("price", "contradictory"),
    ("name", "duplicate"),
    ("domain", "malformed"),
    ("domain", "not_applicable"),
    ("domain", "too_long"),
    ("domain", "empty"),
}
# The same of any field: which numbers have an exact form, and which names of members were meant for others.
UNSTATED_ANYWHERE = {"number_not_exact", "misnamed"}
# The hash of a receipt that was issued in this run, and the id of a watch.
issued = []
watched = []


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The generator gives up on the seven conditions of an Ed25519 question; with one encoding less it manages."""
    schemas = raw_schema["components"]["schemas"]
    question = schemas["ClaimVerdictRequest"]["properties"]["resolver"]
    for kind in question["oneOf"]:
        kind = schemas[kind["$ref"].rsplit("/", 1)[1]] if "$ref" in kind else kind
        if "allOf" in kind:
            kind["properties"]["message_encoding"]["enum"].remove("base64")
            unless = {"message_encoding": {"const": "base64"}}
            kind["allOf"] = [rule for rule in kind["allOf"] if rule["if"]["properties"] != unless]


@schemathesis.hook
def before_call(context, case, kwargs):
    """In requests that are to be accepted: no proof of payment, and the receipt and the watch that there are."""
    if not (case.meta and case.meta.generation.mode.is_positive):
        return
    for name in [name for name in case.headers or {} if name.lower() in PAYMENT_HEADERS]:
        del case.headers[name]
    # The generator does not know `explode: false`.
    for name, value in (case.query or {}).items():
        if isinstance(value, list):
            case.query[name] = ",".join(map(str, value))
    for parameters in (case.path_parameters, case.query):
        if issued and parameters and "hash" in parameters:
            parameters["hash"] = issued[0]
    if watched and case.path == "/watch/{id}":
        case.path_parameters["id"] = watched[0]


@schemathesis.hook
def after_call(context, case, response):
    """Remembers the first receipt and the first watch."""
    if not issued and case.path == "/claim-verdict" and response.status_code == 200:
        issued.append(response.json()["receipt_hash"])
    if not watched and case.path == "/watch" and response.status_code == 200:
        watched.extend(response.headers["watch-id"])


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    """As positive_data_acceptance, but for the rules that no JSON Schema can state."""
    if not (case.meta and case.meta.generation.mode.is_positive) or response.status_code in ACCEPTED:
        return
    problem = response.json() if response.status_code == 400 else {}
    reason, field = problem.get("reason"), problem.get("field", "")
    name = next((part for part in reversed(field.split(".")) if not part.isdigit()), None)
    if reason in UNSTATED_ANYWHERE or (name, reason) in UNSTATED:
        return
    if response.status_code != 405:
        raise AssertionError(f"a valid request was answered {response.status_code}: {response.text[:300]}")
