import type { ExecuteParams } from '../core/methods/runtime-execute/definition.ts'
import type { ExecuteResult } from '../core/programs/execute-result.ts'
import type { CreateBlobParams, CreateBlobResult } from '../core/methods/create-blob/definition.ts'
import type {
  CreateSkillParams,
  CreateSkillResult,
} from '../core/methods/create-skill/definition.ts'
import type {
  DescribeSkillParams,
  DescribeSkillResult,
} from '../core/methods/describe-skill/definition.ts'
import type { ExecuteSkillParams } from '../core/methods/execute-skill/definition.ts'
import type {
  ListedSkill,
  ListSkillsParams,
  ListSkillsResult,
} from '../core/methods/list-skills/definition.ts'
import type { KernelParams, KernelResult } from '../core/methods/kernel/definition.ts'
import type { ReadBlobParams, ReadBlobResult } from '../core/methods/read-blob/definition.ts'
import type {
  ReadSkillFileParams,
  ReadSkillFileResult,
} from '../core/methods/read-skill-file/definition.ts'
import type { GetRunRecordResult } from '../core/methods/get-run-record/definition.ts'
import type {
  ListRunHistoryParams,
  ListRunHistoryResult,
} from '../core/methods/list-run-history/definition.ts'
import type {
  GetRunParams,
  ListRunsParams,
  ReadRunLogsParams,
  ReadRunLogsResult,
  RunsParams,
  RunsResults,
} from '../core/methods/runs/definition.ts'
import type { RunCodeParams } from '../core/methods/run-code/definition.ts'
import type { MethodParams, MethodResult } from '../core/methods/define-method.ts'
import type { Definitions } from '../core/methods/definitions.ts'
import type { METHOD_TABLE } from '../core/methods/table.ts'
import type { RunResult } from '../core/runs/result.ts'
import {
  fetchBlobFacts,
  downloadBlob,
  uploadBlob,
  type BlobFacts,
  type Download,
  type DownloadOptions,
} from './blobs.ts'
import { callMethod, callRunMethod } from './call.ts'
import { RunFailedError } from './errors.ts'
import type { RunStreamEvent } from './events.ts'
import { followRun } from './follow-run.ts'
import { notARuntimeError } from './read-answer.ts'
import { readOptions, type CallOptions, type ClientOptions, type RunOptions } from './options.ts'
import type { BlobSource } from './upload-body.ts'

/**
 * The methods of a Skills Runtime. Every method throws ProtocolError if the runtime refuses the
 * call and ConnectionError if no valid response arrives. An aborted signal throws its own reason.
 */
