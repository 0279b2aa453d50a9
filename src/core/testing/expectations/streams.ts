import { textConditionField, judgeText } from './text-condition.ts'
import { defineExpectation, type ExpectationKind } from './expectation.ts'

/** Texts that a run prints. */
const STREAMS = {
  stdout: 'The standard output of a program',
  stderr: 'The standard error of a program',
  logs: 'The log lines of a function: [level] text',
} as const

/** One expectation for each text that a run prints. */
export const STREAM_EXPECTATIONS: readonly ExpectationKind[] = Object.entries(STREAMS).map(
  ([name, summary]) =>
    defineExpectation({
      name,
      summary,
      example: `{ ${name} = { contains = "done" } }`,
      field: textConditionField,
      appliesTo: name === 'logs' ? ['skill', 'code', 'conversation'] : ['command'],
      judge: (condition, record) =>
        judgeText(`the ${name}`, record[name as keyof typeof STREAMS], condition),
    }),
)
