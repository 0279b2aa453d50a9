import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SkillsError } from '../errors.ts'
import type { Config } from './config/config.ts'
import { openRepositoryRegistry } from './policy/repository-registry.ts'
import { RunIds } from './runs/history/run-id.ts'
import { BoundedRunQueue } from './runs/queue/run-queue.ts'
import type { PolicySource } from './policy/policy.ts'
import { Sandboxes } from './sandbox/sandboxes.ts'
import type { Services, Stores } from './services.ts'
import type { LastGood } from './skills/repository/last-good.ts'
import { openRepository } from './skills/repository/open-repository.ts'
import { getUploadsRoot } from './skills/uploads/uploads-root.ts'
import type { WorkspaceHook } from './workspaces/preparation/init-workspace.ts'
import type { OnWorkspaceCreated } from './workspaces/workspaces.ts'

/**
 * Skill that every installation has: the protocol guide. The package's example skills are stored
 * next to it and are not a root.
 */
export const BUILTIN_SKILLS: string = fileURLToPath(
  new URL('../../skills/skills-protocol-guide', import.meta.url),
)

export interface RuntimeOptions {
  config: Config
  /** Folder of the skill index; null disables the index. Default: the configured cache folder. */
  cacheDir?: string | null
  /** Manifests of skills from before an edit broke them. */
  lastGood?: LastGood | undefined
  /**
   * `pinned`: a skill whose files changed after they were read is refused until
   * `repository.refresh()`. Default: `live`, each run uses the current manifest and files together.
   */
  tracking?: 'live' | 'pinned'
  /** Sandboxes of another runtime in this process; by default the runtime creates its own. */
  sandboxes?: Sandboxes | undefined
  /** Stores that replace those of the data directory. */
  stores?: Partial<Stores> | undefined
  /**
   * Called with each new workspace, after workspace.init; if a hook throws, the workspace is
   * discarded.
   */
  workspaceHooks?: readonly WorkspaceHook[] | undefined
}

/** Opens the services of one runtime. Nothing is read or started before its first use. */
export function openServices(options: RuntimeOptions): Services {
  const { config } = options
  const cacheDir =
    options.cacheDir === null ? undefined : (options.cacheDir ?? config.directories.cache)
  const onCreated = createWorkspaceInitializer(options, () => services)
  const services: Services = {
    config,
    cacheDir,
    repository: openRepository({
      roots: [...config.roots, getUploadsRoot(config.directories.data)],
      builtin: BUILTIN_SKILLS,
      uploads: getUploadsRoot(config.directories.data),
      cacheDir,
      lastGood: options.lastGood,
      tracking: options.lastGood ? 'renewed' : (options.tracking ?? 'live'),
    }),
    repositories: openRepositoryRegistry(config),
    ids: new RunIds(),
    runQueue: new BoundedRunQueue(computeQueueLimits(config)),
    approvals: new BoundedRunQueue(APPROVAL_QUEUE),
    sandboxes:
      options.sandboxes ?? new Sandboxes({ ...config.run, cacheDir, forks: config.fastPaths }),
    digests: openOnce(openStampedValues<string>),
    installed: openOnce(openStampedValues<string | undefined>),
    liveSessions: openOnce(async () => {
      const { LiveSessions } = await import('./workspaces/sessions/live-sessions.ts')
      return new LiveSessions(config.workspace)
    }),
    workspaces: openOnce(async () => {
      const { Workspaces } = await import('./workspaces/workspaces.ts')
      const dir = join(config.directories.data, 'workspaces')
      return new Workspaces(dir, config.workspace, onCreated)
    }),
    ...openStores(options),
  }
  return services
}

/** Returns the stores from the options, and those of the data directory for the rest. */
function openStores({ config, stores: replacements }: RuntimeOptions): Stores {
  const { data } = config.directories
  const stores: Stores = {
    policy: openPolicySource(config),
    outputs: openOnce(async () => {
      const { openOutputStore } = await import('./outputs/store/file-output-store.ts')
      return openOutputStore(join(data, 'outputs'), config.store.outputs)
    }),
    blobs: openOnce(async () => {
      const { openBlobStore } = await import('./storage/file-blob-store.ts')
      return openBlobStore(join(data, 'blobs'), config.store.blobs)
    }),
    audit: openOnce(async () => {
      const { openAuditLog } = await import('./audit/audit-log.ts')
      return openAuditLog(join(data, 'audit'), config.audit)
    }),
    auditSource: openOnce(async () => {
      const { openAuditSource } = await import('./audit/read-audit.ts')
      return openAuditSource(join(data, 'audit'))
    }),
    runs: openOnce(async () => {
      const { openRunStore } = await import('./runs/history/file-run-store.ts')
      const onRemoved = async (id: string) => await (await stores.outputs()).remove(id)
      return openRunStore(join(data, 'runs'), { ...config.store.runs, onRemoved })
    }),
    sessions: openOnce(async () => {
      const { openSessionStore } = await import('./skill-context/session-store.ts')
      return openSessionStore(join(data, 'sessions'))
    }),
    uploads: openOnce(async () => {
      const { openUploadedSkills } = await import('./skills/uploads/file-uploaded-skills.ts')
      return openUploadedSkills(data, config.store.created)
    }),
    grants: openOnce(async () => {
      const { openGrants } = await import('./skills/uploads/file-grants.ts')
      return openGrants(data)
    }),
    secrets: openOnce(async () => {
      const { openSecretsFile } = await import('./runs/redaction/secrets.ts')
      return openSecretsFile(config.secrets.file)
    }),
    ...replacements,
  }
  return stores
}

/** Checks the policy files on every run; loads the parser with the first run. */
function openPolicySource(config: Config): PolicySource {
  const openSource = openOnce(async () => {
    const { createPolicySource } = await import('./policy/load-policy.ts')
    return createPolicySource(config)
  })
  return async () => await (await openSource())()
}

async function openStampedValues<T>() {
  const { StampedValues } = await import('../util/stamped-values.ts')
  return new StampedValues<T>()
}

/** Opens on the first call and caches the value; a failure is not cached. */
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

/** Creates the callback that initializes each new workspace; throws if a hook is not a function. */
function createWorkspaceInitializer(
  { config, workspaceHooks: hooks = [] }: RuntimeOptions,
  services: () => Services,
): OnWorkspaceCreated {
  if (hooks.some((hook) => typeof hook !== 'function')) {
    throw new SkillsError('config/invalid', 'Expected workspaceHooks to be functions')
  }
  return async (workspace, call) => {
    if (hooks.length + config.workspace.init.length === 0) return
    const { initWorkspace } = await import('./workspaces/preparation/init-workspace.ts')
    await initWorkspace(services(), hooks, { workspace, call })
  }
}

/**
 * An approval may start a process and occupy a person, so callers cannot start an unlimited number.
 */
const APPROVAL_QUEUE = { running: 16, waiting: 256 }

/** A lower limit would make callers wait although no resource is short. */
const MIN_CONCURRENT_RUNS = 8

/** Limits of running and waiting runs in one process. */
export function computeQueueLimits({ run }: Config) {
  const running = run.maxConcurrent ?? Math.max(MIN_CONCURRENT_RUNS, availableParallelism())
  return { running, waiting: run.maxWaiting }
}
