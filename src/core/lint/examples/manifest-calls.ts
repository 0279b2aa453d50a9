import type { SkillExample } from '../../skills/manifest/manifest.ts'
import type { LintedSkill } from '../rule.ts'
import type { ExampleArgument, ExampleCall } from './example-call.ts'

const NOWHERE = { start: 0, end: 0 }

/** Calls under [[examples]] of skill.toml. Positions are computed when they are read. */
export function readManifestCalls({
  manifest,
  toml,
}: Pick<LintedSkill, 'manifest'> & Partial<Pick<LintedSkill, 'toml'>>): ExampleCall[] {
  const { examples = [], inputs } = manifest
  const locate = (path: readonly (string | number)[], what: 'key' | 'value') =>
    toml?.locate(['examples', ...path], what) ?? NOWHERE
  const readArguments = ({ index, args }: SkillExample): ExampleArgument[] =>
    Object.entries(args).map(([name, value]) => ({
      name,
      // A blob gets a new id in every run.
      text: inputs[name]?.type === 'blob' ? undefined : JSON.stringify(value),
      isJson: true,
      get nameSpan() {
        return locate([index, 'args', name], 'key')
      },
      get valueSpan() {
        return locate([index, 'args', name], 'value')
      },
    }))
  return examples.map((example) => ({
    file: 'skill.toml',
    arguments: readArguments(example),
    isPartial: false,
    isFailure: example.error !== undefined,
    get span() {
      return locate([example.index], 'key')
    },
  }))
}
