import { EXAMPLE_BODY_TABLE, createExampleMarkdown } from '../../example-skill.ts'
import { findNearest } from '../../../../util/find-nearest.ts'
import type { SkillInput } from '../../../skills/manifest/manifest.ts'
import type { RawFinding, Rule } from '../../rule.ts'

/** Headers of a table of inputs. */
const HEADER = /^\|\s*(?:arguments?|inputs?|parameters?|args?|options?)\s*\|/i
const TYPES: Readonly<Record<string, SkillInput['type']>> = {
  string: 'string',
  text: 'string',
  str: 'string',
  integer: 'integer',
  int: 'integer',
  number: 'number',
  float: 'number',
  boolean: 'boolean',
  bool: 'boolean',
  object: 'object',
  array: 'array',
  list: 'array',
  blob: 'blob',
}

export const TABLE_DRIFT: Rule = {
  id: 'docs/table-drift',
  severity: 'warning',
  what: "A table of inputs in SKILL.md differs from the manifest's [inputs]",
  why: 'Models call the skill as the table says, and the call is refused.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(undefined, EXAMPLE_BODY_TABLE.replace('string', 'integer')),
    },
    good: { 'SKILL.md': createExampleMarkdown(undefined, EXAMPLE_BODY_TABLE) },
  },
  fix: 'Correct the table, or the declaration.',
  check({ manifest: { inputs }, markdown, toml }, report) {
    if (!toml || !markdown || Object.keys(inputs).length === 0) return
    for (const rows of listTables(markdown.text, markdown.bodyStart)) {
      const known = rows.filter(({ name }) => findInput(inputs, name))
      // Other tables have the options of a program, or the parameters of an API.
      if (known.length * 2 < rows.length) continue
      for (const row of rows) {
        const problem = checkRow(row, inputs)
        const span = { start: row.start, end: row.start + row.name.length }
        if (problem) report({ file: 'SKILL.md', span, ...problem })
      }
    }
  },
}

interface TableRow {
  name: string
  /** Offset of the name in SKILL.md. */
  start: number
  /** The other columns. The first has the type in most tables. */
  rest: string
}

/** Rows of the tables that have a header of inputs. */
function listTables(text: string, bodyStart: number): TableRow[][] {
  const tables: TableRow[][] = []
  let at = bodyStart
  let table: TableRow[] | undefined
  for (const line of text.slice(bodyStart).split('\n')) {
    const [whole = '', name = ''] = /^\|\s*`?(?:--)?([A-Za-z_][\w-]*)`?\s*\|/.exec(line) ?? []
    if (HEADER.test(line)) tables.push((table = []))
    else if (!line.startsWith('|')) table = undefined
    else if (name !== '') {
      table?.push({ name, start: at + whole.indexOf(name), rest: line.slice(whole.length) })
    }
    at += line.length + 1
  }
  return tables
}

type Problem = Pick<RawFinding, 'message' | 'help'>

function checkRow(
  { name, rest }: TableRow,
  inputs: Readonly<Record<string, SkillInput>>,
): Problem | undefined {
  const input = findInput(inputs, name)
  if (!input) {
    const guess = findNearest(name, Object.keys(inputs))
    const help = guess ? `Did you mean "${guess}"?` : 'Declare it, or remove the row'
    return { message: `The table has "${name}", which is not declared under [inputs]`, help }
  }
  const [cell = '', next = ''] = rest.split('|')
  const difference =
    findOtherType(cell, input) ??
    findOtherNeed(`${cell}|${next}`, input) ??
    findOtherDefault(cell, input)
  if (difference === undefined) return undefined
  return {
    message: `The table says that "${name}" ${difference}`,
    help: 'Correct the table, or [inputs]',
  }
}

/** The option --max-rows passes the input max_rows. */
function findInput(
  inputs: Readonly<Record<string, SkillInput>>,
  name: string,
): SkillInput | undefined {
  const key = [name, name.replaceAll('-', '_')].find((each) => Object.hasOwn(inputs, each))
  return key === undefined ? undefined : inputs[key]
}

function findOtherType(cell: string, input: SkillInput): string | undefined {
  // A description may begin with such a word: "List all voices".
  const word = /^\s*`?([a-z]+)`?\s*(?:$|[,;([<])/i.exec(cell)?.[1]?.toLowerCase() ?? ''
  const type = TYPES[word]
  return type && type !== input.type && input.type !== 'any'
    ? `is ${word}, but it is declared as ${input.type}`
    : undefined
}

function findOtherNeed(cells: string, input: SkillInput): string | undefined {
  const isRequired =
    /(?:^|[|,(;\s])required\b|\|\s*yes\s*\|?/i.test(cells) && !/not required/i.test(cells)
  if (isRequired && !input.required) return 'is required, but it is declared as optional'
  const isOptional = /(?:^|[|,(;\s])optional\b/i.test(cells)
  return isOptional && input.required && input.default === undefined
    ? 'is optional, but it is declared as required'
    : undefined
}

function findOtherDefault(cell: string, { default: declared }: SkillInput): string | undefined {
  const [, quoted, plain] =
    /\bdefaults?(?: (?:is|to))?:?\s*(?:["`]+([^"`|]+)["`]|([\w.-]+)\s*(?:$|[,;|)]))/i.exec(cell) ??
    []
  const written = quoted ?? plain
  if (written === undefined || declared === undefined || typeof declared === 'object')
    return undefined
  return String(declared) === written.replace(/\.$/, '')
    ? undefined
    : `has the default ${written}, but ${String(declared)} is declared`
}
