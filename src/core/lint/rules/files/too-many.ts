import type { Rule } from '../../rule.ts'

const MAX_FILES = 1000

export const TOO_MANY: Rule = {
  id: 'files/too-many',
  severity: 'warning',
  what: `The skill has more than ${MAX_FILES} files and folders`,
  why: 'A skill is loaded, hashed and mounted as a whole; most hosts stop far below this. It is an error where the skill has so many that no run begins.',
  example: {
    bad: Object.fromEntries(
      Array.from({ length: MAX_FILES + 1 }, (_, index) => [`resources/${index}.txt`, `${index}\n`]),
    ),
    good: {},
  },
  fix: 'Pack data into fewer files, and keep build output and dependencies out of the folder.',
  check(skill, report) {
    if (skill.files.length <= MAX_FILES && !skill.filesCut) return
    const count = skill.filesCut ? `more than ${skill.files.length}` : String(skill.files.length)
    report({
      file: '.',
      message: `The skill has ${count} files and folders, expected at most ${MAX_FILES}`,
      help: 'Pack data into fewer files',
      // The sandbox copies no skill with more files: no run can start.
      ...(skill.filesCut && { severity: 'error' }),
    })
  },
}
