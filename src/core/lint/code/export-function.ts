import type { LintedSkill } from '../rule.ts'
import { getEntrypointFacts } from '../skill-facts.ts'
import type { FunctionFacts, NamedSpan } from './code-facts.ts'

/** The function that a run calls, in any language. */
interface ExportFunction extends FunctionFacts {
  file: string
  /** Attributes of the first argument that do not exist. */
  attributes: readonly NamedSpan[]
}

/** The export of a skill; none if its file does not parse or does not define it. */
export function listExportFunctions(skill: LintedSkill): ExportFunction[] {
  const { entrypoint: file, export: name } = skill.manifest.runtime ?? {}
  if (file === undefined || name === undefined) return []
  const called = getEntrypointFacts(skill)?.called
  if (called) {
    const { argumentKeys: keys, argumentAttributes: attributes, exits, results } = called
    return [{ file, keys, attributes, exits, results }]
  }
  const facts = skill.getCodeFacts(file)?.functions.get(name)
  return facts ? [{ file, attributes: [], ...facts }] : []
}
