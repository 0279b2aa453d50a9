import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Place, SuiteProblem } from '../../core/testing/document/problems.ts'
import type { UnmappedPart } from './eval-case.ts'
import { mapToolName } from './tool-names.ts'
import type { CallPattern } from './eval-case.ts'

/** Names of environment variables that a case may set. */
export const EVAL_VARIABLE = /^EVAL_[A-Z0-9_]+$/

/** Collects the parts of one file without an equivalent. */
export class UnmappedParts {
  readonly parts: UnmappedPart[] = []

  add(place: Place, message: string): void {
    this.parts.push({ file: place.file, position: place.position, message })
  }
}

/** Finds a file of a skill; paths and links that lead out of its folder are mistakes. */
export function findCaseFile(path: string, place: Place, folder: string): string | undefined {
  const base = dirname(place.file)
  const candidates = [base, ...(basename(base) === 'graders' ? [dirname(base)] : []), folder].map(
    (each) => resolve(each, path),
  )
  const found = candidates.find((each) => lstatSync(each, { throwIfNoEntry: false }))
  if (found === undefined) {
    return place.refuse(`The file "${path}" does not exist`, {
      help: 'Write a path relative to the file, or to the folder of the skill',
    })
  }
  const inside = relative(realpathSync(folder), realpathSync(found))
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) {
    return place.refuse(`The file "${path}" is outside of the skill`)
  }
  return found
}

/** The mistake of a file or folder of evals that leads out of the skill by a link. */
export function createOutsideProblem(file: string): SuiteProblem {
  return {
    file,
    start: { line: 1, column: 1 },
    span: { start: 0, end: 0 },
    message: `"${basename(file)}" leads out of the skill`,
    help: 'Replace the link by a copy',
  }
}

/** A pattern of calls; undefined if the tool has no equivalent, which is noted. */
export function mapCallPattern(
  { tool, inputMatch }: { tool: string; inputMatch: string | undefined },
  place: Place,
  unmapped: UnmappedParts,
): CallPattern | undefined {
  const tools = mapToolName(tool)
  if (!tools) {
    unmapped.add(place, `The tool "${tool}" has no equivalent; its grader is left out`)
    return undefined
  }
  return { tools, label: tool, inputMatch }
}
