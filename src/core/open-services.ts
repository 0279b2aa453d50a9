import { resolveStoreLimits } from './storage/store-limits.ts'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { SkillsError } from '../errors.ts'
import type { Config } from './config/config.ts'
import type { ConfigOrigins } from './config/load-config.ts'
import { openRepositoryRegistry } from './policy/repository-registry.ts'
import type { DetachedStarter } from './runs/detached/detached-request.ts'
import { RunIds } from './runs/history/run-id.ts'
import { completeLimits } from './runs/run-limits.ts'
import type { RunStore } from './runs/history/run-store.ts'
import { BoundedRunQueue } from './runs/queue/run-queue.ts'
import type { PolicySource } from './policy/policy.ts'
import type { Executor } from './sandbox/executor/executor.ts'
import type { RuntimeBounds } from './runtime-bounds.ts'
import { Sandboxes } from './sandbox/sandboxes.ts'
import { Spans, type SpanTracerProvider } from '../util/spans.ts'
import type { Services, Stores } from './services.ts'
import type { LastGood } from './skills/repository/last-good.ts'
import type { SkillAdopter } from './skills/repository/manifest-cache.ts'
import type { MountedSkill } from './skills/mounted-skill.ts'
import { openRepository } from './skills/repository/open-repository.ts'
import { getUploadsRoot } from './skills/uploads/uploads-root.ts'
import { getStoreFolder } from './storage/store-folders.ts'
import type { WorkspaceHook } from './workspaces/preparation/init-workspace.ts'
import type { OnWorkspaceCreated } from './workspaces/workspaces.ts'

/** Folder of the installed package. */
export const PACKAGE_ROOT: string = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Skill that every installation has: the protocol guide. The package's example skills are stored
 * next to it and are not a root.
 */
export const BUILTIN_SKILLS: string = fileURLToPath(
  new URL('../../skills/skills-protocol-guide', import.meta.url),
)

export interface RuntimeOptions {
  config: Config
  /** Sources of the values of `config`, which `describe_configuration` returns. */
  origins?: ConfigOrigins | undefined
  /** Folder of the skill index; null disables the index. Default: the configured cache folder. */
  cacheDir?: string | null
  /** Manifests of skills from before an edit broke them. */
  lastGood?: LastGood | undefined
  /**
   * `pinned`: a skill whose files changed after they were read is refused until
   * `repository.refresh()`. Default: `live`, each run uses the current manifest and files together.
   */
  tracking?: 'live' | 'pinned'
  /**
   * False reads the list of skills once, until `repository.refresh()`. Default: true, unless the
   * skills are pinned.
   */
  noticesEdits?: boolean
  /**
   * Receives spans of runs, workspaces, staging and collecting. Default: the provider that the
   * program registered with OpenTelemetry's API, if there is one.
   */
  tracerProvider?: SpanTracerProvider | undefined
  /**
   * Executes all runs instead of a sandbox of this machine. Policy, audit, redaction, records and the
   * limits of time and output stay in the runtime. `run.backend` must be `auto` then.
   */
  executor?: Executor | undefined
  /** Sandboxes of another runtime in this process; by default the runtime creates its own. */
  sandboxes?: Sandboxes | undefined
  /** Stores that replace those of the data directory. */
  stores?: Partial<Stores> | undefined
  /**
   * True if another process that opens the data directory, with the policy files of the
   * configuration, may perform runs of this runtime. Default: true unless `stores` replaces some.
   */
  runsInOtherProcesses?: boolean | undefined
  /** Starts detached runs on other machines, whose state is in `stores.detached`. */
  startDetached?: DetachedStarter | undefined
  /** A sentence why this runtime cannot detach runs, instead of the one about its stores. */
  detachObstacle?: string | undefined
  /**
   * Called with each new workspace, after workspace.init; if a hook throws, the workspace is
   * discarded.
   */
  workspaceHooks?: readonly WorkspaceHook[] | undefined
  bounds?: RuntimeBounds | undefined
  /** Allows faster second implementations: folders named fast-path, warm runs. Default: true. */
  fastPaths?: boolean | undefined
}

