import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { getUploadsRoot } from '../../core/skills/uploads/uploads-root.ts'
import type { LastGood } from '../../core/skills/repository/last-good.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { SCOPES } from '../auth/caller.ts'
import { keepWarm } from '../runs/keep-warm.ts'
import { resolveLimits } from '../limits.ts'
import { createServerContext, type ServerOptions, type ServerContext } from '../server-context.ts'
import { sweepAtStart } from '../sweep-at-start.ts'
import { createToolCaller } from './tool-caller.ts'

type LocalCallerOptions = Pick<ServerOptions, 'runtime' | 'cwd' | 'env' | 'allowNetwork' | 'log'>

/** The rules of a server without a port, for the one who started it. */
interface LocalCaller {
  readonly caller: ToolCaller
  /** Tells of edits of skills, until the answer is called. */
  watch(lastGood: LastGood, onEdit: () => void): Promise<() => void>
  /** Removes what processes that were killed left behind. */
  sweep(): Promise<void>
  /** Takes no more runs, and ends those that are under way. */
  end(): Promise<void>
}

/** In which killed runs are to be gone, and how often that is looked at. */
const KILL_TIMEOUT_MS = 5000
const EXIT_POLL_MS = 10

/** Opens the door to whoever started this process: it may do everything, in the same order of runs. */
export function openLocalCaller(options: LocalCallerOptions): LocalCaller {
  const services = createServerContext({
    ...options,
    limits: resolveLimits(options.runtime.config.serve),
    tokens: undefined,
    trust: { hosts: new Set(), anyAddress: false, origins: new Set() },
  })
  const caller = {
    name: readUserName(),
    scopes: new Set(SCOPES),
    account: undefined,
    isLocalUser: true,
  } as const
  const warm = warmAfterFirstRun(services)
  return {
    caller: warm.watching(createToolCaller(services, caller, true)),
    async watch(lastGood, onEdit) {
      const { watchSkills } = await import('../watch/watch-skills.ts')
      const { repository, config } = options.runtime
      const roots = [...config.roots, getUploadsRoot(config.directories.data)]
      return await watchSkills({ repository, roots, lastGood, log: options.log, onEdit })
    },
    sweep: async () => await sweepAtStart(options.runtime, options.log),
    async end() {
      services.runQueue.close()
      services.endRuns()
      await (await options.runtime.liveSessions()).endAll()
      const until = performance.now() + KILL_TIMEOUT_MS
      while (services.runQueue.running > 0 && performance.now() < until) await sleep(EXIT_POLL_MS)
      await warm.stop()
    },
  }
}

/**
 * Whoever runs one skill mostly runs more of them. Nothing is kept for a client that runs none, and the first
 * run waits for nothing.
 */
function warmAfterFirstRun(services: ServerContext) {
  let kept: Promise<void> | undefined
  let isOver = false
  const begin = () => {
    // Without one, runs go on as they did.
    if (!isOver) kept ??= keepWarm(services).catch(() => {})
  }
  return {
    watching: (caller: ToolCaller): ToolCaller => ({
      ...caller,
      call: async (method, params, options) => {
        try {
          return await caller.call(method, params, options)
        } finally {
          if (method.scope === 'run') begin()
        }
      },
    }),
    async stop() {
      isOver = true
      await kept
      await services.runtime.sandboxes.stop()
    },
  }
}

/** Its number where it has no name, as in many containers. */
function readUserName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
