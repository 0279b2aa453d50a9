import {
  choiceField,
  countField,
  filledTableField,
  flagField,
  nameField,
} from '../document/field.ts'
import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import { defineExpectation } from './expectation.ts'

export const NETWORK = defineExpectation({
  name: 'network',
  summary: 'Attempts to reach the network; without times, at least one that fits',
  example: '{ network = { host = "example.com", allowed = false } }',
  field: filledTableField('Attempts to reach the network', {
    host: nameField('Host of the attempt'),
    port: countField('Port of the attempt'),
    scheme: choiceField('Scheme of the attempt', ['http', 'https']),
    allowed: flagField('True if the attempt was allowed'),
    times: countField('Number of attempts'),
  }),
  needs: () => ['network'],
  judge({ times, ...wanted }, { network }) {
    const found = network.filter((each) => fits(each, wanted))
    const parts = Object.entries(wanted).map(([name, value]) => `${name} ${String(value)}`)
    const isMet = times === undefined ? found.length > 0 : found.length === times
    const count = times === undefined ? 'an attempt' : `${times} attempts`
    const expected = [`${count} to reach the network`, ...parts].join(', ')
    const got =
      network.length === 0 ? 'no attempts' : network.map(({ message }) => message).join('; ')
    return { isMet, expected, got }
  },
})

function fits(
  decision: NetworkDecision,
  { host, port, scheme, allowed }: Partial<Record<keyof NetworkDecision, unknown>>,
): boolean {
  return [
    host === undefined || decision.host === host,
    port === undefined || decision.port === port,
    scheme === undefined || decision.scheme === scheme,
    allowed === undefined || decision.allowed === allowed,
  ].every(Boolean)
}
