import { isIPv4 } from 'node:net'

/** True for https, and for http to this machine: nothing else may see or change the content. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/**
 * True for `localhost` and for loopback addresses, which stay on this machine. Takes the `hostname`
 * of a URL or an address. A name such as `127.evil.example` is a host of the network.
 */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '[::1]' || host === '::1') return true
  return host.startsWith('127.') && isIPv4(host)
}
