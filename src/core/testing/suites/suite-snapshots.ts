import { basename } from 'node:path'
import { SNAPSHOT } from '../expectations/snapshot.ts'
import { locateSnapshot } from '../snapshots/snapshot-files.ts'
import { nameSnapshot } from '../snapshots/snapshot-names.ts'
import type { SnapshotRequest } from '../snapshots/snapshot-request.ts'
import { SUITE_FILE } from './find-suites.ts'
import type { Suite, TestCase } from './suite.ts'

/** Name of the folder with the snapshots of a suite. */
export function nameSnapshotFolder(suiteFile: string): string {
  return basename(suiteFile).replace(SUITE_FILE, '')
}

/** Path of a snapshot of a case. */
export function locateCaseSnapshot(
  { file, skill }: Pick<Suite, 'file' | 'skill'>,
  { name }: Pick<TestCase, 'name'>,
  request: SnapshotRequest,
): string {
  return locateSnapshot(skill, nameSnapshotFolder(file), nameSnapshot(name, request))
}

/** The snapshot that each expectation of a case needs, by the number of the expectation. */
export function listCaseSnapshots({ name, expectations }: TestCase): Map<number, string> {
  const names = new Map<number, string>()
  for (const [at, { kind, value }] of expectations.entries()) {
    if (kind === SNAPSHOT) names.set(at, nameSnapshot(name, value as SnapshotRequest))
  }
  return names
}

/** Paths of all snapshots that the cases of a suite need. */
export function listSuiteSnapshots(suite: Suite): string[] {
  const folder = nameSnapshotFolder(suite.file)
  return suite.cases.flatMap((each) =>
    [...listCaseSnapshots(each).values()].map((name) => locateSnapshot(suite.skill, folder, name)),
  )
}
