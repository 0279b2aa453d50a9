import { parseNetworkEntry } from '../../skills/manifest/network-entry.ts'
import { toList, toObject, toText } from './read-document.ts'

/** The first absolute address of a list of servers; variables have their defaults. */
export function readServer(servers: unknown): string | undefined {
  for (const each of toList(servers)) {
    const server = toObject(each)
    const variables = toObject(server['variables'])
    const url = toText(server['url']).replace(/\{([^{}]*)\}/g, (all, name: string) =>
      Object.hasOwn(variables, name) ? toText(toObject(variables[name])['default']) : all,
    )
    const found = parseServer(url)
    if (found !== undefined) return found
  }
  return undefined
}

/** An address with a host that a manifest can allow, without a final slash. */
export function parseServer(url: string): string | undefined {
  const match = /^(https?:\/\/[^\s/?#@\\]+)((?:\/[\w.~%:@!$&'()*+,;=-]*)*)$/.exec(url)
  if (!match) return undefined
  const entry = parseNetworkEntry(match[1] ?? '')
  return 'problem' in entry || entry.wildcard ? undefined : url.replace(/\/+$/, '')
}

export function getOrigin(server: string): string {
  return /^https?:\/\/[^/]+/.exec(server)?.[0].toLowerCase() ?? ''
}
