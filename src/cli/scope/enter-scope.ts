import { SkillsError } from '../../errors.ts'
import { loadConfig } from '../../core/config/load-config.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readRemoteTarget } from '../access/remote-options.ts'
import { buildConfigRequest } from '../runtime.ts'

const SIGNAL_EXIT = 128

/**
 * Runs this command line again in a scope of systemd if `run.scope` requires one, and returns its
 * exit code. Returns undefined if this process should run the command itself: a scope is not
 * required, or it can create control groups already.
 */
export async function enterScope(context: Context, call: CommandLine): Promise<number | undefined> {
  if (!(await requiresScope(context, call)) || (await canCreateGroups())) return undefined
  if (!context.startInScope) {
    context.note(
      'systemd gave this command a scope in which it cannot create control groups: limits are weaker; type "skills doctor" for the reason',
    )
    return undefined
  }
  context.handleInterruption?.()
  const { code, signal, hasStarted } = await context.startInScope().catch((error: Error) => {
    throw noScopeError(error.message)
  })
  if (!hasStarted && code !== 0) throw noScopeError(`systemd-run ended with ${code ?? signal}`)
  const { constants } = await import('node:os')
  return code ?? SIGNAL_EXIT + constants.signals[signal ?? 'SIGKILL']
}

async function requiresScope(context: Context, call: CommandLine): Promise<boolean> {
  try {
    if (readRemoteTarget(context, call)) return false
    const { config } = await loadConfig(buildConfigRequest(context))
    return config.run.scope === 'systemd' && config.run.backend !== 'container'
  } catch {
    // The command reports this problem itself.
    return false
  }
}

async function canCreateGroups(): Promise<boolean> {
  const { canCreateControlGroups } = await import('../../core/sandbox/cgroups/cgroup.ts')
  return await canCreateControlGroups()
}

function noScopeError(why: string): SkillsError {
  return new SkillsError(
    'sandbox/unavailable',
    `run.scope is "systemd", but systemd gave this command no scope: ${why}`,
    {
      hint: 'Type "skills doctor" for the reason, or "skills config set --global run.scope none" to run without one',
    },
  )
}
