import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import {
  getEntrypointFacts,
  locateInToml,
  quoteValue,
  replaceTomlValue,
  toTomlString,
} from '../../skill-facts.ts'

export const MISSING_EXPORT: Rule = {
  id: 'entrypoint/missing-export',
  severity: 'error',
  what: 'The entrypoint does not define the function named by runtime.export',
  why: 'The runtime calls this function.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace('export = "main"', 'export = "mian"'),
      ),
    },
    good: {},
  },
  fix: 'Define the function at the top level of the file, or correct the name.',
  fixable: 'unsafe',
  needsPython: true,
  check(skill, report) {
    const entry = getEntrypointFacts(skill)
    const name = skill.manifest.runtime?.export
    if (!entry || !name || entry.facts.functions.some((each) => each.name === name)) return
    if (entry.facts.names[name] !== undefined) return
    const guess = findNearest(
      name,
      entry.facts.functions.filter((each) => !each.guarded).map((each) => each.name),
    )
    report({
      ...locateInToml(skill, ['runtime', 'export']),
      message: `"${entry.file}" does not define the function ${quoteValue(name)} at its top level`,
      help: guess ? `Did you mean "${guess}"?` : `Add: def ${name}(args): …`,
      edits:
        guess && skill.manifest.toml && hasExportKey(skill)
          ? replaceTomlValue(skill, ['runtime', 'export'], toTomlString(guess))
          : [],
      unsafe: true,
    })
  },
}

/** A default that is not written in the file cannot be replaced. */
function hasExportKey(skill: Parameters<Rule['check']>[0]): boolean {
  const runtime = skill.manifest.toml?.['runtime']
  return typeof runtime === 'object' && runtime !== null && 'export' in runtime
}
