import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AuditLog } from './audit/audit-log.ts'
import type { Config } from './config/config.ts'
import { createdRoot } from './created/created-root.ts'
import type { ExecuteParams } from './execute/execute-params.ts'
import type { ExecuteResult } from './execute/execute-result.ts'
import type { CreateBlobParams, CreateBlobResult } from './methods/create-blob/run.ts'
import type { CreateSkillParams, CreateSkillResult } from './methods/create-skill/run.ts'
import type { DescribeSkillParams, DescribeSkillResult } from './methods/describe-skill/run.ts'
import type { ExecuteSkillParams } from './methods/execute-skill/run.ts'
import type { ListSkillsParams, ListSkillsResult } from './methods/list-skills/run.ts'
import type { ReadBlobParams, ReadBlobResult } from './methods/read-blob/run.ts'
import type { ReadSkillFileParams, ReadSkillFileResult } from './methods/read-skill-file/run.ts'
import type {
  RuntimeLanguagesParams,
  RuntimeLanguagesResult,
} from './methods/runtime-languages/run.ts'
import type { RunCodeParams } from './methods/run-code/run.ts'
import type { QueryOutputParams, QueryOutputResult } from './methods/runtime-query-output/run.ts'
import type { SkillContextParams, SkillContextResult } from './methods/skill-context/run.ts'
import type { SkillListDocsParams } from './methods/skill-list-docs/run.ts'
import type { SkillLoadParams } from './methods/skill-load/run.ts'
import type {
  SkillSelectDocsParams,
  SkillSelectDocsResult,
} from './methods/skill-select-docs/run.ts'
import type { SessionStore } from './loads/session-store.ts'
import type { Policy } from './policy/policy.ts'
import { openRepositories, type Repositories } from './policy/repositories.ts'
import type { OutputStore } from './outputs/output-store.ts'
import type { LastGood } from './repository/last-good.ts'
import { openRepository } from './repository/open-repository.ts'
import type { Repository } from './repository/repository.ts'
import type { RunCall } from './run/run-call.ts'
import { RunGate } from './run/run-gate.ts'
import type { RunResult } from './run/result.ts'
import type { WarmSandboxes } from './sandbox/warm/warm-sandboxes.ts'
import type { RunStore } from './record/run-store.ts'
import { workspaceCalls, type WorkspaceCalls } from './workspace/calls.ts'
import { loadCalls } from './loads/calls.ts'
import type { LiveSessions } from './workspace/live-sessions.ts'
import type { WorkspaceHook } from './workspace/init-workspace.ts'
import type { OnMade, Workspaces } from './workspace/workspaces.ts'
import type { BlobStore } from './store/blob-store.ts'
import { SkillsError } from '../errors.ts'

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

