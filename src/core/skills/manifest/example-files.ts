import type { ExampleProblem } from './examples.ts'
import type { Manifest } from './manifest.ts'

/**
 * Finds examples that cannot run: those of a skill without code, and blobs without a file.
 * `isSkillFile` accepts the paths of regular files below the folder of the skill.
 */
export function findUnusableExamples(
  { examples = [], runtime, inputs }: Pick<Manifest, 'examples' | 'runtime' | 'inputs'>,
  isSkillFile: (path: string) => boolean,
): ExampleProblem[] {
  const [first] = examples
  if (!first) return []
  if (!runtime) {
    const message = 'The skill has examples, but no function that they could call'
    const help = 'Remove them: examples of instructions belong to SKILL.md'
    return [{ path: [first.index], what: 'key', message, help }]
  }
  return examples.flatMap(({ index, args }) =>
    Object.entries(args)
      .filter(([name]) => Object.hasOwn(inputs, name) && inputs[name]?.type === 'blob')
      .filter(([, value]) => typeof value !== 'string' || !isSkillFile(value))
      .map(([name, value]): ExampleProblem => {
        const path = typeof value === 'string' ? `"${value.slice(0, 100)}"` : 'the value'
        const message = `The example passes ${path} for the blob "${name}", which is not a file of the skill`
        const help = 'Write the path of a file of the skill, such as resources/table.csv'
        return { path: [index, 'args', name], what: 'value', message, help }
      }),
  )
}
