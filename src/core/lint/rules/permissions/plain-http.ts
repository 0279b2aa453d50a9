import type { Rule } from '../../rule.ts'
import { networkExample } from '../../example-skill.ts'
import { inToml, quote, replaceToml, tomlText } from '../../skill-facts.ts'
import { parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

export const PLAIN_HTTP: Rule = {
  id: 'permissions/plain-http',
  severity: 'warning',
  what: 'A network entry allows unencrypted http',
  why: 'Everybody on the way can read and change what is sent.',
  example: networkExample('http://api.example.com'),
  fix: 'Use https.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const [index, entry] of skill.manifest.permissions.network.entries()) {
      const parsed = parseNetworkEntry(entry)
      if ('problem' in parsed || parsed.scheme !== 'http' || isLocal(parsed.host)) continue
      report({
        ...inToml(skill, ['permissions', 'network', index]),
        message: `${quote(entry)} is not encrypted`,
        help: 'Write https:// instead',
        edits: replaceToml(
          skill,
          ['permissions', 'network', index],
          tomlText(entry.replace(/^http:/i, 'https:')),
        ),
        unsafe: true,
      })
    }
  },
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host.startsWith('127.')
}
