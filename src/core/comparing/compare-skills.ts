import { maskMessage } from '../lint/secrets/mask-secrets.ts'
import {
  digestCapabilities,
  listCapabilities,
  type Capability,
} from '../skills/manifest/capabilities.ts'
import { compareDependencies } from './compare-dependencies.ts'
import { compareFiles } from './compare-files.ts'
import { compareHiddenText } from './compare-hidden-text.ts'
import { compareHosts } from './compare-hosts.ts'
import { compareInputs, compareResults } from './compare-inputs.ts'
import { compareInstructions } from './compare-instructions.ts'
import { compareMetadata } from './compare-metadata.ts'
import { comparePrograms } from './compare-programs.ts'
import { compareAllowedTools, compareFileRights, compareSecrets } from './compare-rights.ts'
import { compareSecretUses } from './compare-secret-uses.ts'
import { loadSides, type ComparedSide, type ParserOptions } from './compared-side.ts'
import {
  DIFFERENCE_CLASSES,
  DIFFERENCE_SEVERITIES,
  findHighestSeverity,
  toDifference,
  type DifferenceClass,
  type DifferencePlace,
  type DifferenceSeverity,
  type RawDifference,
  type SkillDifference,
} from './difference.ts'
import type { ContentSnapshot } from './snapshots/snapshot.ts'
import { adviseVersion, type VersionAdvice } from './version-step.ts'

/** Everything that differs between two snapshots of a skill. */
export interface SkillComparison {
  before: ComparedSummary
  after: ComparedSummary
  /** By class, then by severity. */
  differences: readonly SkillDifference[]
  /** Differences above the limit of a class. */
  leftOut: readonly { class: DifferenceClass; count: number }[]
  /** Undefined without differences. */
  severity: DifferenceSeverity | undefined
  version: VersionAdvice
  /** True if the second skill may do something that the first may not. */
  widensCapabilities: boolean
  /** Sentences about parts that were not compared. */
  omissions: readonly string[]
}

interface ComparedSummary {
  label: string
  name: string
  version: string | undefined
  files: number
  capabilities: readonly Capability[]
  /** Consent can be bound to it. */
  capabilityDigest: string
}

type CompareArea = (before: ComparedSide, after: ComparedSide) => RawDifference[]

const AREAS: readonly CompareArea[] = [
  compareHiddenText,
  compareHosts,
  compareFileRights,
  compareSecrets,
  compareSecretUses,
  comparePrograms,
  compareDependencies,
  compareAllowedTools,
  compareInputs,
  compareResults,
  compareMetadata,
  compareInstructions,
  compareFiles,
]

/** Limit on differences of one class; a hostile skill can have millions. */
const MAX_PER_CLASS = 300
/** Limit on values, which are not needed whole. */
const MAX_VALUE = 300

/** Compares two snapshots by class. Code is parsed and never executed. */
export async function compareSkills(
  before: ContentSnapshot,
  after: ContentSnapshot,
  options: ParserOptions,
): Promise<SkillComparison> {
  const sides = await loadSides(before, after, options)
  const raw = withoutRepeatedManifests(
    AREAS.flatMap((compare) => compare(sides.before, sides.after)),
  )
  const all = raw.map(toDifference).sort(compareDifferences)
  const { kept, leftOut } = limitClasses(all)
  const [old, now] = [summarizeSide(sides.before, before), summarizeSide(sides.after, after)]
  const known = new Set(old.capabilities.map(({ kind, value }) => `${kind} ${value}`))
  return {
    before: old,
    after: now,
    differences: kept.map((each) => maskDifference(each, sides)),
    leftOut,
    severity: findHighestSeverity(all),
    version: adviseVersion(sides.before.skill, sides.after.skill, all),
    widensCapabilities: now.capabilities.some(({ kind, value }) => !known.has(`${kind} ${value}`)),
    omissions: [...before.omissions, ...after.omissions, ...sides.omissions],
  }
}

/** A changed manifest is a difference of its own only if nothing else names the change. */
function withoutRepeatedManifests(raw: readonly RawDifference[]): RawDifference[] {
  const isChangedFile = ({ code }: RawDifference): boolean => code === 'files/changed'
  const named = new Set(raw.filter((each) => !isChangedFile(each)).map(({ place }) => place?.path))
  return raw.filter(
    (each) =>
      !isChangedFile(each) ||
      !/^(?:SKILL\.md|skill\.toml)$/.test(each.subject) ||
      !named.has(each.subject),
  )
}

function summarizeSide(
  { skill }: ComparedSide,
  { label, files }: ContentSnapshot,
): ComparedSummary {
  const { manifest } = skill
  const capabilities = listCapabilities(manifest)
  return {
    label,
    name: manifest.name,
    version: manifest.version === '' ? undefined : manifest.version,
    files: files.size,
    capabilities,
    capabilityDigest: digestCapabilities(capabilities),
  }
}

function compareDifferences(a: SkillDifference, b: SkillDifference): number {
  const byClass = DIFFERENCE_CLASSES.indexOf(a.class) - DIFFERENCE_CLASSES.indexOf(b.class)
  if (byClass !== 0) return byClass
  const bySeverity =
    DIFFERENCE_SEVERITIES.indexOf(b.severity) - DIFFERENCE_SEVERITIES.indexOf(a.severity)
  if (bySeverity !== 0) return bySeverity
  return comparePlaces(a, b)
}

function comparePlaces({ place: a }: SkillDifference, { place: b }: SkillDifference): number {
  if (!a || !b) return a ? 1 : b ? -1 : 0
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return getLine(a) - getLine(b)
}

function getLine({ start }: DifferencePlace): number {
  return start === undefined ? 0 : start.line
}

function limitClasses(all: readonly SkillDifference[]) {
  const counts = new Map<DifferenceClass, number>()
  const kept = all.filter((each) => {
    const count = (counts.get(each.class) ?? 0) + 1
    counts.set(each.class, count)
    return count <= MAX_PER_CLASS
  })
  const leftOut = [...counts]
    .filter(([, count]) => count > MAX_PER_CLASS)
    .map(([name, count]) => ({ class: name, count: count - MAX_PER_CLASS }))
  return { kept, leftOut }
}

/** Bounds the values, and masks the secrets of both skills in them. */
function maskDifference(
  difference: SkillDifference,
  { before, after }: { before: ComparedSide; after: ComparedSide },
): SkillDifference {
  const mask = (text: string): string =>
    shortenValue(maskMessage(after.skill, maskMessage(before.skill, text)))
  const { subject, before: was, after: is } = difference
  return {
    ...difference,
    subject: mask(subject),
    ...(was !== undefined && { before: mask(was) }),
    ...(is !== undefined && { after: mask(is) }),
  }
}

function shortenValue(text: string): string {
  const left = text.length - MAX_VALUE
  return left > 0 ? `${text.slice(0, MAX_VALUE)} … (${left} more characters)` : text
}
