import { getPackageName, hasPackage } from '../lint/code/node-packages.ts'
import { STANDARD_MODULES } from '../lint/python/standard-modules.ts'
import type { LintedSkill } from '../lint/rule.ts'
import { LineIndex } from '../../util/line-index.ts'
import type { GuessedCapability } from './guessed-capability.ts'

/** Packages that the code imports and that a run does not have. */
export function guessPackages(skill: LintedSkill): GuessedCapability[] {
  const own = listOwnModules(skill)
  return skill.files.flatMap(({ path }) => {
    const lines = new LineIndex(skill.read(path) ?? '')
    const placeAt = (offset: number) => `${path}:${lines.positionAt(offset).line}`
    const python = skill.getPythonFacts(path)?.imports ?? []
    const code = skill.getCodeFacts(path)?.imports ?? []
    return [
      ...python.flatMap(({ module, level, span }) => {
        const top = module.split('.')[0] ?? ''
        if (level > 0 || top === '' || own.has(top) || STANDARD_MODULES.has(top)) return []
        return [toPackage(top, placeAt(span.start))]
      }),
      ...code.flatMap(({ specifier, isOptional, span }) => {
        const name = getPackageName(specifier)
        if (name === undefined || isOptional || hasPackage(skill, path, name)) return []
        return [toPackage(name, placeAt(span.start))]
      }),
    ]
  })
}

function toPackage(name: string, place: string): GuessedCapability {
  return {
    kind: 'package',
    value: name,
    certainty: 'certain',
    place,
    allowed: false,
    reason: 'the code imports it; a run has only what "skills deps add" pins',
  }
}

/** Files and folders of the skill, each of which Python may import from a file beside it. */
function listOwnModules(skill: LintedSkill): ReadonlySet<string> {
  const parts = skill.files.flatMap(({ path }) => path.split('/'))
  return new Set([
    'runtime',
    'skills',
    '__future__',
    ...parts.map((part) => part.replace(/\.py$/, '')),
  ])
}
