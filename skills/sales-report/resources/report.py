"""Adds up a table, draws a chart and writes both into a report."""

from runtime import blobs, log
from skills.examples.charts.bars import svg_chart, text_chart
from skills.examples.csv.summary import totals


def main(args):
    by, of = args["by"], args["of"]
    sums = totals(args["table"], by=by, of=of)
    if not sums:
        raise ValueError(f"The column {of!r} has no numbers")
    log.info(f"{len(sums)} values of {by}")

    title = f"{of} by {by}".capitalize()
    chart = text_chart(sums, title)
    leader, most = next(iter(sums.items()))
    share = round(100 * most / (sum(sums.values()) or 1))
    report = blobs.write_text(f"# {title}\n\n```\n{chart}\n```\n", kind="text/markdown")
    image = blobs.write_text(svg_chart(sums, title), kind="image/svg+xml")
    return {
        "summary": f"{leader} leads with {most:g} of {of}, {share} % of all",
        "leader": leader,
        "chart": chart,
        "report": report,
        "image": image,
    }
