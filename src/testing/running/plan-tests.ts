import { formatByteLimit } from '../../util/quantity.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import type { SuiteProblem } from '../../core/testing/document/problems.ts'
import { findCassettes, type CaseCassette } from '../../core/testing/cassettes/find-cassette.ts'
import { findSuites } from '../../core/testing/suites/find-suites.ts'
import { readSuite } from '../../core/testing/suites/parse-suite.ts'
import type { Suite, TestCase } from '../../core/testing/suites/suite.ts'

/** A case with the skill that it tests. */
export interface PlannedCase {
  entry: SkillEntry
  suite: Suite
  testCase: TestCase
  /** Undefined for a case without network. */
  cassette: CaseCassette | undefined
}

/** Files of cases to run; undefined for all files of the skill. */
export interface SkillSelection {
  skill: string
  files: readonly string[] | undefined
}

/** A tested skill with its suites. */
export interface PlannedSkill {
  skill: string
  suites: readonly Suite[]
  /** True if these are all suites of the skill. */
  isWhole: boolean
}

export interface TestPlan {
  skills: readonly PlannedSkill[]
  cases: readonly PlannedCase[]
  problems: readonly SuiteProblem[]
  /** Incomplete examples of SKILL.md. */
  skipped: number
}

interface PlanOptions {
  docs: boolean
  record: boolean
  /** The configured memory limit of a run, if the cases are going to run. */
  maxMemoryBytes?: number | undefined
}

/** Reads the suites of skills. Problems of all files are collected. */
export async function planTests(
  selections: readonly SkillSelection[],
  { docs, record, maxMemoryBytes = Infinity }: PlanOptions,
): Promise<TestPlan> {
  const plans = await Promise.all(
    selections.map(
      async (each) => await planSkill(each, { docs: docs && each.files === undefined, record }),
    ),
  )
  return {
    skills: plans.flatMap(({ skills }) => skills),
    cases: plans.flatMap(({ cases }) => cases),
    problems: [
      ...plans.flatMap(({ problems }) => problems),
      ...findLargeLimits(plans, maxMemoryBytes),
    ],
    skipped: plans.reduce((sum, { skipped }) => sum + skipped, 0),
  }
}

async function planSkill(
  { skill, files }: SkillSelection,
  { docs, record }: { docs: boolean; record: boolean },
): Promise<TestPlan> {
  const read = (files ?? findSuites(skill)).map((file) => readSuite(file))
  const found = read.flatMap(({ suite }) => suite ?? [])
  const skills = [{ skill, suites: found, isWhole: files === undefined }]
  if (read.length === 0 && !docs) return { skills, cases: [], problems: [], skipped: 0 }
  const entry = await readEntryAt(skill)
  const { documented, examples } = docs ? await readExamples(entry) : {}
  const suites = [
    ...(documented ? [documented.suite] : []),
    ...(examples ? [examples.suite] : []),
    ...found,
  ]
  const replayed = suites.map((suite) => ({ suite, ...findCassettes(suite, record) }))
  return {
    skills,
    cases: replayed.flatMap(({ suite, cassettes }) =>
      suite.cases.map((testCase) => {
        return { entry, suite, testCase, cassette: cassettes.get(testCase) }
      }),
    ),
    problems: [...(examples ? [examples] : []), ...read, ...replayed].flatMap(
      ({ problems }) => problems,
    ),
    skipped: documented?.skipped ?? 0,
  }
}

/** Examples of SKILL.md and skill.toml; most test runs do not need the parsers of documents. */
async function readExamples({ dir }: SkillEntry) {
  const { readDocumentedSuite } = await import('../documented/documented-suite.ts')
  const { readManifestSuite } = await import('../documented/manifest-suite.ts')
  const { readSkillFiles } = await import('../../core/skills/manifest/read-source.ts')
  const { toManifest } = await import('../../core/skills/manifest/to-manifest.ts')
  const source = readSkillFiles(dir)
  const { manifest } = toManifest(source)
  return {
    documented: readDocumentedSuite(dir, manifest),
    examples: readManifestSuite(dir, source.toml, manifest),
  }
}

/** Finds cases that would have more memory than the configuration allows. */
function findLargeLimits(plans: readonly TestPlan[], maxBytes: number): SuiteProblem[] {
  return plans
    .flatMap(({ cases }) => cases)
    .filter(({ testCase: { memoryBytes = 0 } }) => memoryBytes > maxBytes)
    .map(({ suite: { file }, testCase: { position, memoryBytes = 0 } }) => ({
      file,
      start: position,
      span: { start: 0, end: 0 },
      message: `A case can have at most ${formatByteLimit(maxBytes)} of memory, got ${formatByteLimit(memoryBytes)}`,
      help: 'Write a smaller "memory", or set run.limits.memory in skills.config.toml',
    }))
}
