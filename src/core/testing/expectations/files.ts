import { compileGlob } from '../../../util/glob/glob.ts'
import {
  filledTableField,
  flagField,
  nameField,
  oneOrMoreField,
  type FieldValues,
} from '../document/field.ts'
import type { WorkspaceChanges } from './case-record.ts'
import { defineExpectation, type Judgement } from './expectation.ts'

const CHANGES = ['created', 'changed', 'deleted', 'untouched'] as const
type ChangeKind = (typeof CHANGES)[number]

const globs = (what: string) =>
  oneOrMoreField(
    `Paths of files that the run ${what}; * matches within a folder, ** across`,
    nameField('A path or a pattern'),
  )

const FIELDS = {
  created: globs('created'),
  changed: globs('changed'),
  deleted: globs('deleted'),
  untouched: globs('left as they were'),
  only: flagField('True if the run created, changed and deleted no other file'),
}

export const FILES = defineExpectation({
  name: 'files',
  summary: 'Files of the workspace that the run created, changed, deleted or left as they were',
  example: '{ files = { created = ["out/report.md"], only = true } }',
  field: filledTableField('Files of the workspace after the run', FIELDS),
  needs: () => ['workspace'],
  judge(value, { files, status }) {
    if (!files.isKnown) {
      return { isMet: false, expected: 'a workspace', got: `the status "${status}"` }
    }
    for (const kind of CHANGES) {
      const missing = value[kind]?.find((glob) => !files[kind].some(compileGlob(glob)))
      if (missing !== undefined) {
        return {
          isMet: false,
          expected: `${describeKind(kind)} "${missing}"`,
          got: describeChanges(files),
        }
      }
    }
    return judgeOthers(value, files)
  },
})

/** With `only`, every created, changed or deleted file fits a pattern. */
function judgeOthers(value: FieldValues<typeof FIELDS>, files: WorkspaceChanges): Judgement {
  const expected = 'the listed changes of files'
  if (value.only !== true) return { isMet: true, expected }
  const others = CHANGES.filter((kind) => kind !== 'untouched').flatMap((kind) => {
    const tests = (value[kind] ?? []).map(compileGlob)
    return files[kind]
      .filter((path) => !tests.some((fits) => fits(path)))
      .map((path) => `${path} (${kind})`)
  })
  return {
    isMet: others.length === 0,
    expected: `no other changes of files`,
    ...(others.length > 0 && { got: others.join(', ') }),
  }
}

function describeKind(kind: ChangeKind): string {
  return kind === 'untouched' ? 'an untouched file' : `a ${kind} file`
}

const MAX_SHOWN = 10

function describeChanges(files: WorkspaceChanges): string {
  const lists = CHANGES.filter((kind) => files[kind].length > 0).map((kind) => {
    const shown = files[kind].slice(0, MAX_SHOWN).join(', ')
    const more = files[kind].length - MAX_SHOWN
    return `${kind}: ${shown}${more > 0 ? ` and ${more} more` : ''}`
  })
  return lists.length === 0 ? 'no files' : lists.join('; ')
}
