import type { Rule } from '../../rule.ts'

const JUNK =
  /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.idea|\.vscode|__MACOSX|.*\.pyc|.*\.pyo|.*~|.*\.(?:swp|swo|orig|rej|bak))$/

export const JUNK_FILE: Rule = {
  id: 'hygiene/junk-file',
  severity: 'warning',
  what: 'The skill contains a file of the operating system or an editor',
  why: 'It is published, hashed and mounted with the skill.',
  example: { bad: { '.DS_Store': 'x' }, good: {} },
  fix: 'Delete it, and add it to .gitignore.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const { path } of skill.files) {
      const parts = path.split('/')
      const name = parts.at(-1) as string
      if (
        !JUNK.test(name) ||
        parts.slice(0, -1).some((part) => JUNK.test(part) || part === '__pycache__')
      )
        continue
      report({
        file: path,
        message: `"${path}" is a file of the operating system or an editor, expected none in a skill`,
        help: 'Delete it and add it to .gitignore',
        edits: [{ kind: 'delete', file: path }],
        unsafe: true,
      })
    }
  },
}
