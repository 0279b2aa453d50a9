import { isText } from '../../../util/mime.ts'
import { dropPartialCharacter } from './mime-type.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** Left of the budget of one request. A command searches more. */
export interface SearchBudget {
  bytes: number
  lines: number
  /** True if something was not searched, or not returned. */
  isCut: boolean
}

/** The beginning of a larger file is searched; runtime.queryOutput searches all of one file. */
const MAX_FILE_BYTES = 4 * 1024 ** 2
const MAX_LINE = 500

export function createSearchBudget(): SearchBudget {
  return { bytes: 64 * 1024 ** 2, lines: 200, isCut: false }
}

/** Lines of a text file that contain a text, ignoring case. Takes from the budget. */
export function searchFile(
  tree: WorkspaceTree,
  { path, text }: { path: string; text: string },
  budget: SearchBudget,
): { line: number; text: string }[] {
  const read = tree.read(path, Math.min(budget.bytes, MAX_FILE_BYTES))
  if (!read) return []
  budget.bytes -= read.bytes.length
  if (!isText(dropPartialCharacter(read.bytes))) return []
  if (read.size > read.bytes.length) budget.isCut = true
  const wanted = text.toLowerCase()
  const found: { line: number; text: string }[] = []
  for (const [at, line] of read.bytes.toString('utf8').split('\n').entries()) {
    if (!line.toLowerCase().includes(wanted)) continue
    if (budget.lines <= 0) {
      budget.isCut = true
      break
    }
    budget.lines -= 1
    found.push({ line: at + 1, text: line.slice(0, MAX_LINE) })
  }
  return found
}
