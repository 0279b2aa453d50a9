import { EVAL_RESULTS_FOLDER } from '../../util/searched-folders.ts'
import { COMPLETE, type ProjectFile } from './project-file.ts'

/** Paths that stay out of commits: saved runs contain conversations. */
const ENTRIES = [
  {
    pattern: new RegExp(`^!?(?:\\*\\*/|/)?${EVAL_RESULTS_FOLDER}/?$`),
    text: `# Saved runs of "skills test --evals".\n${EVAL_RESULTS_FOLDER}/\n`,
  },
  {
    pattern: /^!?(?:\*\*\/|\/)?(?:\*?\.env\*?|\.env\.\*)$/,
    text: '# Values of secrets, for --secrets-file.\n.env\n',
  },
]

/** Keeps saved runs of evals and secrets out of commits. */
export const IGNORE_FILE: ProjectFile = {
  path: '.gitignore',
  purpose: 'files that are not committed',
  create: () => ENTRIES.map(({ text }) => text).join('\n'),
  merge(before) {
    const missing = ENTRIES.filter(({ pattern }) => !hasEntry(before, pattern))
    if (missing.length === 0) return COMPLETE
    const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n'
    return { type: 'changed', text: `${before}${gap}${missing.map(({ text }) => text).join('\n')}` }
  },
}

/** True for a pattern of the path, also one that includes it: its author has decided. */
function hasEntry(text: string, pattern: RegExp): boolean {
  return text.split('\n').some((line) => pattern.test(line.trimEnd()))
}
