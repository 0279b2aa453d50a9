import {
  countField,
  listField,
  nameField,
  requiredField,
  tableField,
  textField,
} from '../document/field.ts'
import type { FakeCall } from './case-record.ts'
import { defineExpectation } from './expectation.ts'

export const CALLS = defineExpectation({
  name: 'calls',
  summary: 'Calls of a fake command; without times, at least one',
  example: '{ calls = { command = "git", args = ["status"], times = 1 } }',
  field: tableField('Calls of a fake command', {
    command: requiredField(nameField('Name of the command')),
    args: listField('All arguments of the call', textField('An argument')),
    times: countField('Number of calls'),
  }),
  needs: () => ['workspace'],
  judge({ command = '', args, times }, { calls }) {
    const found = calls.filter((call) => call.command === command && fits(call, args))
    const call = formatCall({ command, args: args ?? [] })
    const isMet = times === undefined ? found.length > 0 : found.length === times
    const count = times === undefined ? 'a call' : `${times} ${times === 1 ? 'call' : 'calls'}`
    const got = calls.length === 0 ? 'no calls' : calls.map(formatCall).join('; ')
    return { isMet, expected: `${count} of ${call}`, got }
  },
})

function fits(call: FakeCall, args: readonly string[] | undefined): boolean {
  return (
    args === undefined ||
    (args.length === call.args.length && args.every((each, at) => each === call.args[at]))
  )
}

function formatCall({ command, args }: FakeCall): string {
  return [command, ...args]
    .map((word) => (/^[\w./=-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ')
}
