import { AGENT_SKILL_KEYS } from '../../agent-skill.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { readYamlLines } from '../../yaml/front-matter-lines.ts'
import type { LintEdit, Rule } from '../../rule.ts'
import { getFrontMatter } from '../../skill-facts.ts'

export const STRICT_YAML: Rule = {
  id: 'portability/strict-yaml',
  severity: 'info',
  what: 'The front matter uses YAML that strict parsers reject: [..], {..}, &anchor, *alias, !tag, tabs',
  why: 'The reference validator of Agent Skills parses a subset of YAML and rejects the whole file.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata: { author: Ada }\n',
      ),
    },
    good: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n  author: Ada\n',
      ),
    },
  },
  fix: 'Write one entry per line, and repeat a value instead of using an alias.',
  fixable: 'safe',
  check(skill, report) {
    const { markdown } = skill
    if (!markdown || !getFrontMatter(skill) || !skill.profiles.includes('agent-skills')) return
    const { start, end } = markdown.frontMatter.span
    for (const { at, indent, mark } of findMarks(markdown.text.slice(start, end), start)) {
      const lineEnd = markdown.text.indexOf('\n', at)
      const written = markdown.text.slice(at, lineEnd).trimEnd()
      const edits = mark === '{' ? unfoldTable(written, at, indent) : []
      const isFlow = mark === '{' || mark === '['
      report({
        file: 'SKILL.md',
        span: {
          start: at,
          end: at + (isFlow ? written.length : mark === '\t' ? 1 : measureWord(written)),
        },
        message: `Strict YAML parsers reject ${MARK_NAMES[mark]}, expected plain values, one per line`,
        help: isFlow
          ? 'Write one entry per line below the key'
          : mark === '\t'
            ? 'Indent with blanks'
            : 'Write the value itself',
        edits,
      })
    }
  },
}

const MARK_NAMES: Readonly<Record<string, string>> = {
  '[': 'a list in brackets',
  '{': 'a table in braces',
  '&': 'an anchor ("&")',
  '*': 'an alias ("*")',
  '!': 'a tag ("!")',
  '\t': 'a tab before a key',
}

/**
 * Yields values that begin with an indicator, below keys of the format. For other keys, the key
 * itself is reported.
 */
function* findMarks(block: string, base: number) {
  let top = ''
  for (const { line, offset, indent, key, value } of readYamlLines(block)) {
    if (indent === 0 && key !== undefined) top = key
    const tab = /^ *\t/.exec(line)
    if (tab && line.trim() !== '') {
      yield { at: base + offset + tab[0].length - 1, indent, mark: '\t' }
      continue
    }
    const mark = value.charAt(0)
    const isValue = key !== undefined || /^\s*- /.test(line)
    // A list in allowed-tools is reported by another rule.
    if (!isValue || !(mark in MARK_NAMES) || !isFormatKey(top) || top === 'allowed-tools') continue
    yield { at: base + offset + line.indexOf(value, indent), indent, mark }
  }
}

function isFormatKey(key: string): boolean {
  return AGENT_SKILL_KEYS.includes(key)
}

function measureWord(text: string): number {
  const blank = text.search(/\s/)
  return blank === -1 ? text.length : blank
}

/** Rewrites a simple `{ a: b, c: d }` as lines. */
function unfoldTable(written: string, at: number, indent: number): LintEdit[] {
  const inner = /^\{([^{}[\]"'#&*!|>\n]+)\}$/.exec(written)?.[1]
  const pairs = inner?.split(',').map((each) => /^\s*([\w.-]+):\s+(\S[^:]*?)\s*$/.exec(each))
  if (!pairs || pairs.length > 100 || pairs.some((pair) => !pair)) return []
  const lines = pairs.map((pair) => `\n${' '.repeat(indent + 2)}${pair?.[1]}: ${pair?.[2]}`)
  const span = { start: at, end: at + written.length }
  return [{ kind: 'replace', file: 'SKILL.md', span, text: lines.join('') }]
}
