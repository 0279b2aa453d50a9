import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SkillsError } from '../errors.ts'
import type { Config } from './config/config.ts'
import { openRepositories } from './policy/repositories.ts'
import { RunGate } from './runs/run-gate.ts'
import type { WarmSandboxes } from './sandbox/warm/warm-sandboxes.ts'
import type { Services } from './services.ts'
import type { LastGood } from './skills/repository/last-good.ts'
import { openRepository } from './skills/repository/open-repository.ts'
import { createdRoot } from './skills/uploads/created-root.ts'
import type { WorkspaceHook } from './workspaces/preparation/init-workspace.ts'
import type { OnMade } from './workspaces/workspaces.ts'

/** What every installation has: the guide. The package's examples lie beside it and are no root. */
export const BUILTIN_SKILLS: string = fileURLToPath(
  new URL('../../skills/skills-protocol-guide', import.meta.url),
)

export interface RuntimeOptions {
  config: Config
  /** The index of skills is kept here; null keeps none. */
  cacheDir?: string | null
  /** Holds skills as they were before an edit broke them. */
  lastGood?: LastGood | undefined
  /** Sandboxes that another runtime keeps at hand already. */
  warm?: WarmSandboxes | undefined
  /** Called with each new workspace, after workspace.init: where one throws, there is no workspace. */
  workspaceHooks?: readonly WorkspaceHook[] | undefined
}

/** Opens the services of one runtime. Nothing is read or started before it is asked for. */
export function openServices(options: RuntimeOptions): Services {
  const { config } = options
  const cacheDir =
    options.cacheDir === null ? undefined : (options.cacheDir ?? config.directories.cache)
  let { warm } = options
  const services: Services = {
    config,
    cacheDir,
    repository: openRepository({
      roots: [...config.roots, createdRoot(config.directories.data)],
      builtin: BUILTIN_SKILLS,
      cacheDir,
      lastGood: options.lastGood,
    }),
    repositories: openRepositories(config),
    gate: new RunGate(queueLimits(config)),
    approvals: new RunGate(APPROVALS),
    get warm() {
      return config.fastPaths ? warm : undefined
    },
    keepWarm: async (at) => {
      const { keepWarm } = await import('./sandbox/warm/keep-warm.ts')
      const { python, limits } = config.run
      return (warm ??= keepWarm({ ...at, python, limits, cacheDir }))
    },
    ...openStores(
      config,
      whenMade(options, () => services),
    ),
  }
  return services
}

type Stores = Pick<
  Services,
  'blobs' | 'runs' | 'outputs' | 'policy' | 'audit' | 'sessions' | 'workspaces' | 'liveSessions'
>

/** The stores under the data directory; each is opened on first use. */
function openStores(config: Config, onMade: OnMade): Stores {
  const below = (name: string) => join(config.directories.data, name)
  const outputs = openOnce(async () => {
    const { openOutputStore } = await import('./outputs/store/file-output-store.ts')
    return openOutputStore(below('outputs'), config.store.outputs)
  })
  const policy = openOnce(async () => {
    const { keepPolicy } = await import('./policy/load-policy.ts')
    return keepPolicy(config)
  })
  return {
    outputs,
    policy: async () => await (await policy())(),
    blobs: openOnce(async () => {
      const { openBlobStore } = await import('./storage/file-blob-store.ts')
      return openBlobStore(below('blobs'), config.store.blobs)
    }),
    audit: openOnce(async () => {
      const { openAuditLog } = await import('./audit/audit-log.ts')
      return openAuditLog(below('audit'), config.audit)
    }),
    runs: openOnce(async () => {
      const { openRunStore } = await import('./runs/history/file-run-store.ts')
      const onRemoved = async (id: string) => await (await outputs()).remove(id)
      return openRunStore(below('runs'), { ...config.store.runs, onRemoved })
    }),
    liveSessions: openOnce(async () => {
      const { LiveSessions } = await import('./workspaces/sessions/live-sessions.ts')
      return new LiveSessions(config.workspace)
    }),
    workspaces: openOnce(async () => {
      const { Workspaces } = await import('./workspaces/workspaces.ts')
      return new Workspaces(below('workspaces'), config.workspace, onMade)
    }),
    sessions: openOnce(async () => {
      const { openSessionStore } = await import('./skill-context/session-store.ts')
      return openSessionStore(below('sessions'))
    }),
  }
}

/** Opens on the first call and returns the same value ever after; a failure is not remembered. */
function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined
  return async () => {
    opening ??= open()
    try {
      return await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }
}

/** What is done with each new workspace; throws where that cannot be. */
function whenMade(
  { config, workspaceHooks: hooks = [] }: RuntimeOptions,
  services: () => Services,
): OnMade {
  if (hooks.some((hook) => typeof hook !== 'function')) {
    throw new SkillsError('config/invalid', 'Expected workspaceHooks to be functions')
  }
  return async (workspace, call) => {
    if (hooks.length + config.workspace.init.length === 0) return
    const { initWorkspace } = await import('./workspaces/preparation/init-workspace.ts')
    await initWorkspace(services(), hooks, { workspace, call })
  }
}

/** Each may be a process, and people: whoever may call shall not start any number of them. */
const APPROVALS = { running: 16, waiting: 256 }

/** Fewer at once would make callers wait for each other where nothing is short of anything. */
const LEAST_AT_ONCE = 8

/** How many runs go on at once in a process, and how many wait. */
export function queueLimits({ run }: Config) {
  const running = run.maxConcurrent ?? Math.max(LEAST_AT_ONCE, availableParallelism())
  return { running, waiting: run.maxWaiting }
}
