import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listTreeFiles } from '../../util/list-tree.ts'
import { NO_CHANGES, type CaseRecord } from '../../core/testing/expectations/case-record.ts'
import { CALLS_FILE, parseCalls } from '../../core/testing/suites/fake-commands.ts'
import { RESERVED_FOLDER } from '../../core/testing/suites/setup-files.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'

/** Compares a folder with the files that it had before the run, and reads the calls of fakes. */
export function readWorkspace(
  folder: string,
  { files: before }: TestCase,
): Pick<CaseRecord, 'files' | 'calls'> {
  if (!existsSync(folder)) return { files: NO_CHANGES, calls: [] }
  const all = listTreeFiles(folder)
  const paths = all.filter((path) => !path.startsWith(`${RESERVED_FOLDER}/`))
  const after = new Set(paths)
  const read = (path: string) => (after.has(path) ? readFileSync(join(folder, path)) : undefined)
  const kept = [...before.keys()].filter((path) => after.has(path))
  const isSame = (path: string) => {
    const bytes = before.get(path)?.bytes
    return bytes !== undefined && read(path)?.equals(bytes) === true
  }
  const calls = all.includes(CALLS_FILE) ? parseCalls(readFileSync(join(folder, CALLS_FILE))) : []
  return {
    calls,
    files: {
      isKnown: true,
      created: paths.filter((path) => !before.has(path)),
      changed: kept.filter((path) => !isSame(path)),
      deleted: [...before.keys()].filter((path) => !after.has(path)),
      untouched: kept.filter(isSame),
      read,
    },
  }
}
