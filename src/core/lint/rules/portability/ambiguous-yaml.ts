import { createExampleMarkdown } from '../../example-skill.ts'
import { readYamlLines } from '../../yaml/front-matter-lines.ts'
import type { Rule, Severity } from '../../rule.ts'
import { getFrontMatter } from '../../skill-facts.ts'

export const AMBIGUOUS_YAML: Rule = {
  id: 'portability/ambiguous-yaml',
  severity: 'warning',
  what: 'A value of the front matter without quotes is not the same in YAML 1.1 and YAML 1.2',
  why: 'Hosts use both versions: one reads a text, another a boolean, a date or another number.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n  formal: no\n',
      ),
    },
    good: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n  formal: "no"\n',
      ),
    },
  },
  fix: 'Put the value in quotes.',
  fixable: 'safe',
  check(skill, report) {
    const { markdown } = skill
    if (!markdown || !getFrontMatter(skill)) return
    const { start, end } = markdown.frontMatter.span
    const block = markdown.text.slice(start, end)
    if (!MAY_DIFFER.test(block)) return
    for (const { at, text, table } of listValues(block, start)) {
      const found = READINGS.find(({ pattern }) => pattern.test(text))
      // Another rule reports numbers in metadata.
      if (!found || (found.isNumber && table === 'metadata')) continue
      const span = { start: at, end: at + text.length }
      report({
        file: 'SKILL.md',
        span,
        message: found.other
          ? `Some YAML parsers read ${text} as ${found.as}, others as ${found.other}`
          : `YAML reads ${text} as ${found.as}`,
        help: `Put it in quotes: "${text}"`,
        ...(found.severity && { severity: found.severity }),
        edits: [{ kind: 'replace', file: 'SKILL.md', span, text: `"${text}"` }],
      })
    }
  },
}

/** A short word or a number at the end of a line; other front matter is not read by line. */
const MAY_DIFFER = /[:-][ \t]+(?:[yYnNoO][\w]{0,2}|[-+]?\d[^\n#]{0,60})[ \t]*(?:#[^\n]*)?\r?$/m

/** Values on one line, without comments, with their offset and their top-level key. */
function* listValues(block: string, base: number) {
  let table = ''
  for (const { line, offset, indent, key, value } of readYamlLines(block)) {
    if (indent === 0 && key !== undefined) table = key
    if (key === undefined && !/^\s*- /.test(line)) continue
    const text = value.replace(/[ \t]#.*$/, '').trimEnd()
    yield { at: base + offset + line.lastIndexOf(value), text, table }
  }
}

interface Reading {
  pattern: RegExp
  as: string
  /** The other reading; absent if all parsers agree on the type. */
  other?: string
  isNumber?: boolean
  severity?: Severity
}

const READINGS: readonly Reading[] = [
  { pattern: /^(?:yes|Yes|YES|on|On|ON|y|Y)$/, as: 'true', other: 'text' },
  { pattern: /^(?:no|No|NO|off|Off|OFF|n|N)$/, as: 'false', other: 'text' },
  {
    pattern: /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt \t].*)?$/,
    as: 'a date',
    other: 'text',
    severity: 'info',
  },
  {
    pattern: /^[-+]?0[0-7]*[1-7][0-7]*$/,
    as: 'an octal number',
    other: 'a decimal number',
    isNumber: true,
  },
  { pattern: /^0o[0-7]+$/, as: 'an octal number', other: 'text' },
  { pattern: /^0b[01_]+$/, as: 'a binary number', other: 'text' },
  {
    pattern: /^[-+]?[1-9][\d_]*(?::[0-5]?\d)+(?:\.\d*)?$/,
    as: 'a number in base 60',
    other: 'text',
    isNumber: true,
  },
  { pattern: /^[-+]?[1-9]\d*(?:_\d+)+$/, as: 'a number', other: 'text', isNumber: true },
  {
    pattern: /^\d+\.\d*0$/,
    as: 'a number, which hosts print without the last zero',
    isNumber: true,
    severity: 'info',
  },
]