/** Opens the services of one runtime. Nothing is read or started before its first use. */
export function openServices(options: RuntimeOptions): Services {
  const config = adaptConfig(options)
  const { bounds = {} } = options
  const cacheDir = resolveCacheDir(options)
  const onCreated = createWorkspaceInitializer(options, () => services)
  const services: Services = {
    config,
    origins: options.origins,
    machineCheck: { running: undefined },
    spans: new Spans(options.tracerProvider),
    fastPaths: options.fastPaths ?? true,
    cacheDir,
    repository: openRepository({
      roots: [...config.roots, getUploadsRoot(config.directories.data)],
      builtin: BUILTIN_SKILLS,
      uploads: getUploadsRoot(config.directories.data),
      cacheDir,
      lastGood: options.lastGood,
      adopt: createAdopter(config, cacheDir),
      notices: options.noticesEdits ?? (options.lastGood ?? options.tracking) === undefined,
      tracking: options.lastGood ? 'renewed' : (options.tracking ?? 'live'),
    }),
    repositories: openRepositoryRegistry(config),
    ids: new RunIds(),
    redactionPatterns: openOnce(async () => {
      const { sharePatterns } = await import('./runs/redaction/compile-patterns.ts')
      return sharePatterns(config.redaction)
    }),
    findStranger: async (skills) => await findStranger(services, skills),
    runQueue: new BoundedRunQueue(computeQueueLimits(config)),
    approvals: new BoundedRunQueue(APPROVAL_QUEUE),
    detachedStarts: new BoundedRunQueue(START_QUEUE),
    startDetached: options.startDetached,
    detachObstacle: findDetachObstacle(options),
    sandboxes: openSandboxes(options, cacheDir),
    digests: openOnce(openStampedValues<string>),
    installed: openOnce(openStampedValues<string | undefined>),
    sharedSandboxes: openOnce(async () => {
      const { SharedSandboxes } = await import('./runs/shared-sandbox/shared-sandboxes.ts')
      return new SharedSandboxes(bounds.sharedSandboxes)
    }),
    offloader: openOnce(async () => new (await import('./offload/offload.ts')).Offloader()),
    kernels: openOnce(async () => {
      const { Kernels } = await import('./runs/kernels/kernels.ts')
      return new Kernels(bounds.kernels)
    }),
    liveSessions: openOnce(async () => {
      const { LiveSessions } = await import('./workspaces/sessions/live-sessions.ts')
      return new LiveSessions(bounds.liveSessions)
    }),
    workspaces: openOnce(async () => {
      const { Workspaces } = await import('./workspaces/workspaces.ts')
      const dir = getStoreFolder(config.directories.data, 'workspaces')
      const limits = { ...config.store, maxWorkspaces: bounds.maxWorkspaces }
      return new Workspaces(dir, limits, { onCreated, spans: services.spans })
    }),
    ...openStores(options),
  }
  return services
}

function resolveCacheDir({ cacheDir, config }: RuntimeOptions): string | undefined {
  return cacheDir === null ? undefined : (cacheDir ?? config.directories.cache)
}

async function findStranger(
  services: Services,
  skills: readonly MountedSkill[],
): Promise<string | undefined> {
  if (services.config.run.isolation.strangers === 'any' || skills.length === 0) return undefined
  const { findStranger: find } = await import('./installing/find-stranger.ts')
  return await find(services, skills)
}

/** Loads the reader of scripts for the first plain Agent Skill. */
function createAdopter({ run: { python } }: Config, cacheDir: string | undefined): SkillAdopter {
  return async (entry) => {
    const { adoptInMemory } = await import('./adopting/adopt-in-memory.ts')
    return await adoptInMemory(entry, { cacheDir, python })
  }
}

/** An executor starts each command of a session on its own. */
function adaptConfig({ config, executor }: RuntimeOptions): Config {
  return executor ? { ...config, workspace: { ...config.workspace, sandbox: 'command' } } : config
}

/** Throws if the options name two ways to execute runs. */
function openSandboxes(
  { config, executor, sandboxes, fastPaths: forks = true }: RuntimeOptions,
  cacheDir: string | undefined,
): Sandboxes {
  const { backend } = config.run
  if (executor && (sandboxes || backend !== 'auto')) {
    const other = sandboxes ? 'sandboxes of another runtime' : `run.backend = "${backend}"`
    throw new SkillsError(
      'config/invalid',
      `Expected one way to execute runs, got an executor and ${other}`,
      { hint: 'Leave out one of them' },
    )
  }
  const limits = completeLimits(config.run.limits)
  return sandboxes ?? new Sandboxes({ ...config.run, limits, cacheDir, forks, executor })
}

