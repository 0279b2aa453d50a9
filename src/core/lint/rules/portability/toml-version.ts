import { createRequire } from 'node:module'
import { createExampleToml, EXAMPLE_TABLES } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { getToml } from '../../skill-facts.ts'

const require = createRequire(import.meta.url)

export const TOML_VERSION: Rule = {
  id: 'portability/toml-version',
  severity: 'warning',
  what: 'skill.toml uses syntax of TOML 1.1',
  why: 'Most programs read TOML 1.0, such as the tomllib of Python, and reject the whole file.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace(
          'who = { type = "string", description',
          'who = {\n  type = "string",\n  description',
        ),
      ),
    },
    good: {},
  },
  fix: 'Write inline tables on one line without a final comma, \\u001b instead of \\e, \\u0041 instead of \\x41, and times with seconds.',
  check(skill, report) {
    const { toml } = skill
    if (!toml || !getToml(skill) || !mayBeNewer(toml.text)) return
    const problem = findLaterSyntax(toml.text)
    if (!problem) return
    report({
      file: 'skill.toml',
      span: { start: problem.index, end: Math.min(problem.index + 1, toml.text.length) },
      message: `TOML 1.0 does not allow this: ${problem.message}`,
      help: 'Write it as TOML 1.0',
    })
  },
}

/** True for signs of the newer syntax: a text without any of them needs no second parser. */
function mayBeNewer(text: string): boolean {
  if (text.includes('\\') && /\\[ex]/.test(text)) return true
  if (/\{[^}\n]*\n|,[ \t]*\}/.test(text)) return true
  return /:\d/.test(text) && /\d\d:\d\d(?!:?\d)/.test(text)
}

function findLaterSyntax(text: string): { index: number; message: string } | undefined {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  try {
    // A BOM is valid in both versions, and a blank instead of it keeps offsets.
    parseTOML(text.replace(/^\uFEFF/, ' '), { tomlVersion: '1.0' })
    return undefined
  } catch (thrown) {
    const { index, message } = thrown as { index?: number; message: string }
    if (index === undefined) return undefined
    return describeProblem(text, index, message)
  }
}

/** The construct at the position of the parser's error. */
function describeProblem(text: string, index: number, message: string) {
  if (/escape sequence/.test(message)) {
    return { index: index - 1, message: `the escape "${text.slice(index - 1, index + 1)}"` }
  }
  if (/^\d\d:\d\d$/.test(text.slice(index - 5, index))) {
    return { index: index - 5, message: 'a time without seconds' }
  }
  if (/comma/i.test(message)) {
    const comma = text.lastIndexOf(',', index)
    return { index: comma, message: 'a comma at the end of an inline table' }
  }
  return { index, message: 'a line feed in an inline table' }
}
