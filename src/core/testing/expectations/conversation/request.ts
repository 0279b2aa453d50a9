import { numberedTableField, numberField } from '../../document/numbered-table.ts'
import { formatRequest } from './record.ts'
import { defineExpectation } from '../expectation.ts'
import { judgeText, TEXT_CONDITIONS } from '../text-condition.ts'

export const REQUEST = defineExpectation({
  name: 'request',
  summary:
    'A request that the model of a conversation would get: names of tools, system message and messages',
  example: '{ request = { turn = 2, contains = "# How to report" } }',
  field: numberedTableField('A request to the model', {
    turn: numberField('Number of the request, from 1'),
    ...TEXT_CONDITIONS,
  }),
  appliesTo: ['conversation'],
  findMismatch: ({ turn = 0 }, { requestCount }) =>
    turn > requestCount
      ? `The conversation has ${requestCount} requests, but not number ${turn}`
      : undefined,
  judge({ turn = 0, ...condition }, { conversation, status }) {
    const found = conversation?.turns[turn - 1]
    if (!found) {
      return { isMet: false, expected: `request ${turn}`, got: `none, with the status "${status}"` }
    }
    return judgeText(`request ${turn}`, formatRequest(found.request), condition)
  },
})