/** The facade: what every door calls. Parts are made when they are first used. */
export interface Runtime extends WorkspaceCalls {
  readonly config: Config
  readonly repository: Repository
  /** Undefined where nothing is kept. */
  readonly cacheDir: string | undefined
  /** Sandboxes at hand, as soon as `keepWarm` was called. */
  readonly warm: WarmSandboxes | undefined
  /** Keeps sandboxes at hand for the runs of this process, until they are stopped. */
  keepWarm(at: Pick<RunCall, 'cwd' | 'env'>): Promise<WarmSandboxes>
  /** Blobs under the data directory, opened when first asked for. */
  blobs(): Promise<BlobStore>
  /** Records of runs under the data directory, opened when first asked for. */
  runs(): Promise<RunStore>
  /** What programs printed, under the data directory, opened when first asked for. */
  outputs(): Promise<OutputStore>
  /** Folders that programs may be run in. */
  readonly repositories: Repositories
  /** What is allowed, as its files say now. */
  policy(): Promise<Policy>
  /** Every decision and how it ended, under the data directory. */
  audit(): Promise<AuditLog>
  /** Where runs wait for their turn, unless a door has a line of its own. */
  readonly gate: RunGate
  /** Where requests wait to be asked about. */
  readonly approvals: RunGate
  /** What agents' sessions have loaded, under the data directory, opened when first asked for. */
  sessions(): Promise<SessionStore>
  /** Folders in which agents' sessions run commands, under the data directory. */
  workspaces(): Promise<Workspaces>
  /** Interactive commands in them; whoever ends a runtime ends them. */
  liveSessions(): Promise<LiveSessions>
  listSkills(params?: ListSkillsParams): Promise<ListSkillsResult>
  describeSkill(params: DescribeSkillParams): Promise<DescribeSkillResult>
  readSkillFile(params: ReadSkillFileParams): Promise<ReadSkillFileResult>
  loadSkillsProtocolGuide(): Promise<{ content: string }>
  /** Runs a skill's entrypoint in a fresh sandbox. */
  executeSkill(params: ExecuteSkillParams, call: RunCall): Promise<RunResult>
  /** Calls a function of given code in a fresh sandbox, with skills to import. */
  runCode(params: RunCodeParams, call: RunCall): Promise<RunResult>
  /** Runs code or a program in any language, governed. */
  execute(params: ExecuteParams, call: RunCall): Promise<ExecuteResult>
  /** What `execute` can run here. */
  languages(
    call: Pick<RunCall, 'cwd' | 'env'>,
    params?: RuntimeLanguagesParams,
  ): Promise<RuntimeLanguagesResult>
  /** Keeps a skill that came over the wire, whole or not at all. */
  createSkill(params: CreateSkillParams): Promise<CreateSkillResult>
  createBlob(params: CreateBlobParams): Promise<CreateBlobResult>
  /** A sample of a blob, or all of a small one. */
  readBlob(params: ReadBlobParams): Promise<ReadBlobResult>
  /** Looks into what a run printed; a caller sees its own. */
  queryOutput(params: QueryOutputParams, call?: Pick<RunCall, 'caller'>): Promise<QueryOutputResult>
  /** Remembers that a session's agent has loaded a skill. */
  skillLoad(params: SkillLoadParams, call?: Pick<RunCall, 'caller'>): Promise<string>
  /** Changes which documents of a skill a session's agent sees. */
  skillSelectDocs(
    params: SkillSelectDocsParams,
    call?: Pick<RunCall, 'caller'>,
  ): Promise<SkillSelectDocsResult>
  /** The documents of a skill. */
  skillListDocs(params: SkillListDocsParams): Promise<string[]>
  /** What a request of a session's agent shows of skills. */
  skillContext(
    params: SkillContextParams,
    call?: Pick<RunCall, 'caller'>,
  ): Promise<SkillContextResult>
}