export interface SkillsClient {
  /** The URL of the JSON-RPC endpoint. */
  readonly url: string
  listSkills(params?: ListSkillsParams, options?: CallOptions): Promise<ListSkillsResult>
  /** Iterates over all skills, page by page. */
  skills(
    params?: Omit<ListSkillsParams, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<ListedSkill, void, undefined>
  describeSkill(params: DescribeSkillParams, options?: CallOptions): Promise<DescribeSkillResult>
  readSkillFile(params: ReadSkillFileParams, options?: CallOptions): Promise<ReadSkillFileResult>
  loadSkillsProtocolGuide(options?: CallOptions): Promise<{ content: string }>
  /** Runs a skill. A failed run is returned as a result with the status `failed`. */
  executeSkill(params: ExecuteSkillParams, options?: RunOptions): Promise<RunResult>
  /** Runs a skill. Throws RunFailedError if the run fails. */
  executeSkillOrThrow(params: ExecuteSkillParams, options?: RunOptions): Promise<RunResult>
  /** Runs code. A failed run is returned as a result with the status `failed`. */
  runCode(params: RunCodeParams, options?: RunOptions): Promise<RunResult>
  /** Runs code. Throws RunFailedError if the run fails. */
  runCodeOrThrow(params: RunCodeParams, options?: RunOptions): Promise<RunResult>
  /** Lists the living kernels of this caller. */
  listKernels(options?: CallOptions): Promise<Required<Pick<KernelResult, 'kernels'>>>
  /** Interrupts the running cell of a kernel. Its variables are kept. */
  interruptKernel(params: KernelId, options?: CallOptions): Promise<KernelResult>
  /** Ends the interpreter of a kernel. Its next cell starts another one. */
  restartKernel(params: KernelId, options?: CallOptions): Promise<KernelResult>
  /** Ends a kernel with all of its processes. */
  endKernel(params: KernelId, options?: CallOptions): Promise<KernelResult>
  createBlob(params: CreateBlobParams, options?: CallOptions): Promise<CreateBlobResult>
  readBlob(params: ReadBlobParams, options?: CallOptions): Promise<ReadBlobResult>
  createSkill(params: CreateSkillParams, options?: CallOptions): Promise<CreateSkillResult>
  /** Runs code or a program in any language. The result reports how it ended. */
  execute(params: ExecuteParams, options?: RunOptions): Promise<ExecuteResult>
  /** Returns the state of a run, and its result once it has ended. */
  getRun(params: GetRunParams, options?: CallOptions): Promise<RunsResults['get']>
  /** Waits until a run has ended. */
  waitForRun(runId: string, options?: CallOptions): Promise<RunsResults['get']>
  /** Reads a part of the logs of a run. */
  readRunLogs(params: ReadRunLogsParams, options?: CallOptions): Promise<ReadRunLogsResult>
  /** Reads the logs of a run from a byte offset, part by part, until it ends. */
  runLogs(
    runId: string,
    options?: CallOptions & { offset?: number },
  ): AsyncGenerator<ReadRunLogsResult, void, undefined>
  /** Ends a run that was started with `detach`, or whose call the server performs. */
  cancelRun(runId: string, options?: CallOptions): Promise<RunsResults['get']>
  /** Lists the runs that this caller started with `detach`, newest first. */
  listRuns(params?: ListRunsParams, options?: CallOptions): Promise<RunsResults['list']>
  /** Lists the records of all runs of this caller, newest first. */
  listRunHistory(
    params?: ListRunHistoryParams,
    options?: CallOptions,
  ): Promise<ListRunHistoryResult>
  /** Returns the whole record of a run. */
  getRunRecord(runId: string, options?: CallOptions): Promise<GetRunRecordResult>
  /** Calls a method that changes nothing, such as `list_audit_records`. It is retried. */
  read(method: string, params?: object, options?: CallOptions): Promise<unknown>
  /** Calls any other method. It is retried only if the runtime did not start it. */
  call(method: string, params?: object, options?: CallOptions): Promise<unknown>
  /**
   * Uploads content of any size as a stream. An extension of this runtime, not part of the
   * protocol.
   */
  uploadBlob(source: BlobSource, options: CallOptions & { kind: string }): Promise<BlobFacts>
  /** Downloads a blob of any size, or a range of it, as a stream. */
  downloadBlob(blobId: string, options?: DownloadOptions): Promise<Download>
  /** Fetches the size, type and digest of a blob. */
  blobFacts(blobId: string, options?: CallOptions): Promise<BlobFacts>
  /** Follows a run by its id, from its first event until it ends. */
  followRun(
    runId: string,
    options?: Pick<CallOptions, 'signal' | 'timeoutMs'>,
  ): AsyncGenerator<RunStreamEvent, void, undefined>
}

/** Id of a kernel, as passed to `runCode`. */
interface KernelId {
  kernel: string
}

type NamedParams<Name extends keyof Definitions> = MethodParams<Definitions[Name]>
type NamedResult<Name extends keyof Definitions> = MethodResult<Definitions[Name]>
/** Methods that change nothing, so that they can be retried. */
type ReadName = NamesWithEffect<'read'>
type NamesWithEffect<Effect> = {
  [Name in keyof Definitions]: (typeof METHOD_TABLE)[Name]['effect'] extends Effect ? Name : never
}[keyof Definitions]

/** Creates a client of one runtime. Sends nothing until a method is called. */
export function createClient(options: ClientOptions): SkillsClient {
  const settings = readOptions(options)
  const { read, change, run, readRuns } = bindMethods(settings)
  const client: SkillsClient = {
    url: settings.endpoint.href,
    listSkills: async (params = {}, callOptions) => await read('list_skills', params, callOptions),
    skills: (params = {}, callOptions) => listAllSkills(client, params, callOptions),
    describeSkill: async (params, callOptions) => await read('describe_skill', params, callOptions),
    readSkillFile: async (params, callOptions) =>
      await read('read_skill_file', params, callOptions),
    loadSkillsProtocolGuide: async (callOptions) =>
      await read('load_skills_protocol_guide', {}, callOptions),
    executeSkill: async (params, callOptions) =>
      await run('execute_skill', { params, timeoutMs: params.timeout_ms }, callOptions),
    executeSkillOrThrow: async (params, callOptions) =>
      requireCompleted(await client.executeSkill(params, callOptions)),
    runCode: async (params, callOptions) =>
      await run('run_code', { params, timeoutMs: params.limits?.timeout_ms }, callOptions),
    runCodeOrThrow: async (params, callOptions) =>
      requireCompleted(await client.runCode(params, callOptions)),
    ...bindKernels(settings),
    execute: async (params, callOptions) =>
      await run('runtime.execute', { params, timeoutMs: params.timeoutMs }, callOptions),
    getRun: async (params, callOptions) =>
      await readRuns({ ...params, action: 'get' }, callOptions),
    waitForRun: async (runId, callOptions = {}) =>
      await pollRun(client, runId, {
        ...callOptions,
        timeoutMs: callOptions.timeoutMs ?? settings.timeoutMs + RUN_WAIT_MS,
      }),
    readRunLogs: async (params, callOptions) =>
      await readRuns({ ...params, action: 'logs' }, callOptions),
    runLogs: (runId, callOptions = {}) =>
      followRunLogs(async (...part) => await client.readRunLogs(...part), runId, callOptions),
    cancelRun: async (runId, callOptions) =>
      (await change('runs', { action: 'cancel', run_id: runId }, callOptions)) as never,
    listRuns: async (params = {}, callOptions) =>
      await readRuns({ ...params, action: 'list' }, callOptions),
    listRunHistory: async (params = {}, callOptions) =>
      await read('list_run_history', params, callOptions),
    getRunRecord: async (runId, callOptions) =>
      await read('get_run_record', { run_id: runId }, callOptions),
    createBlob: async (params, callOptions) => await change('create_blob', params, callOptions),
    readBlob: async (params, callOptions) => await read('read_blob', params, callOptions),
    createSkill: async (params, callOptions) => await change('create_skill', params, callOptions),
    read: async (method, params = {}, callOptions) =>
      await callMethod(settings, { method, params, isRead: true }, callOptions ?? {}),
    call: async (method, params = {}, callOptions) =>
      await callMethod(settings, { method, params, isRead: false }, callOptions ?? {}),
    uploadBlob: async (content, { kind, ...callOptions }) =>
      await uploadBlob(settings, { content, kind }, callOptions),
    downloadBlob: async (id, callOptions = {}) => await downloadBlob(settings, id, callOptions),
    blobFacts: async (id, callOptions = {}) => await fetchBlobFacts(settings, id, callOptions),
    followRun: (id, callOptions = {}) => followRun(settings, id, callOptions),
  }
  return client
}

function bindKernels(
  settings: ReturnType<typeof readOptions>,
): Pick<SkillsClient, 'listKernels' | 'interruptKernel' | 'restartKernel' | 'endKernel'> {
  const control =
    (action: KernelParams['action']) =>
    async (params: Partial<KernelId> | undefined, callOptions: CallOptions = {}) => {
      const call = { method: 'kernel', params: { action, ...params }, isRead: action === 'list' }
      return requireObject(await callMethod(settings, call, callOptions)) as KernelResult
    }
  return {
    listKernels: async (callOptions) => (await control('list')(undefined, callOptions)) as never,
    interruptKernel: control('interrupt'),
    restartKernel: control('restart'),
    endKernel: control('end'),
  }
}

async function* listAllSkills(
  client: Pick<SkillsClient, 'listSkills'>,
  ...[params, callOptions]: Parameters<SkillsClient['skills']>
): ReturnType<SkillsClient['skills']> {
  const seen = new Set<string>()
  for (let cursor: string | null | undefined; ;) {
    const page = await client.listSkills({ ...params, ...(cursor && { cursor }) }, callOptions)
    yield* page.skills
    cursor = page.next_cursor
    // Stops a loop if a runtime returns the same cursor again.
    if (!cursor || seen.has(cursor)) return
    seen.add(cursor)
  }
}

/** Time that one call waits for the end of a detached run. */
const RUN_WAIT_MS = 30_000

async function pollRun(
  client: Pick<SkillsClient, 'getRun'>,
  runId: string,
  callOptions: CallOptions & { timeoutMs: number },
): Promise<RunsResults['get']> {
  const waitMs = Math.min(RUN_WAIT_MS, Math.floor(callOptions.timeoutMs / 2))
  for (;;) {
    const state = await client.getRun({ run_id: runId, wait_ms: waitMs }, callOptions)
    if (state.status !== 'running') return state
  }
}

/** Time of a run besides its own timeout: queueing, staging and collecting. */
const RUN_OVERHEAD_MS = 60_000

function requireObject(result: unknown): object {
  if (typeof result === 'object' && result !== null) return result
  throw notARuntimeError(200, JSON.stringify(result))
}

function requireCompleted(result: RunResult): RunResult {
  if (result.status === 'completed') return result
  throw new RunFailedError(result)
}

/** Calls by effect: only reads are retried, and the call of a run may take longer than the run. */
function bindMethods(settings: ReturnType<typeof readOptions>) {
  const send = async <Name extends keyof Definitions>(
    call: { method: Name; params: NamedParams<Name>; isRead: boolean },
    callOptions: CallOptions = {},
  ) => requireObject(await callMethod(settings, call, callOptions)) as NamedResult<Name>
  const read = async <Name extends ReadName>(
    method: Name,
    params: NamedParams<Name>,
    callOptions?: CallOptions,
  ) => await send({ method, params, isRead: true }, callOptions)
  const change = async <Name extends NamesWithEffect<'create' | 'control'>>(
    method: Name,
    params: NamedParams<Name>,
    callOptions?: CallOptions,
  ) => await send({ method, params, isRead: false }, callOptions)
  const run = async <Name extends NamesWithEffect<'run'>>(
    method: Name,
    { params, timeoutMs }: { params: NamedParams<Name>; timeoutMs: number | undefined },
    callOptions: RunOptions = {},
  ) => {
    const effectiveTimeoutMs =
      callOptions.timeoutMs ?? (timeoutMs === undefined ? undefined : timeoutMs + RUN_OVERHEAD_MS)
    const effectiveOptions = { ...callOptions, timeoutMs: effectiveTimeoutMs }
    const result = await callRunMethod(
      settings,
      { method, params, isRead: false },
      effectiveOptions,
    )
    return requireObject(result) as NamedResult<Name>
  }
  const readRuns = async <Action extends keyof RunsResults>(
    params: RunsParams & { action: Action },
    callOptions?: CallOptions,
  ) => (await send({ method: 'runs', params, isRead: true }, callOptions)) as RunsResults[Action]
  return { read, change, run, readRuns }
}

/** The most that a runtime returns at once: all of the logs are read. */
const PART_BYTES = 256 * 1024
/** Pause after an answer without logs. */
const PAUSE_MS = 500

/** Reads the logs of a run from a byte offset until it ends. */
async function* followRunLogs(
  read: (params: ReadRunLogsParams, options: CallOptions) => Promise<ReadRunLogsResult>,
  runId: string,
  { offset = 0, ...options }: CallOptions & { offset?: number },
): AsyncGenerator<ReadRunLogsResult, void, undefined> {
  for (let next = offset; ;) {
    const part = await read({ run_id: runId, offset: next, max_bytes: PART_BYTES }, options)
    if (part.logs !== '') yield part
    next = part.next_offset
    if (!part.more) return
    if (part.logs === '') await pause(options.signal)
  }
}

/** Ends early when the signal aborts; the next call throws its reason. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(stop, PAUSE_MS)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
