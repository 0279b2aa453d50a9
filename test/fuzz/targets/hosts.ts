import { isIP } from 'node:net'
import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../../../src/core/skills/manifest/network-entry.ts'
import { bracketHost, parseDestination } from '../../../src/core/sandbox/egress/destination.ts'
import { classifyAddress } from '../../../src/core/sandbox/egress/special-address.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

/** Entries of permissions.network and requested destinations, one pair per input. */
export const target: FuzzTarget = {
  name: 'hosts',
  format: 'text',
  seeds: [
    'https://a.example.com\nhttps://a.example.com:443',
    'https://*.example.com\nhttps://b.a.example.com',
    'http://[2001:DB8::1]:8080\nhttp://[2001:db8:0::1]:8080',
    'https://*.ample.com\nhttps://a.ample.com',
    'https://10.0.0.1:8443\nhttps://example.com',
    'http://localhost:80/\nhttp://LOCALHOST',
  ],
  words: [
    'https://',
    'http://',
    '*.',
    ':443',
    ':80',
    ':0',
    ':65536',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '@',
    '.',
    '..',
    '-',
    '_',
    'xn--',
    '%2e',
    '[fe80::1%25eth0]',
    '。',
    '\u00AD',
    'example.com',
    '//ex',
    '/',
    '?',
    '#',
    '\\',
    '169.254.169.254',
  ],
  open(isPlanted) {
    // The planted bug: a wildcard that matches the end of a text instead of whole labels.
    const covers = isPlanted ? coversEnd : coversEntry
    return (input) => {
      const [wide = '', narrow = ''] = input.toString('utf8').split('\n')
      const entries = [wide, narrow].map(checkEntry)
      for (const each of [wide, narrow]) checkDestination(each.replace(/^https?:\/\//, ''))
      const [outer, inner] = entries
      if (outer && inner) expectEqual(covers(outer, inner), coversSimply(outer, inner), 'cover')
    }
  },
}

function checkEntry(text: string): NetworkEntry | undefined {
  const entry = parseNetworkEntry(text)
  if ('problem' in entry) {
    expectThat(entry.problem !== '', 'a problem has words')
    return undefined
  }
  const { scheme, host, wildcard, port } = entry
  const written = `${scheme}://${wildcard ? '*.' : ''}${bracketHost(host)}:${port}`
  expectEqual(parseNetworkEntry(written), entry, 'the entry as printed')
  if (!wildcard) checkAgainstUrl(text, entry)
  return entry
}

/** Whatever is accepted, a browser reads as the same host and port. */
function checkAgainstUrl(text: string, { host, port, scheme }: NetworkEntry): void {
  // A browser rejects labels that are not valid Punycode; DNS compares them as they are.
  if (/(?:^|\.)xn--/.test(host)) return
  const url = new URL(text)
  const port0 = url.port === '' ? { http: 80, https: 443 }[scheme] : Number(url.port)
  expectEqual(url.hostname, new URL(`http://${bracketHost(host)}`).hostname, 'the host of the URL')
  if (isIP(host) !== 6) expectEqual(url.hostname, host, 'the host')
  expectEqual(port0, port, 'the port')
  if (isIP(host) !== 0) expectThat(typeof (classifyAddress(host) ?? '') === 'string', 'a class')
}

function checkDestination(authority: string): void {
  const parsed = parseDestination('https', authority)
  if ('reason' in parsed) return
  const { host, port } = parsed
  expectEqual(parseDestination('https', `${bracketHost(host)}:${port}`), parsed, 'the destination')
}

/** By whole labels, from the last one on. */
function coversSimply(wide: NetworkEntry, narrow: NetworkEntry): boolean {
  if (wide.scheme !== narrow.scheme || wide.port !== narrow.port) return false
  if (wide.wildcard === narrow.wildcard && wide.host === narrow.host) return true
  if (!wide.wildcard) return false
  const outer = wide.host.split('.').toReversed()
  const inner = narrow.host.split('.').toReversed()
  return outer.every((label, at) => label === inner[at]) && inner.length > outer.length
}

function coversEnd(wide: NetworkEntry, narrow: NetworkEntry): boolean {
  return coversEntry(wide, narrow) || (wide.wildcard && narrow.host.endsWith(wide.host))
}
