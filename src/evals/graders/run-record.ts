import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileGlob } from '../../util/glob/glob.ts'
import { listTreeFiles } from '../../util/list-tree.ts'
import type { GraderTarget } from '../cases/eval-case.ts'
import { formatTrajectory, getLastMessage, type TrajectoryEvent } from '../running/trajectory.ts'

/** Everything that a run left behind. Graders read nothing else, so a saved run can be graded. */
export interface EvalRecord {
  events: readonly TrajectoryEvent[]
  /** Folder of the created files. */
  outputs: string
}

/** Longer files are cut before they are graded. */
const MAX_TEXT = 1024 * 1024

/** Paths of the created files, relative to the workspace. */
export function listOutputs({ outputs }: EvalRecord): string[] {
  if (!existsSync(outputs)) return []
  return listTreeFiles(outputs)
}

/** Created files that a glob matches, from the root of the workspace or from its folders. */
export function findOutputs(record: EvalRecord, glob: string): string[] {
  const matches = compileGlob(glob)
  return listOutputs(record).filter(
    (path) => matches(path) || matches(path.replace(/^(?:work|out)\//, '')),
  )
}

function readOutput({ outputs }: EvalRecord, path: string): string {
  const file = join(outputs, path)
  if (!lstatSync(file).isFile()) return ''
  return readFileSync(file).subarray(0, MAX_TEXT).toString('utf8')
}

/** The text that a grader reads; undefined if a file does not exist. */
export function readTarget(record: EvalRecord, target: GraderTarget): string | undefined {
  switch (target.source) {
    case 'last_message':
      return getLastMessage(record.events)
    case 'trace':
      return formatTrajectory(record.events.filter(({ type }) => type !== 'start'))
    case 'files':
      return listOutputs(record)
        .map((path) => `--- ${path} ---\n${readOutput(record, path)}`)
        .join('\n')
    case 'file': {
      const [path] = findOutputs(record, target.path)
      return path === undefined ? undefined : readOutput(record, path)
    }
  }
}
