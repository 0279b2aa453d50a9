import { SkillsError } from '../../../errors.ts'
import { parseRegex, RegexSyntaxError } from '../../../util/linear-regex/parse-regex.ts'
import { RegexScanner } from '../../../util/linear-regex/regex-scanner.ts'
import type { Expression } from '../../../util/linear-regex/syntax.ts'
import { listCaseForms } from '../../outputs/query/case-forms.ts'
import type { Config } from '../../config/config.ts'
import { DEFAULT_PATTERNS } from './default-patterns.ts'

let last: { key: string; scanner: RegexScanner | undefined } | undefined

/** As `compilePatterns`. Runtimes of a process with the same patterns share one scanner. */
export function sharePatterns(redaction: Config['redaction']): RegexScanner | undefined {
  const key = JSON.stringify(redaction)
  if (last?.key !== key) last = { key, scanner: compilePatterns({ ...redaction, defaults: true }) }
  return last.scanner
}

/** Compiles the patterns of the configuration. Undefined if there are none. */
export function compilePatterns({
  defaults,
  patterns,
}: Config['redaction'] & { defaults: boolean }): RegexScanner | undefined {
  const own = patterns.map(parseOwnPattern)
  const parts = [...(defaults ? DEFAULT_PATTERNS.map(parse) : []), ...own]
  if (parts.length === 0) return undefined
  try {
    return new RegexScanner({ kind: 'choice', parts })
  } catch (error) {
    throw toSettingError(error, 'All patterns of redaction.patterns together')
  }
}

function parse(pattern: string): Expression {
  return parseRegex(pattern, listCaseForms)
}

function parseOwnPattern(pattern: string): Expression {
  try {
    // One that matches the empty text is reported by its name.
    return new RegexScanner(parse(pattern)).expression
  } catch (error) {
    throw toSettingError(error, `The pattern ${JSON.stringify(pattern)} of redaction.patterns`)
  }
}

function toSettingError(error: unknown, subject: string): unknown {
  if (!(error instanceof RegexSyntaxError)) return error
  return new SkillsError('config/invalid', `${subject} cannot be used: ${error.message}`, {
    hint: 'Write regular expressions without back-references and lookaround, such as "acme_[a-z0-9]{32}"',
  })
}
