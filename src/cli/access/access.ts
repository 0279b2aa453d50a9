import type { Readable } from 'node:stream'
import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import type { ExecuteResult } from '../../core/programs/execute-result.ts'
import type { Manifest, PlainObject } from '../../core/skills/manifest/manifest.ts'
import type {
  QueryOutputParams,
  QueryOutputResult,
} from '../../core/methods/runtime-query-output/definition.ts'
import type {
  RepositoryProblem,
  SkillEntry,
  SkillFileContent,
} from '../../core/skills/repository/repository.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { Place } from '../../core/runs/protocol/save-blobs.ts'

/** What commands need of a runtime: the one of this machine, or one elsewhere. */
export interface Access {
  list(): Promise<SkillList>
  /** A skill by name or name@version; guesses what a misspelt one meant. */
  skill(reference: string): Promise<FoundSkill>
  /** The same, for a skill or for the folder of one that is being written. */
  skillOrFolder(reference: string): Promise<FoundSkill>
  runCode(code: CodeInput, call: RunCall): Promise<RunResult>
  /** Code or a program in any language. */
  execute(params: ExecuteParams, call: RunCall): Promise<ExecuteResult>
  blobs(): Promise<BlobAccess>
  /** The handle of an output, or the whole id of a run, that a person named. */
  findOutput(word: string): Promise<string>
  /** Looks into what a run printed. */
  queryOutput(params: QueryOutputParams): Promise<QueryOutputResult>
}

/** A skill as lists show it; only one of this machine has a folder. */
export type ListedEntry = Omit<SkillEntry, 'dir' | 'root'> & { dir?: string }

export interface SkillList {
  skills: readonly ListedEntry[]
  problems: readonly RepositoryProblem[]
}

export interface FoundSkill {
  readonly name: string
  readonly version: string
  manifest(): Promise<Manifest>
  describe(): Promise<Description>
  read(path: string): Promise<SkillFileContent>
  execute(input: RunInput, call: RunCall): Promise<RunResult>
}

/** All that is said of a skill. */
export interface Description {
  manifest: Manifest
  versions: readonly string[]
  files: readonly { path: string; size: number }[]
  /** SKILL.md as it is; undefined where there is none. */
  markdown: string | undefined
  /** Only of a skill of this machine. */
  dir?: string
  root?: string
}

/** What a run is given. */
export interface RunInput {
  args: PlainObject
  input_blobs: string[]
  timeout_ms: number | undefined
}

export interface CodeInput extends RunInput {
  language: string
  code: string
  entrypoint: string | undefined
  /** As the command line has them: names, name@version, folders of this machine. */
  mounts: readonly string[]
}

/** A blob as commands show it; null is what nobody said. */
export interface ShownBlob {
  id: string
  kind: string
  size: number
  digest: string | null
  createdAt: string | null
  expiresAt: string | null
}

export interface BlobAccess {
  /** Stores what comes, piece by piece. */
  put(source: AsyncIterable<Uint8Array>, kind: string): Promise<ShownBlob>
  /** The whole id of a blob that a person named. */
  find(word: string): Promise<string>
  info(id: string): Promise<ShownBlob>
  read(id: string): Promise<Readable>
  /** Content that is small enough for one document. Throws `blob/too-large`. */
  whole(id: string): Promise<{ content: string; encoding?: 'base64' }>
  /** Copies blobs into a folder, each under its id; nothing that exists is overwritten. */
  save(ids: readonly string[], place: Place): Promise<string[]>
}
