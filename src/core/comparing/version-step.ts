import { compareSemver, isPrerelease, isSemver } from '../../util/semver.ts'
import type { LintedSkill } from '../lint/rule.ts'
import { findHighestSeverity, type SkillDifference } from './difference.ts'

type VersionStep = 'none' | 'patch' | 'minor' | 'major'

/** How far the differences move the version, and how far it has moved. */
export interface VersionAdvice {
  /** The step that the differences need. */
  needed: VersionStep
  before: string | undefined
  after: string | undefined
  /** The lowest version that is far enough; absent without a version before. */
  suggested: string | undefined
  /** True if the second version is at least the suggested one; absent without both versions. */
  isEnough: boolean | undefined
}

/** The written version of a skill; a plain Agent Skill may have none. */
export function readSkillVersion({ manifest, toml }: LintedSkill): string | undefined {
  if (toml) return manifest.version === '' ? undefined : manifest.version
  const { metadata } = manifest.frontMatter
  const isTable = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
  const version = isTable ? metadata['version'] : undefined
  return typeof version === 'string' ? version : undefined
}

export function adviseVersion(
  before: LintedSkill,
  after: LintedSkill,
  differences: readonly SkillDifference[],
): VersionAdvice {
  const content = differences.filter(({ code }) => code !== 'metadata/version-changed')
  const highest = findHighestSeverity(content)
  const needed = highest === 'danger' ? 'major' : (highest ?? 'none')
  const [old, now] = [readSkillVersion(before), readSkillVersion(after)]
  if (old === undefined || !isSemver(old)) {
    return { needed, before: old, after: now, suggested: undefined, isEnough: undefined }
  }
  const suggested = raiseVersion(old, needed)
  const isComparable = now !== undefined && isSemver(now)
  const isEnough = isComparable ? hasMoved(now, old, suggested) : undefined
  return { needed, before: old, after: now, suggested, isEnough }
}

/** The next version. Before 1.0.0 the second number counts breaking changes, the third all others. */
function raiseVersion(version: string, step: VersionStep): string {
  const [core = ''] = version.split(/[-+]/)
  const [major = '0', minor = '0', patch = '0'] = core.split('.')
  if (step === 'none') return version
  // The release of a prerelease may have any change.
  if (isPrerelease(version)) return core
  if (major === '0')
    return step === 'major' ? `0.${increment(minor)}.0` : `0.${minor}.${increment(patch)}`
  if (step === 'major') return `${increment(major)}.0.0`
  return step === 'minor'
    ? `${major}.${increment(minor)}.0`
    : `${major}.${minor}.${increment(patch)}`
}

/** Numbers of versions have any length. */
function increment(digits: string): string {
  return String(BigInt(digits) + 1n)
}

/** True if a version is at least the suggested one; a prerelease of it is enough. */
function hasMoved(now: string, old: string, suggested: string): boolean {
  if (now === suggested) return true
  if (compareSemver(now, old) <= 0) return false
  const [core = ''] = now.split(/[-+]/)
  return compareSemver(core, suggested.split(/[-+]/)[0] ?? '') >= 0
}
