import { dirname } from 'node:path'
import type { RepositoryProblem, SkillEntry } from '../../core/skills/repository/repository.ts'

/** The contents of the repository at one moment. */
export interface SkillsState {
  entries: readonly SkillEntry[]
  problems: readonly RepositoryProblem[]
}

/** A change to log. */
interface SkillChange {
  level: 'info' | 'warn'
  message: string
  reason?: string
}

/** Describes the differences as log messages. */
export function compareSkills(before: SkillsState, after: SkillsState): SkillChange[] {
  const changes: SkillChange[] = []
  const [old, now] = [indexByKey(before.entries), indexByKey(after.entries)]
  for (const [key, entry] of now) {
    const known = old.get(key)
    if (!known) changes.push({ level: 'info', message: `${key} is new` })
    else if (!hasSameFacts(known, entry)) {
      changes.push({ level: 'info', message: `${key} has changed` })
    }
  }
  for (const key of old.keys()) {
    if (!now.has(key)) changes.push({ level: 'info', message: `${key} is gone` })
  }
  return [...changes, ...compareProblems(before, after)]
}

function compareProblems(before: SkillsState, after: SkillsState): SkillChange[] {
  const knownProblems = new Set(before.problems.map(formatProblem))
  const brokenDirs = new Set(after.problems.map(({ path }) => dirname(path)))
  const fresh = after.problems
    .filter((problem) => !knownProblems.has(formatProblem(problem)))
    .map((problem): SkillChange => {
      const retained = after.entries.find(({ dir }) => dir === dirname(problem.path))
      const message = retained
        ? `${formatSkillKey(retained)} is broken, its last good version stays in use`
        : `"${problem.path}" is not a usable skill`
      return { level: 'warn', message, reason: problem.message }
    })
  const fixedDirs = new Set(
    before.problems.map(({ path }) => dirname(path)).filter((dir) => !brokenDirs.has(dir)),
  )
  const good = after.entries.filter(({ dir }) => fixedDirs.has(dir))
  return [
    ...fresh,
    ...good.map((entry): SkillChange => ({
      level: 'info',
      message: `${formatSkillKey(entry)} is fixed`,
    })),
  ]
}

function indexByKey(entries: readonly SkillEntry[]): Map<string, SkillEntry> {
  return new Map(entries.map((entry) => [formatSkillKey(entry), entry]))
}

function hasSameFacts(a: SkillEntry, b: SkillEntry): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function formatSkillKey({ name, version }: SkillEntry): string {
  return `${name}@${version}`
}

function formatProblem({ path, message }: RepositoryProblem): string {
  return `${path}: ${message}`
}
