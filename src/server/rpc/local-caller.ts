import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { getUploadsRoot } from '../../core/skills/uploads/uploads-root.ts'
import type { LastGood } from '../../core/skills/repository/last-good.ts'
import { endAllSessions } from '../../core/workspaces/sessions/end-sessions.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { SCOPES } from '../auth/caller.ts'
import { keepWarm } from '../runs/keep-warm.ts'
import { resolveLimits } from '../limits.ts'
import { createServerContext, type ServerOptions, type ServerContext } from '../server-context.ts'
import { sweepAtStart } from '../sweep-at-start.ts'
import { createToolCaller } from './tool-caller.ts'

type LocalCallerOptions = Pick<ServerOptions, 'runtime' | 'cwd' | 'env' | 'allowNetwork' | 'log'>

/** A server without a port, for the local user of this process. */
interface LocalCaller {
  readonly caller: ToolCaller
  /** Reports edits of skills until the returned function is called. */
  watch(lastGood: LastGood, onEdit: () => void): Promise<() => void>
  /** Removes leftovers of killed processes. */
  sweep(): Promise<void>
  /** Accepts no more runs and cancels running ones. */
  end(): Promise<void>
}

/** Time for cancelled runs to exit, and the interval of checks. */
const KILL_TIMEOUT_MS = 5000
const EXIT_POLL_MS = 10

/**
 * Creates the caller for the user who started this process. It has all scopes, and its runs use the
 * same queue.
 */
export function openLocalCaller(options: LocalCallerOptions): LocalCaller {
  const context = createServerContext({
    ...options,
    limits: resolveLimits(options.runtime.config, false),
    tokens: undefined,
    trust: { hosts: new Set(), anyAddress: false, origins: new Set() },
  })
  const caller = {
    name: readUserName(),
    scopes: new Set(SCOPES),
    account: undefined,
    isLocalUser: true,
  } as const
  const warm = warmAfterFirstRun(context)
  return {
    caller: warm.watching(createToolCaller(context, caller, true)),
    async watch(lastGood, onEdit) {
      const { watchSkills } = await import('../watch/watch-skills.ts')
      const { repository, config } = options.runtime
      const roots = [...config.roots, getUploadsRoot(config.directories.data)]
      return await watchSkills({ repository, roots, lastGood, log: options.log, onEdit })
    },
    sweep: async () => await sweepAtStart(options.runtime, options.log),
    async end() {
      context.runQueue.close()
      context.endRuns()
      await endAllSessions(options.runtime)
      const until = performance.now() + KILL_TIMEOUT_MS
      while (context.runQueue.running > 0 && performance.now() < until) await sleep(EXIT_POLL_MS)
      await warm.stop()
    },
  }
}

/**
 * Prepares forks after the first run, because a client that runs one skill mostly runs more.
 * Clients without runs cost nothing, and the first run is not delayed.
 */
function warmAfterFirstRun(context: ServerContext) {
  let warming: Promise<void> | undefined
  let isOver = false
  const startWarming = () => {
    // Without prepared forks, runs still start normally.
    if (!isOver) warming ??= keepWarm(context).catch(() => {})
  }
  return {
    watching: (caller: ToolCaller): ToolCaller => ({
      ...caller,
      call: async (method, params, options) => {
        try {
          return await caller.call(method, params, options)
        } finally {
          if (method.scope === 'run') startWarming()
        }
      },
    }),
    async stop() {
      isOver = true
      await warming
      await context.runtime.sandboxes.stop()
    },
  }
}

/** Falls back to the user id, because users of many containers have no name. */
function readUserName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
