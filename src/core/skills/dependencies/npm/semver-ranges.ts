import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The functions of the package "semver", which defines the ranges of npm. */
interface SemverRanges {
  validRange: (range: string) => string | null
  satisfies: (version: string, range: string) => boolean
  maxSatisfying: (versions: readonly string[], range: string) => string | null
}

/** Loaded only by commands that lock packages. */
export function loadSemverRanges(): SemverRanges {
  return require('semver') as SemverRanges
}
