"""The one table that a run prints, in Markdown."""

from .scenario import Outcome


def table(outcomes: list[Outcome], checks: dict) -> str:
    """A row a kind of fault, then a row a check."""
    lines = ["| fault | times | failovers | store back after, s | service back after, s | later than the store, s | whole again after, s |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for name in dict.fromkeys(outcome.fault.name for outcome in outcomes):
        of_name = [outcome for outcome in outcomes if outcome.fault.name == name]
        services = [outcome.service_gap for outcome in of_name if outcome.service_gap is not None]
        lines.append(
            f"| `{name}` | {len(of_name)} | {sum(outcome.failed_over for outcome in of_name)} "
            f"| {spread([outcome.store_gap for outcome in of_name])} | {spread(services)} "
            f"| {spread([outcome.later for outcome in of_name if outcome.later is not None])} "
            f"| {spread([outcome.whole_after for outcome in of_name])} |"
        )
    checks = {"failovers": sum(outcome.failed_over for outcome in outcomes)} | checks
    lines += ["", "| check | |", "|---|--:|"]
    lines += [f"| {name} | {value} |" for name, value in checks.items()]
    return "\n".join(lines)


def spread(values: list[float]) -> str:
    """The median, with least and most where there are several."""
    if not values:
        return ""
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    return f"{median:.1f}" if len(values) == 1 else f"{median:.1f} ({ordered[0]:.1f} to {ordered[-1]:.1f})"
