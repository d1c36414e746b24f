"""What both suites of Python tests report: tests left out, in one line at the end with reasons, not as letters."""

import collections


def pytest_report_teststatus(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        return "skipped", "", "SKIPPED"
    return None


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = collections.Counter(_reason(report) for report in skipped)
    if reasons:
        listed = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"\nskipped: {len(skipped)} tests: {listed}")


def _reason(report):
    """Why a test was left out, without the name of the file that is missing."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    for start in ("no data", "shared data not found"):
        if reason.startswith(start):
            return "no shared data (set SPINNEY_DATA)"
    return reason
