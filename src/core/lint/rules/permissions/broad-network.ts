import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'
import { parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

const SHARED_SUFFIXES = new Set([
  'com',
  'org',
  'net',
  'io',
  'dev',
  'app',
  'co',
  'gov',
  'edu',
  'uk',
  'de',
  'co.uk',
  'com.au',
  'co.jp',
  'com.br',
  'github.io',
  'herokuapp.com',
  'amazonaws.com',
  's3.amazonaws.com',
  'cloudfront.net',
  'azurewebsites.net',
  'blob.core.windows.net',
  'web.app',
  'pages.dev',
  'workers.dev',
  'vercel.app',
  'netlify.app',
  'appspot.com',
  'run.app',
  'fly.dev',
  'ngrok.io',
  'ngrok-free.app',
])

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
      if ('problem' in parsed || !parsed.wildcard) continue
      if (parsed.host.includes('.') && !SHARED_SUFFIXES.has(parsed.host)) continue
      report({
        ...locateInToml(skill, ['permissions', 'network', index]),
        message: `${quoteValue(entry)} allows every host below "${parsed.host}", which has many owners`,
        help: 'List the hosts that the skill connects to',
      })
    }
  },
}
