import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SuiteProblem } from '../../core/testing/document/problems.ts'
import { isBelowRealFolder } from '../../core/testing/document/skill-path.ts'
import { createOutsideProblem } from './eval-reader.ts'
import type { EvalCase, ReadEvals, TriggerQuery, UnmappedPart } from './eval-case.ts'
import { isCaseFolder, readCaseFolder } from './parse-case-folder.ts'
import { readEvalsJson } from './parse-evals-json.ts'

/** Folder of a skill that contains its evals. */
export const EVALS_FOLDER = 'evals'

/** Folders beside the cases that contain none. */
const OTHER_FOLDERS = new Set(['files', 'fixtures', 'lib', 'results', 'mocks'])

/** Reads all evals of a skill. Mistakes of all files are collected. */
export function readEvals(skill: { folder: string; names: readonly string[] }): ReadEvals {
  const folder = join(skill.folder, EVALS_FOLDER)
  if (!existsSync(folder)) return { cases: [], queries: [], problems: [], unmapped: [] }
  if (!isBelowRealFolder(skill.folder, folder)) {
    return { cases: [], queries: [], problems: [createOutsideProblem(folder)], unmapped: [] }
  }
  const read = readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): ReadEvals[] => {
      const path = join(folder, entry.name)
      if (entry.isFile() && entry.name.endsWith('.json')) return [readEvalsJson(path, skill)]
      if (!entry.isDirectory() || entry.name.startsWith('.')) return []
      if (isCaseFolder(path)) return [readCaseFolder(path, skill.folder)]
      return OTHER_FOLDERS.has(entry.name) ? [] : [createMissingPrompt(path)]
    })
  const all = mergeEvals(read)
  return { ...all, problems: [...all.problems, ...findRepeatedIds(all.cases)] }
}

function mergeEvals(read: readonly ReadEvals[]): ReadEvals {
  const cases: EvalCase[] = []
  const queries: TriggerQuery[] = []
  const problems: SuiteProblem[] = []
  const unmapped: UnmappedPart[] = []
  for (const each of read) {
    cases.push(...each.cases)
    queries.push(...each.queries)
    problems.push(...each.problems)
    unmapped.push(...each.unmapped)
  }
  return { cases, queries, problems, unmapped }
}

function createMissingPrompt(folder: string): ReadEvals {
  const start = { line: 1, column: 1 }
  const problem = {
    file: folder,
    start,
    span: { start: 0, end: 0 },
    message: 'The folder has neither prompt.md nor case.yaml',
    help: 'Add prompt.md with the message of the user, or name the folder "files"',
  }
  return { cases: [], queries: [], problems: [problem], unmapped: [] }
}

function findRepeatedIds(cases: readonly EvalCase[]): SuiteProblem[] {
  const seen = new Set<string>()
  return cases.flatMap(({ id, file, position }) => {
    const isRepeated = seen.has(id)
    seen.add(id)
    const message = `Two cases have the id "${id}"`
    return isRepeated
      ? [{ file, start: position, span: { start: 0, end: 0 }, message, help: undefined }]
      : []
  })
}
