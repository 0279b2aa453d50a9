import { defineSettings } from './define-settings.ts'

/** Settings of installations. */
export const INSTALL_KEYS = defineSettings([
  {
    key: 'install.require_signature',
    setBy: 'project',
    type: 'flag',
    description:
      'Install only skills with a signature of a trusted key; true in one file is enough',
    default: false,
  },
  {
    key: 'install.sources',
    setBy: 'project',
    type: 'texts',
    description:
      'Install only from sources that match one of these patterns: "github:acme/*". Lists of several files must all match',
    default: [],
  },
  {
    key: 'install.vet',
    setBy: 'user',
    type: 'text',
    description:
      'Vet skills before they are installed or updated: read them for what harms users, run them with bait as well, or do neither',
    choices: ['off', 'read', 'run'],
    default: 'read',
  },
  {
    key: 'install.agents',
    setBy: 'project',
    type: 'texts',
    description:
      'Link installed skills for these agents, unless --agent names others: "claude-code", or "detected" for all that are used on this machine',
    default: [],
  },
  {
    key: 'trust.sigstore_root',
    setBy: 'user',
    type: 'path',
    description:
      "File with trusted roots of sigstore, which attestations are checked with, only in the user's configuration (default: attestations are not checked)",
    default: undefined,
  },
])

/** A setting that may only restrict: each layer adds to those before it, and none lifts them. */
export function combineRestriction(key: string, before: unknown, value: unknown): unknown {
  if (key === 'install.require_signature') return before === true || value === true
  if (key === 'install.sources') return [...((before ?? []) as unknown[]), value]
  return value
}
