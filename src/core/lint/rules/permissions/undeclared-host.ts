import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../../../skills/manifest/network-entry.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { createNetworkCode, createNetworkExample } from '../../example-skill.ts'
import { isOwnMachine, parseOrigin, toNetworkEntry } from '../../code/network-origin.ts'
import type { Rule } from '../../rule.ts'

export const UNDECLARED_HOST: Rule = {
  id: 'permissions/undeclared-host',
  severity: 'error',
  what: 'The code sends a request to a host that permissions.network does not list',
  why: 'A run reaches only the hosts of its list, so the request is refused.',
  example: {
    ...createNetworkExample('https://api.example.com'),
    bad: {
      ...createNetworkExample('https://api.example.com').good,
      'code/main.py': createNetworkCode('https://api.example.org'),
    },
  },
  fix: 'Add the host to permissions.network, or correct the address.',
  needsPython: true,
  check(skill, report) {
    const { network } = skill.manifest.permissions
    const allowed = network.flatMap((entry) => {
      const parsed = parseNetworkEntry(entry)
      return 'problem' in parsed ? [] : [parsed]
    })
    // An empty list has a finding of its own, and so has an entry that is not valid.
    if (network.length === 0 || allowed.length < network.length) return
    for (const { file, requests } of listCodeUses(skill)) {
      const seen = new Set<number>()
      for (const { call, origin, span } of requests) {
        const wanted = origin === undefined ? undefined : parseOrigin(origin)
        if (!wanted || isOwnMachine(origin) || seen.has(span.start)) continue
        if (allowed.some((entry) => coversEntry(entry, wanted))) continue
        seen.add(span.start)
        report({
          file,
          span,
          message: `"${call}" sends a request to "${origin}", which permissions.network does not list`,
          help:
            describeNearest(allowed, wanted) ??
            `Add "${toNetworkEntry(origin)}" to permissions.network`,
        })
      }
    }
  },
}

/** Names an entry for the same host with another scheme or port. */
function describeNearest(
  allowed: readonly NetworkEntry[],
  wanted: NetworkEntry,
): string | undefined {
  const near = allowed.find(({ host, wildcard }) => host === wanted.host && !wildcard)
  if (!near) return undefined
  const differs = near.scheme === wanted.scheme ? `the port ${near.port}` : `${near.scheme}://`
  return `The entry for this host allows ${differs} only`
}
