import { SkillsError } from '../../../errors.ts'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import { toPrintable } from '../../../util/printable.ts'
import {
  describeFailure,
  runHostProgram,
  startHostProgram,
  type HostProgram,
} from '../../host-programs/run-host-program.ts'

const GIT_TIMEOUT_MS = 60_000
const MAX_LISTING = 16 * 1024 * 1024

/** Settings that win over those of the repository, which its author chose. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'gc.auto=0',
  'maintenance.auto=false',
  // A folder of the skill that looks like a bare repository is not one.
  'safe.bareRepository=explicit',
]

/** Reads objects of the repository around a folder: no work tree, hook, filter or transport. */
export interface GitReader {
  run(args: readonly string[]): Promise<{ ok: boolean; stdout: string; stderr: string }>
  start(args: readonly string[]): Promise<HostProgram>
}

export function openGitReader(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): GitReader {
  const path = env['PATH'] ?? DEFAULT_PATH
  const program = findProgram('git', path)
  if (program === undefined) {
    throw new SkillsError('file/not-found', 'The program git is not installed', {
      hint: 'Install git, or compare two folders',
    })
  }
  const argv = [program, '--no-pager', ...SETTINGS.flatMap((each) => ['-c', each])]
  const options = { cwd, env: createGitEnvironment(path), timeoutMs: GIT_TIMEOUT_MS }
  return {
    async run(args) {
      const result = await runHostProgram([...argv, ...args], { ...options, maxBytes: MAX_LISTING })
      if (result.failedToStart || result.timedOut || result.wasCut) {
        throw new SkillsError('file/unreadable', `Cannot run git: ${describeFailure(result)}`, {
          hint: 'Check the repository with: git fsck',
        })
      }
      return result
    },
    start: async (args) => await startHostProgram([...argv, ...args], options),
  }
}

/** None of the variables of git, and no configuration of the user or the system. */
export function createGitEnvironment(path: string): Record<string, string> {
  return {
    PATH: path,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A partial clone fetches missing objects by a transport of its configuration.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  }
}

/** The last line of git's errors, for a message. */
export function describeGitError(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines.at(-1) ?? ''
  return toPrintable(line.replace(/^(?:fatal|error): /, '').slice(0, 300))
}
