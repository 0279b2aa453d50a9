/** A fault to plant in an example skill: a text of a file that occurs once, and its replacement. */
export interface PlantedFault {
  skill: string
  file: string
  old: string
  new: string
}

const greet = (file: string, old: string, next: string): PlantedFault => ({
  skill: 'greet',
  file: `code/${file}`,
  old,
  new: next,
})
const bars = (old: string, next: string): PlantedFault => ({
  skill: 'bar-chart',
  file: 'code/main.py',
  old,
  new: next,
})
const table = (old: string, next: string): PlantedFault => ({
  skill: 'csv-summary',
  file: 'code/main.py',
  old,
  new: next,
})
const columns = (old: string, next: string): PlantedFault => ({
  skill: 'csv-summary',
  file: 'code/columns.py',
  old,
  new: next,
})
const issues = (old: string, next: string): PlantedFault => ({
  skill: 'github-issues',
  file: 'code/main.py',
  old,
  new: next,
})
const report = (old: string, next: string): PlantedFault => ({
  skill: 'sales-report',
  file: 'resources/report.py',
  old,
  new: next,
})

/** Mistakes as people make them: a wrong comparison, a swapped value, a forgotten check. */
export const FAULTS: readonly PlantedFault[] = [
  greet('greetings.py', 'Hallo', 'Hello'),
  greet('greetings.py', 'Bonjour', 'Bonsoir'),
  greet('main.py', "{args['name']}!", "{args['name']}"),
  greet('main.py', '"greeting": greeting}', '"greeting": args["name"]}'),
  greet('main.py', 'log.info(f"Greeting in', 'log.info(f"Hello in'),
  { skill: 'greet', file: 'SKILL.md', old: 'default `en`', new: 'default `de`' },
  bars('MAX_BARS = 100', 'MAX_BARS = 101'),
  bars('== "svg"', '== "SVG"'),
  bars('{len(values)} bars"', '{len(values) - 1} bars"'),
  bars('round(value / largest * TEXT_WIDTH)', 'int(value / largest * TEXT_WIDTH)'),
  bars('lines = [title] if title else []', 'lines = [title]'),
  bars('top = ROW if title else 0', 'top = ROW'),
  bars('{escape(label)}', '{label}'),
  bars('{escape(title)}', '{title}'),
  bars('y = top + row * ROW', 'y = row * ROW'),
  bars('not 0 < len(values)', 'not 0 <= len(values)'),
  bars('isinstance(value, bool) or ', ''),
  bars('or value < 0:', 'or value < -1:'),
  bars('max(values.values()) or 1', 'max(values.values())'),
  table('rows += 1', 'rows += 2'),
  table('args.get("delimiter", ",")', '","'),
  table('.removeprefix("\\ufeff")', ''),
  table('.strip() for name', ' for name'),
  table('if len(set(reader.fieldnames)) < len(reader.fieldnames):', 'if False:'),
  table('sums[row[by] or ""] += number', 'sums[row[by] or ""] = number'),
  table('dict(sums.most_common())', 'dict(sums)'),
  table('if not reader.fieldnames:', 'if reader.fieldnames is None and False:'),
  columns('if not math.isfinite(number):', 'if math.isnan(number):'),
  columns('self.empty += 1', 'self.empty += 0'),
  columns('self.minimum = min(', 'self.minimum = max('),
  columns('round(self.sum / self.numbers, 6)', 'round(self.sum / (self.numbers + 1), 6)'),
  columns('self.numbers == self.filled', 'self.numbers > 0'),
  columns('len(self.values) == MAX_DISTINCT', 'len(self.values) > MAX_DISTINCT'),
  issues('per_page={limit}', 'per_page=20'),
  issues('if "pull_request" not in each', ''),
  issues('f"Bearer {token}"', 'f"Basic {token}"'),
  issues('1 <= limit <= MAX_ISSUES', '0 <= limit <= MAX_ISSUES'),
  issues('(?!\\.{1,2}$)', ''),
  issues('label["name"] for label', 'label for label'),
  issues('answered {error.code}', 'answered {error.reason}'),
  report('100 * most', '10 * most'),
  report('raise ValueError(f"The column', 'print(f"The column'),
]
