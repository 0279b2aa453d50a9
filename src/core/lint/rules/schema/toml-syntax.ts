import type { Rule } from '../../rule.ts'

export const TOML_SYNTAX: Rule = {
  id: 'schema/toml-syntax',
  severity: 'error',
  what: 'skill.toml is not valid TOML',
  why: 'Nothing of the skill can be read without a valid manifest.',
  example: { bad: { 'skill.toml': 'name = "demo.greet\nversion = "0.1.0"\n' }, good: {} },
  fix: 'Correct the syntax at the reported position.',
  check({ toml }, report) {
    if (!toml?.problem) return
    const { message, span } = toml.problem
    report({
      file: 'skill.toml',
      span,
      message: `Cannot parse the manifest: ${message}`,
      help: 'Write strings in double quotes, tables in square brackets, and each key once',
    })
  },
}
