import { isIP } from 'node:net'
import { classifyAddress } from '../../../src/core/sandbox/egress/special-address.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual } from './expect.ts'

/** Addresses as resolvers return them: no special one may pass as public. */
export const target: FuzzTarget = {
  name: 'addresses',
  format: 'text',
  seeds: [
    '127.0.0.1',
    '8.8.8.8',
    '::ffff:10.0.0.1',
    '2606:4700::1111',
    'fd00::1',
    '64:ff9b::a00:1',
  ],
  words: [
    '127',
    '10',
    '192.168',
    '172.16',
    '169.254',
    '100.64',
    '0.0.0.0',
    '255',
    '224',
    '::',
    ':',
    '::ffff:',
    'fe80::',
    'fc00::',
    '2002:',
    '2001:',
    '64:ff9b::',
    'ff02::',
    '%eth0',
    '.',
    '1',
  ],
  open(isPlanted) {
    return (input) => {
      const address = input.toString('latin1')
      const found = classifyAddress(address)
      // The planted bug: a mapped address counts as public.
      const isPublic = isPlanted && /^::ffff:/i.test(address) ? true : found === undefined
      if (isIP(address) === 4) expectEqual(!isPublic, isSpecialV4(address), `${address} is special`)
      else if (isIP(address) === 6 && isPublic) expectEqual(isSpecialV6(address), false, address)
      else if (isIP(address) === 0) expectEqual(isPublic, false, 'a text that is no address')
    }
  },
}

/** Blocks of the IANA registry that are not globally reachable, as numbers. */
const BLOCKS_V4: readonly (readonly [string, number])[] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
  ] as const),
  ...([
    ['192.31.196.0', 24],
    ['192.52.193.0', 24],
    ['192.88.99.0', 24],
  ] as const),
  ...([
    ['192.168.0.0', 16],
    ['192.175.48.0', 24],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const),
  ...([
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
  ] as const),
]

function isSpecialV4(address: string): boolean {
  return BLOCKS_V4.some(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(toNumber(address) / size) === Math.floor(toNumber(network) / size)
  })
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

/** Only 2000::/3 is public, without documentation, tunnels and protocol assignments. */
function isSpecialV6(address: string): boolean {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`)
  const [first = '0', second = '0'] = hostname.slice(1, -1).split(':')
  const [high, low] = [Number.parseInt(first || '0', 16), Number.parseInt(second || '0', 16)]
  if (high >> 13 !== 1) return true
  if (high === 0x2001 && low < 0x200) return true
  if (high === 0x2001 && low === 0xdb8) return true
  return high === 0x2002 || (high === 0x3fff && low < 0x1000)
}
