import { nearest } from '../../../../util/nearest.ts'
import { INPUT_KEYS, PERMISSION_KEYS, RUNTIME_KEYS, TOP_KEYS } from '../../../manifest/fields.ts'
import type { Edit, Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, tomlOf } from '../../skill-facts.ts'

export const UNKNOWN_KEY: Rule = {
  id: 'schema/unknown-key',
  severity: 'warning',
  what: 'skill.toml has a key that no reader knows',
  why: 'A misspelt key is kept but has no effect, and nobody notices.',
  example: { bad: { 'skill.toml': exampleToml({ tgas: '["demo"]' }) }, good: {} },
  fix: 'Correct the spelling, or remove the key. A near miss can be renamed by --fix-unsafe.',
  fixable: 'unsafe',
  check(skill, report) {
    if (!tomlOf(skill)) return
    for (const dotted of skill.manifest.unknownKeys) {
      const path = pathOf(dotted)
      const key = path.at(-1) as string
      const known = knownBeside(path)
      const guess = nearest(
        key,
        known.filter((each) => !isSet(skill, [...path.slice(0, -1), each])),
      )
      const { span } = inToml(skill, path, 'key')
      const edits: Edit[] =
        guess && span ? [{ kind: 'replace', file: 'skill.toml', span, text: guess }] : []
      report({
        file: 'skill.toml',
        span,
        message: `Unknown key "${dotted}", expected one of ${known.filter((each) => each !== '$schema').join(', ')}`,
        help: guess ? `Did you mean "${guess}"?` : `Remove "${key}", or correct its name`,
        edits,
        unsafe: true,
      })
    }
  },
}

/** Input names may hold dots; only the first and last parts are ours. */
function pathOf(dotted: string): string[] {
  const parts = dotted.split('.')
  if (parts[0] !== 'inputs' || parts.length <= 3) return parts
  return ['inputs', parts.slice(1, -1).join('.'), parts.at(-1) as string]
}

function knownBeside(path: readonly string[]): readonly string[] {
  if (path.length === 1) return TOP_KEYS
  if (path[0] === 'runtime') return RUNTIME_KEYS
  return path[0] === 'permissions' ? PERMISSION_KEYS : INPUT_KEYS
}

function isSet(skill: Parameters<Rule['check']>[0], path: readonly string[]): boolean {
  let value: unknown = tomlOf(skill)
  for (const step of path) value = (value as Record<string, unknown> | undefined)?.[step]
  return value !== undefined
}
