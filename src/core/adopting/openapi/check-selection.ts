import { SkillsError } from '../../../errors.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { listSome } from '../../../util/join-text.ts'
import { toPrintable } from '../../../util/printable.ts'
import { cleanText } from '../script-interface.ts'
import { listSelectors, type ApiOperation, type OperationFilter } from './list-operations.ts'
import { invalidDocument, type ApiObject } from './read-document.ts'

/** Limit on operations of a skill: a model reads all of them. */
const MAX_OPERATIONS = 40

/** Refuses operations and tags that the document does not have: a misspelt one would be missed. */
export function checkSelection(document: ApiObject, filter: OperationFilter): void {
  const known = listSelectors(document)
  for (const [kind, noun] of [
    ['operations', 'operation'],
    ['tags', 'tag'],
  ] as const) {
    const unknown = filter[kind].find((each) => !known[kind].includes(each))
    if (unknown === undefined) continue
    const near = findNearest(unknown, known[kind])
    const list = known[kind].length === 0 ? `none` : listShownNames(known[kind])
    throw new SkillsError('usage/invalid', `The document has no ${noun} "${unknown}"`, {
      hint:
        near === undefined ? `Its ${noun}s are: ${list}` : `Did you mean "${toPrintable(near)}"?`,
    })
  }
}

/** Refuses a selection without an operation, and one that is too large for a skill. */
export function checkCount(
  document: ApiObject,
  operations: readonly ApiOperation[],
  [reason]: readonly string[],
): void {
  if (operations.length === 0) throw noOperationError(reason)
  if (operations.length <= MAX_OPERATIONS) return
  const { tags } = listSelectors(document)
  const some = operations.slice(0, 3).map(({ command }) => command.name)
  const byName = `--operation ${some.join(' --operation ')}`
  throw new SkillsError(
    'usage/invalid',
    `The document has ${operations.length} operations, and a skill has at most ${MAX_OPERATIONS}`,
    {
      hint:
        tags.length === 0
          ? `Select some, such as ${byName}`
          : `Select some, such as ${byName}, or with --tag, of the tags ${listShownNames(tags)}`,
    },
  )
}

function noOperationError(reason: string | undefined): SkillsError {
  if (reason === undefined) {
    return invalidDocument(
      'The document has no operation that a program calls: its "paths" are empty',
      'Name a document with operations, such as GET /pets',
    )
  }
  return invalidDocument(
    `No operation can be called: ${reason}`,
    reason.includes('--server')
      ? 'Add the address of the API, such as --server https://api.example.com'
      : 'Select others with --operation or --tag',
  )
}

function listShownNames(names: readonly string[]): string {
  return toPrintable(listSome(names.map((name) => cleanText(name, 60))))
}
