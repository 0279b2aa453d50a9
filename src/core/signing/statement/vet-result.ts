import type { JsonValue } from '../envelope/strict-json.ts'
import { formatStatement, type StatementSubject } from './statement.ts'

/** Type of the predicate for the verdict of a reading for what harms users. */
export const VET_RESULT_TYPE = 'urn:skills-protocol:vet:v1'

const VERDICTS = ['dangerous', 'suspicious', 'nothing found'] as const

export interface VetResult {
  verdict: (typeof VERDICTS)[number]
  /** Ids of the rules that found something, each once. */
  rules: readonly string[]
  /** Number of files that were read. */
  files: number
  /** Version of the tool, whose rules change. */
  toolVersion: string
}

export function formatVetResult(
  subjects: readonly StatementSubject[],
  { verdict, rules, files, toolVersion }: VetResult,
): Buffer {
  return formatStatement(VET_RESULT_TYPE, subjects, { verdict, rules, files, tool: toolVersion })
}

const MAX_RULES = 1000

export function parseVetResult(predicate: JsonValue): VetResult {
  const verdict = predicate.at('verdict')
  const found = VERDICTS.find((each) => each === verdict.value)
  if (!found) throw verdict.refuse(`one of ${VERDICTS.join(', ')}`)
  return {
    verdict: found,
    rules: predicate.at('rules').texts(MAX_RULES),
    files: predicate.at('files').count(),
    toolVersion: predicate.at('tool').text(),
  }
}
