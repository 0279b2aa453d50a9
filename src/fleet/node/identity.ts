import { hostname } from 'node:os'
import { randomBytes } from 'node:crypto'

/** A node of the fleet, as all of its messages name it. */
export interface NodeIdentity {
  name: string
  /** Drawn at each start, so that a restarted node is recognized. */
  start: string
}

export function createIdentity(name: string): NodeIdentity {
  return { name, start: randomBytes(6).toString('hex') }
}

/** The name of this machine, in the characters of a node's name. */
export function deriveNodeName(): string {
  const name = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32)
  return name === '' ? 'node' : name
}
