import type { Rule } from '../../rule.ts'

const FOLDERS = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
])

export const VENDORED_FOLDER: Rule = {
  id: 'hygiene/vendored-folder',
  severity: 'warning',
  what: 'The skill holds a folder of dependencies, caches or version control',
  why: 'It makes the skill large, changes with every machine and may hold secrets.',
  example: { bad: { 'code/__pycache__/main.txt': 'x' }, good: {} },
  fix: "Keep it out of the skill's folder.",
  check(skill, report) {
    for (const { path, type } of skill.files) {
      const parts = path.split('/')
      if (
        type !== 'directory' ||
        !FOLDERS.has(parts.at(-1) as string) ||
        parts.slice(0, -1).some((part) => FOLDERS.has(part))
      )
        continue
      report({
        file: path,
        message: `The folder "${path}" does not belong into a skill`,
        help: `Remove it: rm -r ${path}`,
      })
    }
  },
}