/** Opens a runtime over a configuration. Nothing is read or started before it is asked for. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { config } = options
  const cacheDir =
    options.cacheDir === null ? undefined : (options.cacheDir ?? config.directories.cache)
  const repository = openRepository({
    roots: [...config.roots, createdRoot(config.directories.data)],
    builtin: BUILTIN_SKILLS,
    cacheDir,
    lastGood: options.lastGood,
  })
  let { warm } = options
  const runtime: Runtime = {
    get warm() {
      return warm
    },
    keepWarm: async (at) => {
      const { keepWarm } = await import('./sandbox/warm/keep-warm.ts')
      const { python, limits } = config.run
      return (warm ??= keepWarm({ ...at, python, limits, cacheDir }))
    },
    config,
    cacheDir,
    repository,
    ...openParts(options, () => runtime),
    ...workspaceCalls(() => runtime),
    ...loadCalls(() => runtime),
    createSkill: async (params) =>
      (await import('./methods/create-skill/run.ts')).createSkill(runtime, params),
    createBlob: async (params) =>
      (await import('./methods/create-blob/run.ts')).createBlob(runtime, params),
    readBlob: async (params) =>
      (await import('./methods/read-blob/run.ts')).readBlob(runtime, params),
    queryOutput: async (params, call) =>
      (await import('./methods/runtime-query-output/run.ts')).queryRunOutput(runtime, params, call),
    executeSkill: async (params, call) =>
      (await import('./methods/execute-skill/run.ts')).executeSkill(runtime, params, call),
    execute: async (params, call) =>
      (await import('./execute/execute.ts')).execute(runtime, params, call),
    languages: async (call, params = {}) =>
      (await import('./methods/runtime-languages/run.ts')).runtimeLanguages(runtime, params, call),
    runCode: async (params, call) =>
      (await import('./methods/run-code/run.ts')).runCode(runtime, params, call),
    listSkills: async (params) =>
      (await import('./methods/list-skills/run.ts')).listSkills(runtime, params),
    describeSkill: async (params) =>
      (await import('./methods/describe-skill/run.ts')).describeSkill(runtime, params),
    readSkillFile: async (params) =>
      (await import('./methods/read-skill-file/run.ts')).readSkillFile(runtime, params),
    loadSkillsProtocolGuide: async () =>
      (await import('./methods/load-skills-protocol-guide/run.ts')).loadSkillsProtocolGuide(
        runtime,
      ),
  }
  return runtime
}

type Parts = Pick<
  Runtime,
  | 'workspaces'
  | 'liveSessions'
  | 'approvals'
  | 'blobs'
  | 'runs'
  | 'outputs'
  | 'repositories'
  | 'gate'
  | 'policy'
  | 'audit'
  | 'sessions'
>

/** What lies under the data directory and beside it; each is opened when it is first asked for. */
function openParts(options: RuntimeOptions, runtime: () => Runtime): Parts {
  const { config } = options
  const onMade = whenMade(options, runtime)
  const below = (name: string) => join(config.directories.data, name)
  let blobs: BlobStore | undefined
  let runs: RunStore | undefined
  let outputs: OutputStore | undefined
  const openOutputs = async () => {
    const { openOutputStore } = await import('./outputs/file-output-store.ts')
    return (outputs ??= openOutputStore(below('outputs'), config.store.outputs))
  }
  let policy: (() => Promise<Policy>) | undefined
  let audit: AuditLog | undefined
  let sessions: SessionStore | undefined
  let workspaces: Workspaces | undefined
  let live: LiveSessions | undefined
  return {
    blobs: async () => {
      if (blobs) return blobs
      const { openBlobStore } = await import('./store/file-blob-store.ts')
      return (blobs ??= openBlobStore(below('blobs'), config.store.blobs))
    },
    repositories: openRepositories(config),
    gate: new RunGate(queueLimits(config)),
    approvals: new RunGate(APPROVALS),
    policy: async () => {
      if (policy) return await policy()
      const { keepPolicy } = await import('./policy/load-policy.ts')
      return await (policy ??= keepPolicy(config))()
    },
    audit: async () => {
      if (audit) return audit
      const { openAuditLog } = await import('./audit/audit-log.ts')
      return (audit ??= openAuditLog(below('audit'), config.audit))
    },
    runs: async () => {
      if (runs) return runs
      const { openRunStore } = await import('./record/file-run-store.ts')
      const onRemoved = async (id: string) => await (await openOutputs()).remove(id)
      return (runs ??= openRunStore(below('runs'), { ...config.store.runs, onRemoved }))
    },
    outputs: openOutputs,
    liveSessions: async () => {
      const { LiveSessions } = await import('./workspace/live-sessions.ts')
      return (live ??= new LiveSessions(config.workspace))
    },
    workspaces: async () => {
      const { Workspaces } = await import('./workspace/workspaces.ts')
      return (workspaces ??= new Workspaces(below('workspaces'), config.workspace, onMade))
    },
    sessions: async () => {
      const { openSessionStore } = await import('./loads/session-store.ts')
      return (sessions ??= openSessionStore(below('sessions')))
    },
  }
}

/** What is done with each new workspace; throws where that cannot be. */
function whenMade(
  { config, workspaceHooks: hooks = [] }: RuntimeOptions,
  runtime: () => Runtime,
): OnMade {
  if (hooks.some((hook) => typeof hook !== 'function')) {
    throw new SkillsError('config/invalid', 'Expected workspaceHooks to be functions')
  }
  return async (workspace, call) => {
    if (hooks.length + config.workspace.init.length === 0) return
    const { initWorkspace } = await import('./workspace/init-workspace.ts')
    await initWorkspace(runtime(), hooks, { workspace, call })
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
