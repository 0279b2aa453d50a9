import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lintFolder, writeExample } from './rule-examples.ts'
import type { RuleExample } from '../../src/core/lint/rule.ts'

/** Findings of some rules for a skill: `file:line:column id: message`, with the matching text. */
export async function lintFindings(
  example: RuleExample,
  ids: readonly string[],
): Promise<{ text: string; severity: string; at: string | undefined; help: string | undefined }[]> {
  const root = writeExample(example)
  const { findings, failures } = await lintFolder(root)
  if (failures.length > 0) throw new Error(failures.map((each) => each.message).join('\n'))
  return findings
    .filter(({ rule }) => ids.some((id) => rule === id || rule.startsWith(`${id}/`)))
    .map((finding) => ({
      text: `${finding.rule}: ${finding.message}`,
      severity: finding.severity,
      at: textAt(join(finding.skill, finding.file), finding),
      help: finding.help,
    }))
}

function textAt(
  file: string,
  { start, end }: { start: Place | undefined; end: Place | undefined },
): string | undefined {
  if (!start || !end) return undefined
  const text = readFileSync(file, 'utf8')
  return text.slice(offsetOf(text, start), offsetOf(text, end))
}

interface Place {
  line: number
  column: number
}

function offsetOf(text: string, { line, column }: Place): number {
  let at = 0
  for (let each = 1; each < line; each++) at = text.indexOf('\n', at) + 1
  return at + column - 1
}

/** A file of the skill after the fixes of some rules, optionally with unsafe ones. */
export async function lintFixedFile(
  example: RuleExample,
  { file, unsafe = false }: { file: string; unsafe?: boolean },
): Promise<string> {
  const root = writeExample(example)
  const { failures } = await lintFolder(root, { fix: { unsafe, preview: false } })
  if (failures.length > 0) throw new Error(failures.map((each) => each.message).join('\n'))
  return readFileSync(join(root, 'greet', file), 'utf8')
}