/** Returns the stores from the options, and those of the data directory for the rest. */
function openStores({ config, stores: replacements, bounds = {} }: RuntimeOptions): Stores {
  const { data } = config.directories
  const limits = { ...resolveStoreLimits(config), ...bounds.stores }
  const stores: Stores = {
    policy: openPolicySource(config),
    outputs: openOnce(async () => {
      const { openOutputStore } = await import('./outputs/store/file-output-store.ts')
      return openOutputStore(getStoreFolder(data, 'outputs'), limits.outputs)
    }),
    blobs: openOnce(async () => {
      const { openBlobStore } = await import('./storage/file-blob-store.ts')
      return openBlobStore(getStoreFolder(data, 'blobs'), limits.blobs)
    }),
    audit: openOnce(async () => {
      const { openAuditLog } = await import('./audit/audit-log.ts')
      return openAuditLog(getStoreFolder(data, 'audit'), config.audit)
    }),
    auditSource: openOnce(async () => {
      const { openAuditSource } = await import('./audit/read-audit.ts')
      return openAuditSource(getStoreFolder(data, 'audit'))
    }),
    async readAuditPage(order, query) {
      const { readNewestPage, readOldestPage } = await import('./audit/read-page.ts')
      const { yieldBetweenBatches } = await import('./audit/yield-batches.ts')
      const read = order === 'oldest' ? readOldestPage : readNewestPage
      return await read(yieldBetweenBatches(await stores.auditSource()), query)
    },
    async verifyAudit(anchors, runs) {
      const { verifyAudit } = await import('./audit/verify-audit.ts')
      const { yieldBetweenBatches } = await import('./audit/yield-batches.ts')
      return await verifyAudit(yieldBetweenBatches(await stores.auditSource()), anchors, runs)
    },
    describeFleet: async () => undefined,
    runs: openOnce(async () => await openRuns(config, stores)),
    detached: openOnce(async () => await openDetached(config)),
    sessions: openOnce(async () => {
      const { openSessionStore } = await import('./skill-context/session-store.ts')
      return openSessionStore(getStoreFolder(data, 'sessions'))
    }),
    uploads: openOnce(async () => {
      const { openUploadedSkills } = await import('./skills/uploads/file-uploaded-skills.ts')
      return openUploadedSkills(data, limits.uploads)
    }),
    grants: openOnce(async () => {
      const { openGrants } = await import('./skills/uploads/file-grants.ts')
      return openGrants(data)
    }),
    secrets: openOnce(async () => {
      const { openSecrets } = await import('./runs/redaction/secrets.ts')
      return openSecrets(config.secrets)
    }),
    ...replacements,
  }
  return stores
}

/** The outputs of a run are removed with its record. */
async function openRuns(
  { directories, store }: Config,
  stores: Pick<Stores, 'outputs' | 'detached' | 'audit'>,
): Promise<RunStore> {
  const { openRunStore } = await import('./runs/history/file-run-store.ts')
  const onRemoved = async (id: string) => {
    await (await stores.outputs()).remove(id)
    await (await stores.detached()).remove(id)
  }
  const onRemoving = async (ids: readonly string[]) => {
    const { auditRemoval } = await import('./audit/removal-records.ts')
    await auditRemoval(await stores.audit(), ids)
  }
  const hooks = { onRemoving, onRemoved }
  return openRunStore(getStoreFolder(directories.data, 'runs'), {
    ...resolveStoreLimits({ store }).runs,
    ...hooks,
  })
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

async function openDetached({ directories, run, store }: Config) {
  const { openDetachedStore, MAX_ENDED_PER_CALLER } =
    await import('./runs/detached/file-detached-store.ts')
  const { ttlMs, quotaBytes } = resolveStoreLimits({ store }).runs
  const ended = { perCaller: MAX_ENDED_PER_CALLER, bytes: quotaBytes }
  const limits = { perCaller: run.maxDetached, ttlMs, ended }
  return openDetachedStore(getStoreFolder(directories.data, 'detached'), limits)
}

/** Another process opens the stores of the data directory, and no others. */
function findDetachObstacle(options: RuntimeOptions): string | undefined {
  const { executor, stores = {}, runsInOtherProcesses, detachObstacle } = options
  if (options.startDetached) return undefined
  if (detachObstacle !== undefined) return detachObstacle
  if (executor) return 'This runtime cannot detach runs: its executor exists in this process only'
  const replaced = Object.keys(stores)
  if (runsInOtherProcesses ?? replaced.length === 0) return undefined
  const names = replaced.map((name) => `"${name}"`).join(', ')
  return `This runtime cannot detach runs: its stores ${names} exist in this process only`
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

/** Each waits in a process of its own, until it is authorized and has a slot. */
const START_QUEUE = { running: 8, waiting: 256 }

/** A lower limit would make callers wait although no resource is short. */
const MIN_CONCURRENT_RUNS = 8
const DEFAULT_WAITING_RUNS = 1024

/** Limits of running and waiting runs in one process. */
export function computeQueueLimits({ run }: Config) {
  const running = run.maxConcurrent ?? Math.max(MIN_CONCURRENT_RUNS, availableParallelism())
  return { running, waiting: run.maxWaiting ?? DEFAULT_WAITING_RUNS }
}
