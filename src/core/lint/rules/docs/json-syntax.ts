import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'
import { parseJsonTree } from '../../../../util/text/json-tree.ts'
import type { Rule } from '../../rule.ts'

const FENCE = '```'

export const JSON_SYNTAX: Rule = {
  id: 'docs/json-syntax',
  severity: 'warning',
  what: 'A code block of SKILL.md is tagged as JSON and cannot be parsed',
  why: 'Models copy examples, and programs refuse what they write.',
  example: {
    bad: {
      'SKILL.md': extendExampleBody(
        `The result:\n\n${FENCE}json\n{\n  "greeting": "Hello, Ada",\n}\n${FENCE}\n`,
      ),
    },
    good: {
      'SKILL.md': extendExampleBody(
        `The result:\n\n${FENCE}json\n{\n  "greeting": "Hello, Ada"\n}\n${FENCE}\n`,
      ),
    },
  },
  fix: 'Correct the JSON, or tag the block as jsonc, json5 or text.',
  // eslint-disable-next-line complexity -- files, then blocks
  check(skill, report) {
    const { markdown, files, manifest } = skill
    for (const { path } of manifest.runtime ? files : []) {
      const text = /^resources\/[^/]+\.json$/.test(path) ? (skill.read(path) ?? '{}') : '{}'
      const [error] = isJson(text) ? [] : parseJsonTree(text).errors
      if (!error) continue
      const message = `Cannot parse this JSON: ${PROBLEMS[error.error] ?? 'invalid syntax'}`
      const span = { start: error.offset, end: error.offset + Math.max(1, error.length) }
      report({ file: path, span, message, help: 'Correct it' })
    }
    if (!markdown) return
    for (const { language, text, start } of scanMarkdown(markdown).code) {
      if (language !== 'json' || isSketch(text)) continue
      const [error] = isJson(text) ? [] : parseJsonTree(text).errors
      if (!error || isSeveralDocuments(text)) continue
      const offset = Math.min(error.offset, text.trimEnd().length)
      const at = start + offset
      report({
        file: 'SKILL.md',
        span: { start: at, end: at + Math.max(1, Math.min(error.length, 40)) },
        message: `Cannot parse this JSON: ${PROBLEMS[error.error] ?? 'invalid syntax'}`,
        help: 'Correct it, or tag the block as jsonc or text',
      })
    }
  },
}

/** Texts by the error codes of the parser. */
const PROBLEMS: Readonly<Record<number, string>> = {
  1: 'invalid symbol',
  2: 'invalid number',
  3: 'expected a name in double quotes',
  4: 'expected a value',
  5: 'expected ":"',
  6: 'expected ","',
  7: 'expected "}"',
  8: 'expected "]"',
  9: 'expected the end of the block',
  10: 'a comment',
  11: 'a comment that is not closed',
  12: 'a string that is not closed',
  13: 'a number that is not complete',
  14: 'an escape that is not valid',
  15: 'an escape that is not valid',
  16: 'a control character in a string',
}

/** True for text that is not meant to be parsed: elisions, comments, placeholders, templates. */
function isSketch(text: string): boolean {
  return SKETCHES.some((pattern) => pattern.test(text)) || !/^\s*[[{]/.test(text)
}

const SKETCHES = [
  /\.\.\.|…|<[A-Za-z][^<>\n]*>|\{\{|\$\{|\{%/,
  /(?:^|[\s,{[])(?:\/\/|\/\*|#)/m,
  // Alternatives, and results after an arrow.
  /"\s*\||\|\s*"|→|[=-]>/,
  // A word instead of a value, but not a constant of another language.
  /[:[,]\s*(?!(?:true|false|null|True|False|None|undefined|NaN|Infinity)\b)[A-Za-z_]\w*\s*(?:[,}\]\n]|$)/,
]

/** True for one JSON document per line, or several one after another. */
function isSeveralDocuments(text: string): boolean {
  const parts = text.trim().split(/\n\s*\n|(?<=[}\]])\s*\n(?=[{[])/)
  return parts.length > 1 && parts.every(isJson)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
