import { EXAMPLE_BODY_TABLE, createExampleMarkdown } from '../../example-skill.ts'
import { findNearest } from '../../../../util/find-nearest.ts'
import type { SkillInput } from '../../../skills/manifest/manifest.ts'
import type { ReportFinding, Rule } from '../../rule.ts'

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
  check({ manifest, markdown, toml }, report) {
    if (!toml || !markdown || Object.keys(manifest.inputs).length === 0) return
    const { text, bodyStart } = markdown
    let at = bodyStart
    let isTable = false
    for (const line of text.slice(bodyStart).split('\n')) {
      if (HEADER.test(line)) isTable = true
      else if (!line.startsWith('|')) isTable = false
      else if (isTable) checkRow({ line, at }, manifest.inputs, report)
      at += line.length + 1
    }
  },
}

// eslint-disable-next-line max-params -- a row, the inputs, and the report
function checkRow(
  { line, at }: { line: string; at: number },
  inputs: Readonly<Record<string, SkillInput>>,
  report: ReportFinding,
): void {
  const [whole = '', name = ''] = /^\|\s*`?(?:--)?([A-Za-z_][\w-]*)`?\s*\|/.exec(line) ?? []
  if (name === '') return
  const start = at + whole.indexOf(name)
  const tell = (message: string, help: string) =>
    report({ file: 'SKILL.md', span: { start, end: start + name.length }, message, help })
  const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined
  if (!input) {
    const guess = findNearest(name, Object.keys(inputs))
    const help = guess ? `Did you mean "${guess}"?` : 'Declare it, or remove the row'
    return tell(`The table has "${name}", which is not declared under [inputs]`, help)
  }
  const rest = line.slice(whole.length)
  const difference = findDifference(rest.split('|')[0] ?? '', rest, input)
  if (difference)
    tell(`The table says that "${name}" ${difference}`, 'Correct the table, or [inputs]')
}

/** `cell` is the second column, which has the type in most tables. */
// eslint-disable-next-line max-params, complexity -- two texts of a row, and the input; one condition for each fact
function findDifference(cell: string, rest: string, input: SkillInput): string | undefined {
  const word = /^\s*`?([a-z]+)\b/i.exec(cell)?.[1]?.toLowerCase() ?? ''
  const type = TYPES[word]
  if (type && type !== input.type && input.type !== 'any') {
    return `is ${word}, but it is declared as ${input.type}`
  }
  const facts = `${cell}|${rest.split('|')[1] ?? ''}`
  const isRequired =
    /(?:^|[|,(;\s])required\b|\|\s*yes\s*\|?/i.test(facts) && !/not required/i.test(facts)
  const isOptional = /(?:^|[|,(;\s])optional\b/i.test(facts)
  if (isRequired && !input.required) return 'is required, but it is declared as optional'
  if (isOptional && input.required && input.default === undefined) {
    return 'is optional, but it is declared as required'
  }
  const [, quoted, plain] =
    /\bdefaults?(?: (?:is|to))?:?\s*(?:["`]+([^"`|]+)["`]|([\w.-]+)\s*(?:$|[,;|)]))/i.exec(cell) ??
    []
  const written = quoted ?? plain
  if (written === undefined || input.default === undefined || input.default === null)
    return undefined
  if (typeof input.default === 'object' || String(input.default) === written.replace(/\.$/, ''))
    return undefined
  return `has the default ${written}, but ${String(input.default)} is declared`
}
