import { EVAL_RESULTS_FOLDER } from '../../util/searched-folders.ts'
import { COMPLETE, type ProjectFile } from './project-file.ts'

const ENTRY = `${EVAL_RESULTS_FOLDER}/`
const TEXT = `# Saved runs of "skills test --evals".\n${ENTRY}\n`

/** Keeps saved runs of evals, which contain conversations, out of commits. */
export const IGNORE_FILE: ProjectFile = {
  path: '.gitignore',
  purpose: 'folders that are not committed',
  create: () => TEXT,
  merge(text) {
    if (hasEntry(text)) return COMPLETE
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
    return { type: 'changed', text: `${text}${gap}${TEXT}` }
  },
}

/** True for a pattern of the folder, also one that includes it: its author has decided. */
function hasEntry(text: string): boolean {
  const patterns = text.split('\n').map((line) => line.trimEnd())
  return patterns.some((pattern) =>
    new RegExp(`^!?(?:\\*\\*/|/)?${EVAL_RESULTS_FOLDER}/?$`).test(pattern),
  )
}
