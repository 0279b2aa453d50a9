/** Rules for installations; one row each, as in the table of all settings. */
export const INSTALL_KEYS = [
  {
    key: 'install.require_signature',
    field: ['install', 'requireSignature'],
    type: 'flag',
    description:
      'Install only skills with a signature of a trusted key; true in one file is enough',
    default: false,
  },
  {
    key: 'install.sources',
    field: ['install', 'sources'],
    type: 'texts',
    description:
      'Install only from sources that match one of these patterns: "github:acme/*". Lists of several files must all match',
    default: [],
  },
] as const

/** A setting that may only restrict: each layer adds to those before it, and none lifts them. */
export function combineRestriction(key: string, before: unknown, value: unknown): unknown {
  if (key === 'install.require_signature') return before === true || value === true
  if (key === 'install.sources') return [...((before ?? []) as unknown[]), value]
  return value
}
