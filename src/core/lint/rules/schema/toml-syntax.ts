import type { Rule } from '../../rule.ts'

export const TOML_SYNTAX: Rule = {
  id: 'schema/toml-syntax',
  severity: 'error',
  what: 'skill.toml is no valid TOML',
  why: 'Nothing of the skill can be read before its manifest parses.',
  example: { bad: { 'skill.toml': 'name = "demo.greet\nversion = "0.1.0"\n' }, good: {} },
  fix: 'Correct the syntax at the place that is named.',
  check({ toml }, report) {
    if (!toml?.problem) return
    const { message, span } = toml.problem
    report({
      file: 'skill.toml',
      span,
      message: `Cannot parse the manifest: ${message}`,
      help: 'Texts stand in double quotes, tables in square brackets, each key once',
    })
  },
}
