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
import type { ReadBlobParams, ReadBlobResult } from '../core/methods/read-blob/definition.ts'
import type {
  ReadSkillFileParams,
  ReadSkillFileResult,
} from '../core/methods/read-skill-file/definition.ts'
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
  createBlob(params: CreateBlobParams, options?: CallOptions): Promise<CreateBlobResult>
  readBlob(params: ReadBlobParams, options?: CallOptions): Promise<ReadBlobResult>
  createSkill(params: CreateSkillParams, options?: CallOptions): Promise<CreateSkillResult>
  /** Runs code or a program in any language. The result reports how it ended. */
  execute(params: ExecuteParams, options?: RunOptions): Promise<ExecuteResult>
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
  const { read, create, run } = bindMethods(settings)
  const client: SkillsClient = {
    url: settings.endpoint.href,
    listSkills: async (params = {}, callOptions) => await read('list_skills', params, callOptions),
    async *skills(params = {}, callOptions) {
      const seen = new Set<string>()
      for (let cursor: string | null | undefined; ;) {
        const page = await client.listSkills({ ...params, ...(cursor && { cursor }) }, callOptions)
        yield* page.skills
        cursor = page.next_cursor
        // Stops a loop if a runtime returns the same cursor again.
        if (!cursor || seen.has(cursor)) return
        seen.add(cursor)
      }
    },
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
    execute: async (params, callOptions) =>
      await run('runtime.execute', { params, timeoutMs: params.timeoutMs }, callOptions),
    createBlob: async (params, callOptions) => await create('create_blob', params, callOptions),
    readBlob: async (params, callOptions) => await read('read_blob', params, callOptions),
    createSkill: async (params, callOptions) => await create('create_skill', params, callOptions),
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
  const read = async <Name extends ReadName>(
    method: Name,
    params: NamedParams<Name>,
    callOptions: CallOptions = {},
  ) =>
    requireObject(
      await callMethod(settings, { method, params, isRead: true }, callOptions),
    ) as NamedResult<Name>
  const create = async <Name extends NamesWithEffect<'create'>>(
    method: Name,
    params: NamedParams<Name>,
    callOptions: CallOptions = {},
  ) =>
    requireObject(
      await callMethod(settings, { method, params, isRead: false }, callOptions),
    ) as NamedResult<Name>
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
  return { read, create, run }
}
