import { SkillsError } from '../../../../errors.ts'
import type { NodeLock } from '../declared-lock.ts'
import type { LockedPackage } from './lock-file.ts'
import { isForPlatform, readPlatform } from './platform.ts'

/** Packages for this machine; an optional one for another machine is left out. */
export function selectPackages({ skill, file, packages }: NodeLock): LockedPackage[] {
  const platform = readPlatform()
  const left = new Set<string>()
  const selected = packages.filter((item) => {
    // Packages inside a left out package are left out with it.
    const parent = item.path.slice(0, item.path.lastIndexOf('/node_modules/'))
    const isOut = left.has(parent) || !isForPlatform(item, platform)
    if (isOut) left.add(item.path)
    if (isOut && !item.isOptional && !left.has(parent)) {
      const { name, version } = item
      throw new SkillsError(
        'dependencies/not-installed',
        `The dependencies of "${skill}" cannot be installed: "${name}@${version}" is not for ${platform.os} on ${platform.cpu}`,
        { hint: `Its lists "os" and "cpu" in ${file} name the machines that it is for` },
      )
    }
    return !isOut
  })
  checkFolderNames(skill, selected)
  return selected
}

/** Two packages of one folder on systems that ignore case would be mixed. */
function checkFolderNames(skill: string, packages: readonly LockedPackage[]): void {
  const seen = new Map<string, string>()
  for (const { path } of packages) {
    const other = seen.get(path.toLowerCase())
    if (other !== undefined) {
      throw new SkillsError(
        'dependencies/not-installed',
        `The dependencies of "${skill}" cannot be installed: "${other}" and "${path}" are one folder where case does not matter`,
        { hint: 'Lock another version of the package that needs one of them' },
      )
    }
    seen.set(path.toLowerCase(), path)
  }
}
