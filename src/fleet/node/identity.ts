import { randomBytes } from 'node:crypto'

/** A node of the fleet, as all of its messages name it. */
export interface NodeIdentity {
  name: string
  /** Drawn at each start, so that a restarted node is recognized. A later start sorts after an earlier one. */
  start: string
}

export function createIdentity(name: string): NodeIdentity {
  const time = Date.now().toString(16).padStart(12, '0')
  return { name, start: time + randomBytes(4).toString('hex') }
}
