import { GUEST_FOLDERS } from '../../core/sandbox/guest-host/guest-job.ts'
import { buildFakeScripts } from '../../core/testing/suites/fake-commands.ts'
import type { SetupFile } from '../../core/testing/suites/setup-files.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'

/** All files that the workspace of a case has at the start, by path. */
export function listSetupFiles({ files, fakes }: TestCase): Map<string, SetupFile> {
  return new Map([...files, ...buildFakeScripts(fakes, GUEST_FOLDERS.workspace)])
}
