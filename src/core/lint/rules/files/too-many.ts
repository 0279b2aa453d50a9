import type { Rule } from '../../rule.ts'

const MAX_FILES = 1000

export const TOO_MANY: Rule = {
  id: 'files/too-many',
  severity: 'warning',
  what: `The skill has more than ${MAX_FILES} files and folders`,
  why: 'A skill is loaded, hashed and mounted as a whole; most hosts have much lower limits. It is an error if the skill has so many files that no run can start.',
  example: {
    bad: Object.fromEntries(
      Array.from({ length: MAX_FILES + 1 }, (_, index) => [`resources/${index}.txt`, `${index}\n`]),
    ),
    good: {},
  },
  fix: 'Combine data into fewer files, and keep build output and dependencies out of the folder.',
  check(skill, report) {
    if (skill.files.length <= MAX_FILES && !skill.filesCut) return
    const count = skill.filesCut ? `more than ${skill.files.length}` : String(skill.files.length)
    report({
      file: '.',
      message: `The skill has ${count} files and folders, expected at most ${MAX_FILES}`,
      help: 'Combine data into fewer files',
      // The sandbox copies no skill with more files: no run can start.
      ...(skill.filesCut && { severity: 'error' }),
    })
  },
}
