import { isSemver } from '../../../../util/semver.ts'
import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import {
  locateInToml,
  hasProblemAt,
  quoteValue,
  replaceTomlValue,
  getToml,
  toTomlString,
} from '../../skill-facts.ts'

export const INVALID_VERSION: Rule = {
  id: 'schema/invalid-version',
  severity: 'error',
  what: 'version is not a semantic version',
  why: 'The newest version is determined by semver order, which other versions do not have.',
  example: { bad: { 'skill.toml': createExampleToml({ version: '"1.0"' }) }, good: {} },
  fix: 'Write three numbers, such as 1.0.0. --fix-unsafe repairs similar forms.',
  fixable: 'unsafe',
  check(skill, report) {
    const version = getToml(skill)?.['version']
    if (typeof version !== 'string' || version.trim() === '') return
    if (!hasProblemAt(skill, 'skill.toml', ['version'])) return
    const guess = repairVersion(version)
    report({
      ...locateInToml(skill, ['version']),
      message: `version is ${quoteValue(version)}, expected a semantic version such as "0.1.0"`,
      help: guess ? `Did you mean "${guess}"?` : 'Write three numbers with dots between them',
      edits: guess ? replaceTomlValue(skill, ['version'], toTomlString(guess)) : [],
      unsafe: true,
    })
  },
}

/** Repairs versions such as "v1.2", "1.2.3.4" and "01.2.0". */
function repairVersion(version: string): string | undefined {
  if (version.length > 100) return undefined
  const match =
    /^\s*[vV=]?\s*(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.\d+)*(-[0-9A-Za-z.-]+)?\s*$/.exec(
      version,
    )
  if (!match) return undefined
  const numbers = [match[1], match[2], match[3]].map((part) => String(Number(part ?? 0)))
  const repaired = numbers.join('.') + (match[4] ?? '')
  return isSemver(repaired) ? repaired : undefined
}
