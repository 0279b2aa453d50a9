import { LineIndex } from '../../util/line-index.ts'
import { maskSource } from '../lint/secrets/mask-secrets.ts'
import type { ComparedSide } from './compared-side.ts'
import type { DifferenceCode, RawDifference } from './difference.ts'
import { createHunks } from './text-hunks.ts'
import { listTexts } from './list-texts.ts'

/** Texts that a model reads: the body of SKILL.md and all documents, without tests and evals. */
export function compareInstructions(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [listInstructions(before), listInstructions(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort()
  return paths.flatMap((path) => compareTexts(path, old.get(path), now.get(path)))
}

/** True for documents; the reports of other files have no text. */
export function isInstruction(path: string): boolean {
  return (
    !/(?:^|\/)requirements[^/]*$/.test(path) &&
    /\.(?:md|markdown|mdx|txt|rst|adoc)$/i.test(path) &&
    !/^(?:tests|evals)\//.test(path)
  )
}

interface Instruction {
  text: string
  /** Line of the file at which the text begins. */
  firstLine: number
}

function listInstructions({ skill }: ComparedSide): Map<string, Instruction> {
  const found = new Map<string, Instruction>()
  for (const { path, text } of listTexts(skill)) {
    if (!isInstruction(path)) continue
    const masked = maskSource(path, text)
    const start = path === 'SKILL.md' ? (skill.markdown?.bodyStart ?? 0) : 0
    const firstLine = new LineIndex(masked).positionAt(start).line
    found.set(path, { text: masked.slice(start), firstLine })
  }
  return found
}

function compareTexts(
  path: string,
  old: Instruction | undefined,
  now: Instruction | undefined,
): RawDifference[] {
  if (old?.text === now?.text) return []
  const { text: was, firstLine: before } = old ?? NO_TEXT
  const { text: is, firstLine: after } = now ?? NO_TEXT
  const { hunks, linesLeftOut } = createHunks(was, is, { before, after })
  const line = hunks[0]?.[now ? 'afterLine' : 'beforeLine'] ?? 1
  const side = now ? ('after' as const) : ('before' as const)
  const place = { side, path, start: { line, column: 1 } }
  const code = classifyChange(old, now)
  return [{ code, subject: path, place, hunks, ...(linesLeftOut > 0 && { linesLeftOut }) }]
}

const NO_TEXT: Instruction = { text: '', firstLine: 1 }

function classifyChange(
  old: Instruction | undefined,
  now: Instruction | undefined,
): DifferenceCode {
  if (!old) return 'instructions/added'
  if (!now) return 'instructions/removed'
  const isReflowed = collapseBlanks(old.text) === collapseBlanks(now.text)
  return isReflowed ? 'instructions/reflowed' : 'instructions/changed'
}

function collapseBlanks(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
