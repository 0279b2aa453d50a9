export { createClient, type SkillsClient } from './client.ts'
export {
  ConnectionError,
  ProtocolError,
  RunFailedError,
  type ConnectionErrorFacts,
  type ConnectionProblem,
  type ProtocolErrorFacts,
} from './errors.ts'
export type { BlobFacts, Download, DownloadOptions } from './blobs.ts'
export type { RunStreamEvent } from './events.ts'
export type { CallOptions, ClientOptions, RunOptions } from './options.ts'
export type { BlobSource } from './upload-body.ts'
export type { CreateBlobParams, CreateBlobResult } from '../core/methods/create-blob/definition.ts'
export type {
  CreateSkillParams,
  CreateSkillResult,
} from '../core/methods/create-skill/definition.ts'
export type {
  DescribeSkillParams,
  DescribeSkillResult,
} from '../core/methods/describe-skill/definition.ts'
export type { ExecuteSkillParams } from '../core/methods/execute-skill/definition.ts'
export type {
  ListedSkill,
  ListSkillsParams,
  ListSkillsResult,
} from '../core/methods/list-skills/definition.ts'
export type { ReadBlobParams, ReadBlobResult } from '../core/methods/read-blob/definition.ts'
export type {
  ReadSkillFileParams,
  ReadSkillFileResult,
} from '../core/methods/read-skill-file/definition.ts'
export type { RunCodeParams } from '../core/methods/run-code/definition.ts'
export type { ExecuteParams } from '../core/methods/runtime-execute/definition.ts'
export type { ExecuteResult } from '../core/programs/execute-result.ts'
export type { RunError, RunResult } from '../core/runs/result.ts'
