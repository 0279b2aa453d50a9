import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'
import { isPrivateHost, parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

export const PRIVATE_ADDRESS: Rule = {
  id: 'permissions/private-address',
  severity: 'warning',
  what: "A network entry refers to the operator's own machines",
  why: 'Private, loopback and metadata addresses are refused at run time, whatever the manifest says.',
  example: createNetworkExample('https://192.168.1.10'),
  fix: 'Use a public host; an operator can permit a private one in the configuration.',
  check(skill, report) {
    for (const [index, entry] of skill.manifest.permissions.network.entries()) {
      const parsed = parseNetworkEntry(entry)
      if ('problem' in parsed || !isPrivateHost(parsed.host)) continue
      report({
        ...locateInToml(skill, ['permissions', 'network', index]),
        message: `${quoteValue(entry)} is a private address, which is refused at run time`,
        help: 'Use a public host',
      })
    }
  },
}
