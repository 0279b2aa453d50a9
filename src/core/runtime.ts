import type { ExecuteParams } from './programs/execute-params.ts'
import type { ExecuteResult } from './programs/execute-result.ts'
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
import { openServices, type RuntimeOptions } from './open-services.ts'
import type { Services } from './services.ts'
import type { RunCall } from './runs/run-call.ts'
import type { RunResult } from './runs/result.ts'
import type { WarmPool } from './sandbox/backend.ts'
import { workspaceCalls, type WorkspaceCalls } from './workspaces/calls.ts'
import { loadCalls } from './skill-context/calls.ts'

/** The facade: what every door calls. Parts are made when they are first used. */
export interface Runtime extends Services, WorkspaceCalls {
  listSkills(params?: ListSkillsParams): Promise<ListSkillsResult>
  describeSkill(params: DescribeSkillParams): Promise<DescribeSkillResult>
  readSkillFile(params: ReadSkillFileParams): Promise<ReadSkillFileResult>
  loadSkillsProtocolGuide(): Promise<{ content: string }>
  /** Holds sandboxes ready for the runs of this process, until that is stopped. */
  keepWarm(at: Pick<RunCall, 'cwd' | 'env'>): Promise<WarmPool>
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
  const services = openServices(options)
  return {
    ...services,
    keepWarm: async (at) => await services.sandboxes.keepWarm(at),
    ...workspaceCalls(services),
    ...loadCalls(services),
    createSkill: async (params) =>
      (await import('./methods/create-skill/run.ts')).createSkill(services, params),
    createBlob: async (params) =>
      (await import('./methods/create-blob/run.ts')).createBlob(services, params),
    readBlob: async (params) =>
      (await import('./methods/read-blob/run.ts')).readBlob(services, params),
    queryOutput: async (params, call) =>
      (await import('./methods/runtime-query-output/run.ts')).queryRunOutput(
        services,
        params,
        call,
      ),
    executeSkill: async (params, call) =>
      (await import('./methods/execute-skill/run.ts')).executeSkill(services, params, call),
    execute: async (params, call) =>
      (await import('./programs/execute.ts')).execute(services, params, call),
    languages: async (call, params = {}) =>
      (await import('./methods/runtime-languages/run.ts')).runtimeLanguages(services, params, call),
    runCode: async (params, call) =>
      (await import('./methods/run-code/run.ts')).runCode(services, params, call),
    listSkills: async (params) =>
      (await import('./methods/list-skills/run.ts')).listSkills(services, params),
    describeSkill: async (params) =>
      (await import('./methods/describe-skill/run.ts')).describeSkill(services, params),
    readSkillFile: async (params) =>
      (await import('./methods/read-skill-file/run.ts')).readSkillFile(services, params),
    loadSkillsProtocolGuide: async () =>
      (await import('./methods/load-skills-protocol-guide/run.ts')).loadSkillsProtocolGuide(
        services,
      ),
  }
}
