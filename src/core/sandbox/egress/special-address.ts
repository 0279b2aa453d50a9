import { BlockList, isIP } from 'node:net'
import type { SpecialAddressReason } from './decision.ts'

const METADATA = new BlockList()
for (const address of ['169.254.169.254', '169.254.170.2', '169.254.170.23', '100.100.100.200']) {
  METADATA.addAddress(address)
}
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']) {
  METADATA.addAddress(address, 'ipv6')
}
METADATA.addAddress('168.63.129.16')
METADATA.addAddress('192.0.0.192')

const RANGES: readonly (readonly [SpecialAddressReason, readonly string[]])[] = [
  ['loopback-address', ['127.0.0.0/8', '::1/128']],
  ['link-local-address', ['169.254.0.0/16', 'fe80::/10']],
  [
    'private-address',
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'],
  ],
  [
    'special-address',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/3',
      // Teredo, ORCHID and others that embed an address; documentation; 6to4.
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      '3fff::/20',
    ],
  ],
]

const BLOCKS = RANGES.map(([reason, ranges]) => [reason, createBlockList(ranges)] as const)
const GLOBAL_IPV6 = createBlockList(['2000::/3'])

/** Classifies the special use of an address; undefined for a public one. */
export function classifyAddress(address: string): SpecialAddressReason | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  // A BlockList of IPv4 addresses also matches IPv4-mapped IPv6 addresses.
  if (METADATA.check(address, family)) return 'metadata-address'
  const found = BLOCKS.find(([, block]) => block.check(address, family))
  if (found) return found[0]
  // Any other IPv6 address is mapped, translated (NAT64), multicast or unassigned.
  if (family === 'ipv6' && !GLOBAL_IPV6.check(address, 'ipv6')) return 'special-address'
  return isIP(address) === 0 ? 'special-address' : undefined
}

function createBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
