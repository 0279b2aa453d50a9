import type { CapabilityKind } from '../manifest/capabilities.ts'

/** Starts of sentences about a right, by kind. */
export const CAPABILITY_TEXTS: Readonly<Record<CapabilityKind, string>> = {
  code: 'runs code of the language',
  host: 'connects to',
  secret: 'reads the secret',
  dependencies: 'uses packages of',
  permission: 'has the permission',
  tool: 'may use the tool',
}
