import { SkillsError } from '../../../../errors.ts'
import { DEFAULT_PATH, findProgram } from '../../../../util/find-program.ts'
import { createGitEnvironment, describeGitError } from '../../../comparing/snapshots/git-program.ts'
import { describeFailure, runHostProgram } from '../../../host-programs/run-host-program.ts'

/** Settings that win over those of the repository: no hook, signing program or pager starts. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.sshCommand=ssh',
  'gc.auto=0',
  'maintenance.auto=false',
  'tag.gpgSign=false',
  'push.gpgSign=false',
  'push.followTags=false',
  'push.recurseSubmodules=no',
  'safe.bareRepository=explicit',
]

/** Variables of the user that a push needs: files of keys, agents, proxies. */
const PASSED =
  /^(?:HOME|USER|LOGNAME|SSH_AUTH_SOCK|XDG_CONFIG_HOME|https?_proxy|no_proxy|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_CONFIG_GLOBAL|SSL_CERT_FILE|SSL_CERT_DIR)$/i

/** A command of git that may write, or use a remote repository. */
export interface GitCommand {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
  timeoutMs: number
}

/** Runs git with the user's own configuration; returns its output. */
export async function runGit(
  args: readonly string[],
  { cwd, env, signal, timeoutMs }: GitCommand,
): Promise<string> {
  const path = env['PATH'] ?? DEFAULT_PATH
  const program = findProgram('git', path)
  if (program === undefined) {
    throw new SkillsError('file/not-found', 'The program git is not installed', {
      hint: 'Install git, or publish to another target',
    })
  }
  const { GIT_CONFIG_GLOBAL: _, ...base } = createGitEnvironment(path)
  const passed = Object.entries(env).filter(([name]) => PASSED.test(name))
  const result = await runHostProgram(
    [program, '--no-pager', ...SETTINGS.flatMap((each) => ['-c', each]), ...args],
    {
      cwd,
      env: { ...base, ...Object.fromEntries(passed), GIT_ALLOW_PROTOCOL: 'https:ssh:file' },
      signal,
      timeoutMs,
    },
  )
  if (result.ok) return result.stdout
  if (result.timedOut) {
    throw new SkillsError('remote/timeout', `git took longer than ${timeoutMs / 1000} s`, {
      hint: 'Try again, or allow more time with --timeout 5m',
    })
  }
  const reason = describeGitError(result.stderr) || describeFailure(result)
  throw new SkillsError('remote/unexpected', `git ${args[0]} failed: ${hidePasswords(reason)}`, {
    hint: 'Run the same command of git yourself to see its whole output',
  })
}

/** The address of a remote repository may contain a password. */
function hidePasswords(text: string): string {
  return text.replace(/\/\/[^/\s@]*@/g, '//…@')
}
