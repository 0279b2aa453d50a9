import type { SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import { getDistributionName } from '../../skills/dependencies/distribution-name.ts'
import type { RunError } from '../result.ts'

const PYTHON_MESSAGE = /^No module named '([\w-]+)'/
/** Names of packages only, not paths. */
const NODE_MESSAGE = /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/
/** Modules of the runtime and of mounted skills have their own errors. */
const OWN_MODULES = new Set(['runtime', 'skills'])

/** Finds the package that code could not import, and returns the hint for it. */
export function findMissingPackageHint(
  { type, message }: Pick<RunError, 'type' | 'message'>,
  { language, hostPackages }: { language: SkillLanguageName; hostPackages: boolean },
): string | undefined {
  const name = findPackageName(type, message, language)
  if (name === undefined || OWN_MODULES.has(name)) return undefined
  const remedy =
    language === 'python'
      ? `Type "skills deps add <skill> ${getDistributionName(name)}" to pin it and "skills deps" to install it`
      : `Type "skills deps add <skill> ${name}" to pin it and "skills deps" to install it, or ship "${name}" in the folder of the skill`
  if (hostPackages) return `${remedy}, or install it on this machine`
  return `${remedy}, or allow the packages of this machine with --host-packages`
}

function findPackageName(
  type: string,
  message: string,
  language: SkillLanguageName,
): string | undefined {
  if (language === 'shell') return undefined
  if (language === 'python' && type !== 'ModuleNotFoundError') return undefined
  return (language === 'python' ? PYTHON_MESSAGE : NODE_MESSAGE).exec(message)?.[1]
}
