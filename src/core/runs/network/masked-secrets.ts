import { canonicalizeHost } from '../../sandbox/egress/destination.ts'
import type { MaskedSecret } from '../../sandbox/egress/masking/masked-secret.ts'
import { splitValue } from '../../sandbox/egress/masking/secret-part.ts'
import { StandInSource } from '../../sandbox/egress/masking/stand-in.ts'
import { decodePercents } from '../../../util/text/decode-percents.ts'
import type { SecretUse } from '../../skills/manifest/manifest.ts'
import { parseNetworkEntry } from '../../skills/manifest/network-entry.ts'
import { parseSecretPlace } from '../../skills/manifest/secret-use.ts'

const standIns = new StandInSource()

/** The secrets of a run: variables of its environment, and values that stay outside. */
export interface GrantedSecrets {
  /** Values, or stand-ins of masked secrets, by name. */
  variables: Readonly<Record<string, string>>
  masked: readonly MaskedSecret[]
}

/**
 * Puts a stand-in in place of each value that has hosts.
 *
 * @param scope Identifies the run, or the session whose commands share a sandbox
 */
export function maskSecrets(
  values: ReadonlyMap<string, string>,
  uses: ReadonlyMap<string, SecretUse>,
  scope: string,
): GrantedSecrets {
  const variables = new Map(values)
  const masked = [...values].flatMap(([name, value]) => {
    const use = uses.get(name)
    if (!use || value === '') return []
    const { before, part, after } = splitValue(value)
    // Clients decode the parts of an address.
    const hidden = before.includes('://') ? decodePercents(part) : part
    const secret = maskSecret({ name, value: hidden, use, scope })
    variables.set(name, before + secret.standIn + after)
    return [secret]
  })
  return { variables: Object.fromEntries(variables), masked }
}

function maskSecret(secret: {
  name: string
  value: string
  use: SecretUse
  scope: string
}): MaskedSecret {
  const { name, value, use, scope } = secret
  const hosts = use.hosts.flatMap((text) => {
    const entry = parseNetworkEntry(text)
    return 'problem' in entry ? [] : [{ ...entry, host: canonicalizeHost(entry.host) }]
  })
  const places = use.in.flatMap((text) => parseSecretPlace(text) ?? [])
  return { name, value, standIn: standIns.create(scope, name, value), hosts, places }
}

/** All values, to find them in what leaves a run. Stand-ins are no secrets. */
export function listSecretValues({
  secrets,
  masked,
}: {
  secrets: Readonly<Record<string, string>>
  masked: readonly MaskedSecret[]
}): string[] {
  const names = new Set(masked.map(({ name }) => name))
  const inside = Object.entries(secrets).flatMap(([name, value]) =>
    names.has(name) ? [] : [value],
  )
  return [...inside, ...masked.map(({ value }) => value)]
}

/**
 * The uses of the secrets of several skills. A secret that one of them declares without hosts has its
 * value in the sandbox, where all of them run.
 */
export function mergeSecretUses(
  declared: readonly {
    secrets: readonly string[]
    secretUses?: Readonly<Record<string, SecretUse>> | undefined
  }[],
): Map<string, SecretUse> {
  const uses = new Map<string, SecretUse>()
  const inside = new Set<string>()
  for (const { secrets, secretUses = {} } of declared) {
    for (const name of secrets) {
      const use = Object.hasOwn(secretUses, name) ? secretUses[name] : undefined
      if (!use) inside.add(name)
      else {
        const { hosts = [], in: places = [] } = uses.get(name) ?? {}
        uses.set(name, {
          hosts: [...new Set([...hosts, ...use.hosts])],
          in: [...new Set([...places, ...use.in])],
        })
      }
    }
  }
  for (const name of inside) uses.delete(name)
  return uses
}
