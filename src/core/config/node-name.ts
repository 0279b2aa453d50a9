const MAX_LENGTH = 32
const END_LENGTH = 16

/**
 * Makes a valid name of a node from a host name. A long name keeps both ends, since names in a domain
 * differ at the start, and those of containers at the end.
 */
export function createNodeName(hostName: string): string {
  const name = hostName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  if (name === '') return 'node'
  if (name.length <= MAX_LENGTH) return name
  const start = name.slice(0, MAX_LENGTH - END_LENGTH - 1).replace(/-$/, '')
  return `${start}-${name.slice(-END_LENGTH).replace(/^-/, '')}`
}
