import { flagField, nameField } from '../../document/field.ts'
import { numberedTableField, numberField } from '../../document/numbered-table.ts'
import { listToolCalls, type RecordedToolCall } from './record.ts'
import { defineExpectation, type Judgement } from '../expectation.ts'
import { judgePart, VALUE_CONDITIONS, type ValueCondition } from '../result.ts'
import { judgeText, oneOrMoreTextsField } from '../text-condition.ts'

export const TOOL_RESULT = defineExpectation({
  name: 'tool_result',
  summary: 'The result of a tool call of a conversation, or a part of it',
  example: '{ tool_result = { call = 1, path = "exit_code", equals = 0 } }',
  field: numberedTableField('The result of a tool call', {
    call: numberField('Number of the call in the conversation, from 1'),
    tool: nameField('Name of the called tool'),
    error: flagField('True if the result is an error'),
    contains: oneOrMoreTextsField('Texts that occur in the result as the model gets it'),
    ...VALUE_CONDITIONS,
  }),
  appliesTo: ['conversation'],
  findMismatch: ({ call = 0 }, { callCount }) =>
    call > callCount
      ? `The conversation has ${callCount} calls, but not number ${call}`
      : undefined,
  judge({ call = 0, ...condition }, { conversation, status }) {
    const found = conversation && listToolCalls(conversation)[call - 1]
    if (found) return judgeToolCall(call, found, condition)
    const got = `none, with the status "${status}"`
    return { isMet: false, expected: `a result of call ${call}`, got }
  },
})

interface ToolCondition extends ValueCondition {
  tool: string | undefined
  error: boolean | undefined
  contains: string[] | undefined
}

/** Judges the conditions in order; the first that does not hold decides. */
function judgeToolCall(
  call: number,
  found: RecordedToolCall,
  { tool, error, contains, ...condition }: ToolCondition,
): Judgement {
  const subject = `result of call ${call}`
  const judgements: Judgement[] = []
  if (tool !== undefined) {
    const expected = `call ${call} to be of ${tool}`
    judgements.push({ isMet: tool === found.tool, expected, got: found.tool })
  }
  if (error !== undefined) {
    const expected = `the ${subject} ${error ? 'to be' : 'not to be'} an error`
    judgements.push({ isMet: error === found.isError, expected, got: found.text })
  }
  if (contains) {
    const text = { contains, equals: undefined, matches: undefined }
    judgements.push(judgeText(`the ${subject}`, found.text, text))
  }
  if (Object.keys(condition).length > 0) {
    judgements.push(judgePart(subject, found.value ?? found.text, condition))
  }
  const first = judgements.find(({ isMet }) => !isMet)
  const expected = judgements.map((each) => each.expected).join(' and ')
  return first ?? { isMet: true, expected }
}
