import collections
import csv

from columns import Column, parse_number
from runtime import blobs, log


def main(args):
    rows, columns = summarise(args["table"], args.get("delimiter", ","))
    report = blobs.write_json({"rows": rows, "columns": [each.report() for each in columns]})
    log.info(f"Read {rows} rows of {len(columns)} columns")
    return {
        "summary": f"{rows} rows with {len(columns)} columns",
        "rows": rows,
        "columns": [each.name for each in columns],
        "report": report,
    }


def summarise(table, delimiter=","):
    """Counts the rows and collects the statistics of each column."""
    rows = 0
    with blobs.open(table, "r") as file:
        reader = open_reader(file, delimiter)
        columns = [Column(name) for name in reader.fieldnames]
        for row in reader:
            rows += 1
            for column in columns:
                column.add(row[column.name])
    return rows, columns


def totals(table, by, of, delimiter=","):
    """Sums the column `of` for each value of the column `by`, the largest sum first."""
    sums = collections.Counter()
    with blobs.open(table, "r") as file:
        reader = open_reader(file, delimiter)
        for name in (by, of):
            if name not in reader.fieldnames:
                raise ValueError(f"{name!r} is not a column, expected one of {', '.join(reader.fieldnames)}")
        for row in reader:
            number = parse_number(row[of] or "")
            if number is not None:
                sums[row[by] or ""] += number
    return dict(sums.most_common())


def open_reader(file, delimiter):
    reader = csv.DictReader(file, delimiter=delimiter)
    if not reader.fieldnames:
        raise ValueError("The table is empty: expected a header line")
    # Spreadsheets write a byte order mark before the first column name.
    reader.fieldnames = [name.removeprefix("\ufeff").strip() for name in reader.fieldnames]
    if len(set(reader.fieldnames)) < len(reader.fieldnames):
        raise ValueError("Two columns have the same name")
    return reader
