import type { FunctionSetup } from '../../core/runs/job.ts'
import type { ProgramFile } from '../../core/sandbox/backend.ts'
import { GUEST_FOLDERS } from '../../core/sandbox/guest-host/guest-job.ts'
import { COMMAND_PATH } from '../../core/workspaces/commands/command-plan.ts'
import { buildFakeScripts, FAKE_FOLDER } from '../../core/testing/suites/fake-commands.ts'
import type { SetupFile } from '../../core/testing/suites/setup-files.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'
import { isText } from '../../util/mime.ts'
import type { CaseContext } from './case-performer.ts'

const FAKES = `${GUEST_FOLDERS.workspace}/${FAKE_FOLDER}`

/** PATH of a command of a case with fakes, which has the programs of the skill in front. */
export const FAKE_PATH = `${FAKES}:${COMMAND_PATH}`

/** All files that the workspace of a case has at the start, by path. */
export function listSetupFiles({ files, fakes }: TestCase): Map<string, SetupFile> {
  return new Map([...files, ...buildFakeScripts(fakes, GUEST_FOLDERS.workspace)])
}

/** Additions to each function of a case: files, fake commands, the clock, and the tracer. */
export function createSetup(
  { testCase, coverage }: Pick<CaseContext, 'testCase' | 'coverage'>,
  files: ReadonlyMap<string, SetupFile>,
): FunctionSetup {
  return {
    fixed: testCase.fixed,
    files: toProgramFiles(files),
    ...(testCase.fakes.size > 0 && { path: [FAKES] }),
    trace: coverage?.trace,
  }
}

/** Files for the guest, which receives them as JSON. */
function toProgramFiles(files: ReadonlyMap<string, SetupFile>): ProgramFile[] {
  return [...files].map(([path, { bytes, isProgram }]) =>
    isText(bytes)
      ? { path, isProgram, text: bytes.toString('utf8') }
      : { path, isProgram, text: bytes.toString('base64'), encoding: 'base64' },
  )
}
