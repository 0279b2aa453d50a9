import { MAX_NAME, NAME_PATTERN } from '../../../skills/manifest/fields.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import {
  locateInToml,
  quoteValue,
  replaceTomlValue,
  getToml,
  toTomlString,
} from '../../skill-facts.ts'

export const INVALID_NAME: Rule = {
  id: 'naming/invalid-name',
  severity: 'error',
  what: 'The name does not consist of dot-separated segments of a-z, 0-9, _ and -',
  why: 'The name is also a folder in the sandbox and a module in Python.',
  example: { bad: { 'skill.toml': createExampleToml({ name: '"Demo.Greet You"' }) }, good: {} },
  fix: 'Use lower-case ASCII letters and digits, with dots between segments. --fix-unsafe converts and replaces characters.',
  fixable: 'unsafe',
  check(skill, report) {
    const name = getToml(skill)?.['name']
    if (typeof name !== 'string' || name.trim() === '' || NAME_PATTERN.test(name)) return
    const segment = name.split('.').find((each) => !/^[a-z0-9_-]+$/.test(each)) ?? name
    const repaired = repairName(name)
    report({
      ...locateSegment(skill, name, segment),
      message:
        segment === ''
          ? `The name ${quoteValue(name)} has an empty segment`
          : `The name has the segment ${quoteValue(segment)}${describeForeignLetter(segment)}, expected only a-z, 0-9, _ and -`,
      help: repaired
        ? `Write "${repaired}"`
        : 'Write lower-case ASCII words with dots between them',
      edits: repaired ? replaceTomlValue(skill, ['name'], toTomlString(repaired)) : [],
      unsafe: true,
    })
  },
}

/** Locates the segment, if the name is written without escapes. */
function locateSegment(skill: LintedSkill, name: string, segment: string) {
  const { file, span } = locateInToml(skill, ['name'])
  if (!span || skill.toml?.text.slice(span.start + 1, span.end - 1) !== name) return { file, span }
  const before = name.split('.').slice(0, name.split('.').indexOf(segment)).join('.')
  const start = span.start + 1 + (before === '' ? 0 : before.length + 1)
  return { file, span: segment === '' ? span : { start, end: start + segment.length } }
}

function describeForeignLetter(segment: string): string {
  const foreign = [...segment].find(
    (character) => /\p{L}/u.test(character) && !/[a-zA-Z]/.test(character),
  )
  if (!foreign) return ''
  return ` with "${foreign}" (U+${foreign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`
}

/** Letters that look like Latin ones, with the Latin letter that was meant. */
export const LATIN_BY_LOOKALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\u0430': 'a',
    '\u0435': 'e',
    '\u043E': 'o',
    '\u0440': 'p',
    '\u0441': 'c',
    '\u0443': 'y',
    '\u0445': 'x',
    '\u0456': 'i',
    '\u0458': 'j',
    '\u0455': 's',
  }),
)

function repairName(name: string): string | undefined {
  const plain = [...name.slice(0, 1000).toLowerCase()]
    .map((letter) => LATIN_BY_LOOKALIKE.get(letter) ?? letter)
    .join('')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
  // A letter without a Latin counterpart would be dropped, which makes another word.
  if (/(?![a-z])\p{L}/u.test(plain)) return undefined
  const segments = plain.split(/[./\\:]+/).map((segment) =>
    segment
      .trim()
      .replace(/[\s-]+/g, '_')
      .replace(/[^a-z0-9_]/g, ''),
  )
  const repaired = segments.filter((segment) => segment !== '').join('.')
  return repaired !== '' && repaired.length <= MAX_NAME ? repaired : undefined
}
