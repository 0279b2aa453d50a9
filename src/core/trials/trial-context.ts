import type { Backend, ContainerSettings, Interpreter } from '../sandbox/backend.ts'
import type { ToolMount } from '../languages/language.ts'
import type { BaitFile } from './bait/home-files.ts'
import type { Marker } from './bait/markers.ts'
import type { MarkerSearch } from './observe/marker-search.ts'
import type { SubjectProgram } from './subjects/subject.ts'
import type { TrialFolders } from './trial-folders.ts'

/** A claim of the skill's own text that an act is part of its task. */
export type IsDescribed = (act: DescribedAct) => boolean

/** An act that could be a proof. */
export type DescribedAct =
  | { kind: 'marker-sent'; marker: Marker; hosts: readonly string[] }
  | { kind: 'persistence' | 'destruction'; path: string }
  | { kind: 'fetched-code-run'; hosts: readonly string[] }
  | { kind: 'read-and-sent'; hosts: readonly string[] }
  | { kind: 'document-sent'; hosts: readonly string[] }

/** Everything that the trials of one skill share. */
export interface TrialContext {
  backend: Backend
  container: ContainerSettings
  interpreter: Interpreter
  /** Programs of the sandbox, by the name with which subjects ask for them. */
  programs: ReadonlyMap<SubjectProgram, string>
  tools: readonly ToolMount[]
  /** The caller's environment: programs of the host are found in its PATH. Code never sees it. */
  hostEnv: Readonly<Record<string, string | undefined>>
  folders: TrialFolders
  files: readonly BaitFile[]
  /** Variables with markers. */
  secrets: Readonly<Record<string, string>>
  markers: readonly Marker[]
  search: MarkerSearch
  /** Ports that the skill's files name. */
  ports: readonly number[]
  isDescribed: IsDescribed
  /** Folder of the skill inside of a sandbox. */
  skillFolder: string
  certificates: string | undefined
  signal: AbortSignal | undefined
}
