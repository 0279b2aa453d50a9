import type { Plain, PlainObject } from './manifest.ts'

/** Half-open span of UTF-16 offsets in a file's text. */
export interface Span {
  start: number
  end: number
}

/** Where a value or key stands; `what` defaults to the value. */
interface Locator {
  /** The span of the key or value at a path; the nearest ancestor's where the path does not exist. */
  locate(path: readonly (string | number)[], what?: 'key' | 'value'): Span
}

/** A syntax error with its place. */
export interface SyntaxProblem {
  message: string
  span: Span
}

/** skill.toml: values at once, positions on demand (they cost a second, slower parse). */
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
    /** False where the file has no `---` block at all. */
    present: boolean
    data: PlainObject
    /** The whole block, fences included. */
    span: Span
    problem: SyntaxProblem | undefined
  }
  /** Offset in `text` at which the body begins. */
  bodyStart: number
}

/** A file or folder inside a skill, as it lies on disk. */
export interface SkillFile {
  /** Relative to the skill, forward slashes. */
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
  size: number
  /** Permission bits. */
  mode: number
  /** Where a symlink leads in every copy of the skill. */
  linksTo?: 'inside' | 'outside' | 'nowhere'
  /** The path of what a symlink inside leads to. */
  target?: string
}

/** Everything that is read of one skill's folder, before any judgement. */
export interface SkillSource {
  /** Absolute path of the folder. */
  dir: string
  toml: TomlSource | undefined
  markdown: MarkdownSource | undefined
  files: readonly SkillFile[]
  /** True where the walk stopped early; `files` is then incomplete. */
  filesCut: boolean
  /** Text of a file of the skill; undefined for what is missing, too large or no text. */
  read(path: string): string | undefined
}

export type { Plain, PlainObject }
