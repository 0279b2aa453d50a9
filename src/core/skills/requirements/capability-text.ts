import type { Capability, CapabilityKind } from '../manifest/capabilities.ts'

/** Starts of sentences about a right, by kind. */
const CAPABILITY_TEXTS: Readonly<Record<CapabilityKind, string>> = {
  code: 'runs code of the language',
  host: 'connects to',
  secret: 'reads the secret',
  dependencies: 'uses packages of',
  permission: 'has the permission',
  tool: 'may use the tool',
}

/** A right as the rest of a sentence about its skill. */
export function describeCapability({ kind, value }: Capability): string {
  if (kind !== 'secret') return `${CAPABILITY_TEXTS[kind]} ${value}`
  const isSentOnly = /^\w+ only to /.test(value)
  return isSentOnly
    ? `sends the secret ${value}`
    : `${CAPABILITY_TEXTS[kind]} ${value}, which is inside of the sandbox`
}
