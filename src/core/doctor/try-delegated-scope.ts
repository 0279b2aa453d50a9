import { DEFAULT_PATH, findProgram } from '../../util/find-program.ts'
import { QUIET_SCOPE, SCOPE_COMMAND } from '../host-programs/systemd-scope.ts'
import { runSystemProgram } from './run-system-program.ts'
import type { CheckResult, Machine } from './check.ts'

/** Fails unless this process may create groups with limits below its own group. */
const TRIAL = `group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
grep -qw memory "$group/cgroup.controllers" && grep -qw pids "$group/cgroup.controllers" || exit 3
mkdir "$group/skills.trial" && rmdir "$group/skills.trial"`

/** Exit status of the trial without the controllers. */
const NO_CONTROLLERS = 3

/** Tries whether systemd gives this user a control group, and returns how to get it. */
export async function tryDelegatedScope(env: Machine['env']): Promise<CheckResult> {
  if (findProgram('systemd-run', env['PATH'] ?? DEFAULT_PATH) === undefined) {
    return { ok: false, detail: 'this system has no systemd to ask for one', fix: 'Run as root' }
  }
  const argv = [...QUIET_SCOPE, '--', 'sh', '-c', TRIAL]
  const { ok, exitCode, stderr } = await runSystemProgram(argv, env)
  if (ok) {
    return {
      ok: true,
      detail: 'systemd gives one to a program that it starts',
      fix: `Type: ${SCOPE_COMMAND.join(' ')} skills serve`,
    }
  }
  if (exitCode === NO_CONTROLLERS) {
    return {
      ok: false,
      detail: 'systemd gives one without the controllers "memory" and "pids"',
      fix: 'Boot with version 2 of control groups (systemd.unified_cgroup_hierarchy=1), or run as root',
    }
  }
  const why = stderr.trim().split('\n')[0] ?? ''
  return {
    ok: false,
    detail: `systemd gives none${why && `: ${why}`}`,
    fix: 'Log in so that a user manager runs (loginctl enable-linger), or run as root',
  }
}
