import type { Span } from '../../skills/manifest/source.ts'

/** A call of the skill in SKILL.md, or under [[examples]] of skill.toml. */
export interface ExampleCall {
  /** SKILL.md, skill.toml, a file of JSON or one of tests. */
  file: string
  /** Span of the skill's name in SKILL.md, of the example in skill.toml. */
  readonly span: Span
  arguments: readonly ExampleArgument[]
  /** True if arguments come from a file, from standard input or from a variable. */
  isPartial: boolean
  /** True if the call shows an error, so that its arguments may be wrong. */
  isFailure: boolean
}

export interface ExampleArgument {
  name: string
  readonly nameSpan: Span
  /** Text of `--arg name=text`, the JSON of a member, or undefined for a blob and a placeholder. */
  text: string | undefined
  isJson: boolean
  /** The file of `--blob name=file`. */
  path?: string
  readonly valueSpan: Span
}
