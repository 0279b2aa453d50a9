import type { Manifest, SecretUse } from '../../core/skills/manifest/manifest.ts'
import { getSecretUse } from '../../core/skills/manifest/secret-use.ts'
import { toPrintable } from '../../util/printable.ts'

/** Permissions of a skill, one sentence each. */
export function describePermissions(
  manifest: Pick<Manifest, 'kind' | 'permissions'>,
): readonly string[] {
  if (manifest.kind === 'instruction') return ['Runs no code']
  const { permissions } = manifest
  const { network, secrets } = permissions
  return [
    ...(network.length === 0 ? ['Has no network'] : network.map(describeNetworkEntry)),
    ...(secrets.length === 0
      ? ['Gets no secrets']
      : secrets.map((name) => describeSecret(name, getSecretUse(permissions, name)))),
  ]
}

/** Says where the value of a secret is, which a user has to know before the name is given one. */
function describeSecret(name: string, use: SecretUse | undefined): string {
  const subject = `The secret ${toPrintable(name)}`
  if (!use) return `${subject} is inside of the sandbox, as an environment variable`
  return `${subject} is sent only to ${toPrintable(use.hosts.join(' and '))}, in ${toPrintable(use.in.join(', '))}`
}

function describeNetworkEntry(entry: string): string {
  const shown = toPrintable(entry)
  if (/^(?:\*|https?:\/\/\*)$/.test(shown)) return 'May connect to any host'
  const [, scheme, host = '', port] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/:]+)(?::(\d+))?\/?$/i.exec(shown) ?? []
  if (scheme === undefined) return `May connect to the destinations of "${shown}"`
  const onPort = port === undefined ? '' : ` on port ${port}`
  if (host.startsWith('*.')) return `May connect to ${scheme} hosts under ${host.slice(2)}${onPort}`
  return `May connect to ${host} over ${scheme}${onPort}`
}
