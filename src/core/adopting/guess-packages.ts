import {
  foldDistributionName,
  getDistributionName,
} from '../skills/dependencies/distribution-name.ts'
import { getPackageName, hasPackage } from '../lint/code/node-packages.ts'
import { STANDARD_MODULES } from '../lint/python/standard-modules.ts'
import type { LintedSkill } from '../lint/rule.ts'
import { LineIndex } from '../../util/line-index.ts'
import { listRequestedPackages } from './requested-packages.ts'
import type { GuessedCapability } from './guessed-capability.ts'
import type { AdoptedScript } from './read-scripts.ts'

/** Packages that the skill declares, or that its code imports, and that a run does not have. */
export function guessPackages(
  skill: LintedSkill,
  scripts: readonly AdoptedScript[],
): GuessedCapability[] {
  const own = listOwnModules(skill)
  const declared = listRequestedPackages(skill, scripts)
  const isDeclared = (language: string, name: string) =>
    declared.some((each) => each.language === language && each.name === name)
  const imported = skill.files.flatMap(({ path }) => {
    const python = skill.getPythonFacts(path)?.imports ?? []
    const code = skill.getCodeFacts(path)?.imports ?? []
    if (python.length + code.length === 0) return []
    const lines = new LineIndex(skill.read(path) ?? '')
    const placeAt = (offset: number) => `${path}:${lines.positionAt(offset).line}`
    return [
      ...python.flatMap(({ module, level, span }) => {
        const top = module.split('.')[0] ?? ''
        if (level > 0 || top === '' || own.has(top) || STANDARD_MODULES.has(top)) return []
        const name = getDistributionName(top)
        if (isDeclared('python', foldDistributionName(name))) return []
        return [toPackage('python', name, placeAt(span.start))]
      }),
      ...code.flatMap(({ specifier, isOptional, span }) => {
        const name = getPackageName(specifier)
        if (name === undefined || isOptional || hasPackage(skill, path, name)) return []
        return isDeclared('node', name) ? [] : [toPackage('node', name, placeAt(span.start))]
      }),
    ]
  })
  return [...declared.map((each) => toPackage(each.language, each.spec, each.place)), ...imported]
}

function toPackage(
  language: NonNullable<GuessedCapability['language']>,
  value: string,
  place: string,
): GuessedCapability {
  return {
    kind: 'package',
    value,
    language,
    certainty: 'certain',
    place,
    allowed: false,
    reason: 'the skill needs it; a run has only what "skills deps" installed',
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
