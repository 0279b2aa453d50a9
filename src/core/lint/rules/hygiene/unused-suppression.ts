import type { Rule } from '../../rule.ts'

/** The engine reports it, since only the engine knows which findings a comment suppressed. */
export const UNUSED_SUPPRESSION: Rule = {
  id: 'hygiene/unused-suppression',
  severity: 'warning',
  what: 'A comment turns off a rule that has no finding, or that does not exist',
  why: 'A suppression that is no longer needed hides the next real problem on its line.',
  example: {
    bad: {
      'skill.toml': [
        '# skills-lint-disable-next-line schema/unknown-key',
        'name = "demo.greet"',
        'version = "0.1.0"',
        'description = "Greets somebody by name."',
        'kind = "instruction"',
        '',
      ].join('\n'),
      'code/main.py': null,
    },
    good: {},
  },
  fix: 'Remove the comment, or correct the rule name in it.',
  check: () => {},
}
