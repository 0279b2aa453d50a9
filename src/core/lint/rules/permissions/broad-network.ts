import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'
import { findSharedOwners, parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

export const BROAD_NETWORK: Rule = {
  id: 'permissions/broad-network',
  severity: 'error',
  what: 'A network entry allows hosts of unrelated owners',
  why: 'Anyone can register a name below a public suffix, so data can be sent to anyone.',
  example: createNetworkExample('https://*.com'),
  fix: 'List the host, or a domain with a single owner.',
  check(skill, report) {
    for (const [index, entry] of skill.manifest.permissions.network.entries()) {
      const parsed = parseNetworkEntry(entry)
      if ('problem' in parsed || findSharedOwners(parsed) === undefined) continue
      report({
        ...locateInToml(skill, ['permissions', 'network', index]),
        message: `${quoteValue(entry)} allows every host below "${parsed.host}", which has many owners`,
        help: 'List the hosts that the skill connects to',
      })
    }
  },
}
