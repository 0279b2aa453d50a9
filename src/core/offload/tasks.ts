import type { Config } from '../config/config.ts'
import type { Finding, LintSummary } from '../lint/finding.ts'
import type { InspectSkillResult } from '../methods/inspect-skill/definition.ts'
import type { Encoding } from '../tokens/count-tokens.ts'
import type { TokenReport } from '../tokens/token-report.ts'

/** A root of mdast, whose own types are not installed with this package. */
interface MarkdownTree {
  type: 'root'
  children: readonly { type: string }[]
}

/**
 * Work on the text of a skill whose time its author decides. It runs in a thread of its own, so that
 * other callers are served meanwhile, and is ended after a limit.
 */
export interface OffloadedTasks {
  /** Parses a document, without its front matter. */
  document: { input: { text: string }; output: MarkdownTree }
  /** Reads the files of cases of a skill. */
  suites: { input: { dir: string }; output: InspectSkillResult['tests'] }
  lint: {
    input: { dir: string; config: Config; env: Readonly<Record<string, string | undefined>> }
    /** Each finding with what its fix changes, as a diff. */
    output: LintSummary & { findings: readonly (Finding & { diff: string | undefined })[] }
  }
  tokens: {
    input: { dir: string; cacheDir: string | undefined; encoding: Encoding }
    output: TokenReport
  }
  /** Counts the tokens of each text. */
  count: { input: { texts: readonly string[]; encoding: Encoding }; output: readonly number[] }
}

export type TaskName = keyof OffloadedTasks

export interface TaskRequest<Name extends TaskName = TaskName> {
  id: number
  name: Name
  input: OffloadedTasks[Name]['input']
}

export type TaskAnswer =
  /** The modules of the task are loaded; its time begins. */
  | { id: number; isLoaded: true }
  | { id: number; output: unknown }
  /** Fields of a SkillsError, which does not survive the way between threads. */
  | { id: number; error: { code: string; message: string; hint?: string } }
