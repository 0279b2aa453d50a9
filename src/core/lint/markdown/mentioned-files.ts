import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LintedSkill } from '../rule.ts'
import { decodePercents } from '../../../util/text/decode-percents.ts'

/** True for targets with parts that a reader replaces: `{baseDir}/a.md`, `$HOME`, `<path>`, `url`. */
export function isPlaceholderTarget(target: string): boolean {
  const text = decodePercents(target)
  return (
    /[{}<>$*[\]\u2026|]|\.\.\.|%[sd]/.test(text) ||
    /(?:^|\/)(?:path[/_-]to|xxx+|foo|your[-_][^/]*)(?:[/._-]|$)/i.test(text) ||
    /^(?:url|link|path|file|filename|image|src|href|target|page|address)(?:[-_ ]?[a-z0-9]+)?$/i.test(
      text,
    )
  )
}

const WRITING =
  /\b(?:writ(?:e|es|ing|ten)|sav(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)|outputs?|produc(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|export(?:s|ed)?|append(?:s|ed)?|record(?:s|ed)? (?:in|to))\b[^.!?\n]{0,120}$/i
const READING =
  /\b(?:see|read|refer|consult|follow|check|open|load|run|using|use|from|with|details?|guide)\b/i

/** True if the words before a mention say that the reader writes the file. */
export function isWrittenByReader(text: string, at: number): boolean {
  const lead = WRITING.exec(readLead(text, at))?.[0]
  return lead !== undefined && !READING.test(lead)
}

/** True if the words before a mention introduce an example. */
export function isExample(text: string, at: number): boolean {
  return /\bexamples?\*{0,2}:|\be\.g\.|\bi\.e\.|\bfor (?:example|instance)\b|\bsuch as\b|\bwould\b/i.test(
    readLead(text, at),
  )
}

/** Text around a mention that is searched for placeholders. */
const TEMPLATE_REACH = 400
const MIN_PLACEHOLDERS = 3

/** True if the text around a mention is a form to fill in, such as "**Purpose**: [What it does]". */
export function isInTemplate(text: string, at: number): boolean {
  const around = text.slice(Math.max(0, at - TEMPLATE_REACH), at + TEMPLATE_REACH)
  const found = around.match(/(?<![\]!`])\[[A-Z][A-Za-z0-9 ,/.'-]{2,60}\](?![([:`])/g)
  return (found?.length ?? 0) >= MIN_PLACEHOLDERS
}

/** Text of the line up to an offset. */
function readLead(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return text.slice(Math.max(start, at - 400), at)
}

/** Folders above a skill in which a path of the project may be. */
const MAX_PARENTS = 8

/** True if a relative path leads to a file of the project around a skill. */
export function isFileOfProject({ dir, staysInside }: LintedSkill, path: string): boolean {
  if (staysInside) return false
  let folder = dir
  for (let count = 0; count < MAX_PARENTS && folder !== dirname(folder); count++) {
    folder = dirname(folder)
    if (existsSync(join(folder, path))) return true
  }
  return false
}
