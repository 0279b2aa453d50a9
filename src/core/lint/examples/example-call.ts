import type { Span } from '../../skills/manifest/source.ts'

/** A call of the skill in SKILL.md. */
export interface ExampleCall {
  /** Span of the skill's name. */
  span: Span
  arguments: readonly ExampleArgument[]
  /** True if arguments come from a file, from standard input or from a variable. */
  isPartial: boolean
}

export interface ExampleArgument {
  name: string
  nameSpan: Span
  /** Text of `--arg name=text`, the JSON of a member, or undefined for a blob and a placeholder. */
  text: string | undefined
  isJson: boolean
  valueSpan: Span
}
