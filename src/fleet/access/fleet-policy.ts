import type { Policy, PolicySource } from '../../core/policy/policy.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { AccessTable } from './access-table.ts'
import { parseRestrictions, POLICY_SUBJECT, type FleetRestrictions } from './stored-policy.ts'

/** The policy of a fleet, as a worker follows it. */
export interface FleetPolicy {
  /** Adds the restrictions of the fleet to a policy. It never allows more. */
  restrict(own: PolicySource): PolicySource
  close(): void
}

export async function openFleetPolicy(engine: Engine): Promise<FleetPolicy> {
  const table = await AccessTable.open(engine, POLICY_SUBJECT)
  let parsed: { message: StoredMessage; restrictions: FleetRestrictions } | undefined
  const read = (): FleetRestrictions | undefined => {
    const [message] = table.messages
    if (!message) return undefined
    if (parsed?.message !== message) parsed = { message, restrictions: parseRestrictions(message) }
    return parsed.restrictions
  }
  return {
    restrict(source) {
      // Callers compare policies, so the same parts give the same object.
      let last: { own: Policy; fleet: FleetRestrictions; policy: Policy } | undefined
      return async () => {
        const own = await source()
        const fleet = read()
        if (!fleet) return own
        if (last?.own !== own || last.fleet !== fleet) {
          last = { own, fleet, policy: addRestrictions(own, fleet) }
        }
        return last.policy
      }
    },
    close: () => table.close(),
  }
}

function addRestrictions(own: Policy, { scopes, file }: FleetRestrictions): Policy {
  return { ...own, scopes: [...own.scopes, ...scopes], files: [...own.files, file] }
}
