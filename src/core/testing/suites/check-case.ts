import type { Expectation, JudgedAction } from '../expectations/expectation.ts'
import type { Place } from '../document/problems.ts'
import type { CaseAction } from './suite.ts'

/** Keys that select a kind of action, for messages. */
const KEYS: Readonly<Record<CaseAction['kind'], string>> = {
  skill: '"args"',
  code: '"code"',
  command: '"command" or "program"',
  conversation: '"conversation"',
}

/** Refuses expectations and inputs that mean nothing for the action of a case. */
// eslint-disable-next-line max-params -- the action, the other values, and the place
export function checkCase(
  action: CaseAction,
  { expect = [], blobs }: { expect?: readonly Expectation[] | undefined; blobs?: unknown },
  place: Place,
): void {
  if (action.kind === 'conversation' && blobs !== undefined) {
    const help = 'A conversation stores blobs by calls of create_blob'
    place.at('blobs').refuse('The key "blobs" has no effect here', { what: 'key', help })
  }
  const judged = describeAction(action)
  for (const [at, { kind, value }] of expect.entries()) {
    const own = place.at('expect').at(at).at(kind.name)
    if (kind.appliesTo && !kind.appliesTo.includes(action.kind)) {
      const keys = kind.appliesTo.map((each) => KEYS[each]).join(' or ')
      const message = `The expectation "${kind.name}" does not apply to a case with ${KEYS[action.kind]}`
      own.refuse(message, { what: 'key', help: `It applies to a case with ${keys}` })
      continue
    }
    const mismatch = kind.findMismatch?.(value, judged)
    if (mismatch !== undefined) own.refuse(mismatch)
  }
}

/** Refuses a file that is also the folder of another file. Returns false if there is one. */
export function checkFilePaths(paths: readonly string[], place: Place): boolean {
  const folders = new Set(paths.flatMap(listFoldersAbove))
  const path = paths.find((each) => folders.has(each))
  if (path === undefined) return true
  const help = 'Rename the file or the folder'
  place.refuse(`The file "${path}" of the workspace is also a folder with files`, { help })
  return false
}

function listFoldersAbove(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'))
}

function describeAction(action: CaseAction): JudgedAction {
  if (action.kind !== 'conversation') return { kind: action.kind, requestCount: 0, callCount: 0 }
  const { kind, turns } = action
  const isOpen = (turns.at(-1)?.calls.length ?? 0) > 0
  return {
    kind,
    requestCount: turns.length + (isOpen ? 1 : 0),
    callCount: turns.reduce((sum, { calls }) => sum + calls.length, 0),
  }
}
