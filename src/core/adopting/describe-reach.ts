import { readSkillSource } from '../skills/manifest/read-source.ts'
import { formatPlural } from '../../util/quantity.ts'
import { guessCapabilities } from './guess-capabilities.ts'
import type { GuessedCapability } from './guessed-capability.ts'
import { readScripts, withPythonParser, type ReadOptions } from './read-scripts.ts'

const VERBS: Readonly<Record<Exclude<GuessedCapability['kind'], 'package'>, string>> = {
  host: 'reaches',
  program: 'starts',
  secret: 'reads',
  file: 'writes',
}
const MAX_VALUES = 6

/**
 * Sentences about an Agent Skill without a manifest: no sandbox limits it, the agent's host runs its
 * scripts. Empty for a skill with a manifest. Nothing is executed.
 */
export async function describeReach(dir: string, options: ReadOptions): Promise<string[]> {
  const source = readSkillSource(dir)
  if (source.toml || !source.markdown) return []
  const { scripts, found } = await withPythonParser(options, async (context) => {
    const reading = await readScripts(source, context)
    const isEmpty = reading.scripts.length === 0
    return {
      ...reading,
      found: isEmpty ? [] : await guessCapabilities(source, reading.scripts, context),
    }
  })
  if (scripts.length === 0) {
    return ['its text instructs your agent, which acts with all your rights']
  }
  const lines = Object.entries(VERBS).flatMap(([kind, verb]) => {
    const values = found.filter((each) => each.kind === kind && each.certainty !== 'possible')
    return values.length === 0 ? [] : [`${verb} ${joinValues(values)}`]
  })
  const count = formatPlural(scripts.length, 'script')
  return [`your agent runs its ${count} with all your rights`, ...lines]
}

function joinValues(found: readonly GuessedCapability[]): string {
  const values = [...new Set(found.map(({ value }) => value))]
  const more = values.length - MAX_VALUES
  return `${values.slice(0, MAX_VALUES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
