import type { Plain, PlainObject } from './manifest.ts'

/** Half-open span of UTF-16 offsets in a file's text. */
export interface Span {
  start: number
  end: number
}

/** Finds positions of keys and values; `what` defaults to the value. */
interface Locator {
  /** Span of the key or value at a path; of the nearest ancestor if the path does not exist. */
  locate(path: readonly (string | number)[], what?: 'key' | 'value'): Span
}

/** A syntax error with its position. */
export interface SyntaxProblem {
  message: string
  span: Span
}

/**
 * skill.toml: values are parsed at once, positions on demand (they need a second, slower parse).
 */
export interface TomlSource extends Locator {
  file: string
  text: string
  data: PlainObject
  problem: SyntaxProblem | undefined
}

/** SKILL.md: front matter and body. */
export interface MarkdownSource {
  file: string
  text: string
  frontMatter: Locator & {
    /** False if the file has no `---` block. */
    present: boolean
    data: PlainObject
    /** The whole block, including fences. */
    span: Span
    problem: SyntaxProblem | undefined
    /** A syntax error that is read as other clients read it; `data` has the repaired values. */
    repaired: SyntaxProblem | undefined
  }
  /** Offset in `text` at which the body begins. */
  bodyStart: number
}

/** A file or folder of a skill on disk. */
export interface SkillFile {
  /** Relative to the skill, with forward slashes. */
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
  size: number
  /** Permission bits. */
  mode: number
  /** Destination of a symlink, valid for every copy of the skill. */
  linksTo?: 'inside' | 'outside' | 'nowhere'
  /** Path of a symlink's target inside the skill. */
  target?: string
}

/** Contents of one skill's folder, not validated yet. */
export interface SkillSource {
  /** Absolute path of the folder. */
  dir: string
  toml: TomlSource | undefined
  markdown: MarkdownSource | undefined
  files: readonly SkillFile[]
  /** True if the listing stopped early; `files` is then incomplete. */
  filesCut: boolean
  /** Text of a file of the skill; undefined if it is missing, too large or not text. */
  read(path: string): string | undefined
}

export type { Plain, PlainObject }
