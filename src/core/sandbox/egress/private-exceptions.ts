import { BlockList, isIP } from 'node:net'
import { parseNetworkEntry } from '../../skills/manifest/network-entry.ts'

/** Special addresses that the operator allows. */
export interface PrivateExceptions {
  allows(host: string, address: string, port: number): boolean
}

/** A host or an address range, with an optional port. */
interface PrivateException {
  host: string | undefined
  addresses: BlockList | undefined
  port: number | undefined
}

/** Parses `run.network.allow_private`. Returns the first invalid text as `wrong`. */
export function parsePrivateExceptions(
  texts: readonly string[],
): PrivateExceptions | { wrong: string } {
  const exceptions: PrivateException[] = []
  for (const text of texts) {
    const exception = parseAddressRange(text) ?? parseHostException(text)
    if (!exception) return { wrong: text }
    exceptions.push(exception)
  }
  return {
    allows: (host, address, port) =>
      exceptions.some(
        (each) =>
          (each.port ?? port) === port &&
          (each.host === host ||
            each.addresses?.check(address, getAddressFamily(address)) === true),
      ),
  }
}

function parseAddressRange(text: string): PrivateException | undefined {
  const [network = '', prefix, ...rest] = text.split('/')
  if (prefix === undefined || rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return undefined
  const family = isIP(network)
  if (family === 0 || Number(prefix) > (family === 6 ? 128 : 32)) return undefined
  const addresses = new BlockList()
  addresses.addSubnet(network, Number(prefix), getAddressFamily(network))
  return { host: undefined, addresses, port: undefined }
}

function parseHostException(text: string): PrivateException | undefined {
  const authority = isIP(text) === 6 ? `[${text}]` : text
  const parsed = /[/?#]/.test(text) ? undefined : parseNetworkEntry(`http://${authority}`)
  if (!parsed || 'problem' in parsed || parsed.wildcard) return undefined
  const port = /[^:]:\d+$/.test(authority) && !authority.endsWith(']') ? parsed.port : undefined
  if (isIP(parsed.host) === 0) return { host: parsed.host, addresses: undefined, port }
  const addresses = new BlockList()
  addresses.addAddress(parsed.host, getAddressFamily(parsed.host))
  return { host: undefined, addresses, port }
}

function getAddressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
