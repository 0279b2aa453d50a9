/** A file that `skills init` writes into a project. */
export interface ProjectFile {
  /** Relative to the project, with forward slashes. */
  path: string
  /** Other paths that count as this file, such as a name that a tool also reads. */
  aliases?: readonly string[]
  purpose: string
  /** Content of a new file. */
  create(): string
  /** Adds what is missing to an existing file. */
  merge(text: string): MergeResult
}

/** `complete` if nothing is missing, `manual` if the text cannot be changed safely. */
export type MergeResult =
  | { type: 'complete' }
  | { type: 'changed'; text: string }
  | { type: 'manual'; advice: string }

export const COMPLETE: MergeResult = { type: 'complete' }
