import { MAX_NAME, NAME_PATTERN } from '../../../manifest/fields.ts'
import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, quote, replaceToml, tomlOf, tomlText } from '../../skill-facts.ts'

export const INVALID_NAME: Rule = {
  id: 'naming/invalid-name',
  severity: 'error',
  what: 'The name is not made of dot-separated segments of a-z, 0-9, _ and -',
  why: 'The name is a folder in the sandbox, a module in Python and a key everywhere else.',
  example: { bad: { 'skill.toml': exampleToml({ name: '"Demo.Greet You"' }) }, good: {} },
  fix: 'Use lower-case ASCII letters and digits, dots between segments. --fix-unsafe lowers and replaces.',
  fixable: 'unsafe',
  check(skill, report) {
    const name = tomlOf(skill)?.['name']
    if (typeof name !== 'string' || name.trim() === '' || NAME_PATTERN.test(name)) return
    const segment = name.split('.').find((each) => !/^[a-z0-9_-]+$/.test(each)) ?? name
    const repaired = repair(name)
    report({
      ...inToml(skill, ['name']),
      message:
        segment === ''
          ? `The name ${quote(name)} has an empty segment`
          : `The name has the segment ${quote(segment)}${lookalike(segment)}, expected only a-z, 0-9, _ and -`,
      help: repaired
        ? `Write "${repaired}"`
        : 'Write lower-case ASCII words with dots between them',
      edits: repaired ? replaceToml(skill, ['name'], tomlText(repaired)) : [],
      unsafe: true,
    })
  },
}

function lookalike(segment: string): string {
  const foreign = [...segment].find(
    (character) => /\p{L}/u.test(character) && !/[a-zA-Z]/.test(character),
  )
  if (!foreign) return ''
  return ` with "${foreign}" (U+${foreign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`
}

function repair(name: string): string | undefined {
  const segments = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[./\\:]+/)
    .map((segment) =>
      segment
        .trim()
        .replace(/[\s-]+/g, '_')
        .replace(/[^a-z0-9_]/g, ''),
    )
    .filter((segment) => segment !== '')
  const repaired = segments.join('.')
  return repaired !== '' && repaired.length <= MAX_NAME ? repaired : undefined
}
