import { isLoopbackHost } from '../../../../util/loopback-host.ts'
import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { locateInToml, quoteValue, replaceTomlValue, toTomlString } from '../../skill-facts.ts'
import { parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

export const PLAIN_HTTP: Rule = {
  id: 'permissions/plain-http',
  severity: 'warning',
  what: 'A network entry allows http without encryption',
  why: 'Anyone on the network path can read and change the data.',
  example: createNetworkExample('http://api.example.com'),
  fix: 'Use https.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const [index, entry] of skill.manifest.permissions.network.entries()) {
      const parsed = parseNetworkEntry(entry)
      if ('problem' in parsed || parsed.scheme !== 'http' || isLoopbackHost(parsed.host)) continue
      report({
        ...locateInToml(skill, ['permissions', 'network', index]),
        message: `${quoteValue(entry)} is not encrypted, expected https`,
        help: 'Write https:// instead',
        edits: replaceTomlValue(
          skill,
          ['permissions', 'network', index],
          toTomlString(entry.replace(/^http:/i, 'https:')),
        ),
        unsafe: true,
      })
    }
  },
}
