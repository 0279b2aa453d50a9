import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BUILT_MODULES } from '../../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const WORKER = fileURLToPath(new URL('own-address-worker.ts', import.meta.url))
const OWN = ['93.184.215.14', '2a01:4f8::77'] as const
/** Belongs to no interface: a local route makes the machine accept it. */
const ROUTED = '93.184.216.34'
const SETUP = [
  'ip link set lo up',
  `ip addr add ${OWN[0]}/32 dev lo`,
  `ip -6 addr add ${OWN[1]}/128 dev lo nodad`,
  `ip route add local ${ROUTED}/32 dev lo`,
].join(' && ')
const NAMESPACE = [
  '--net',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  'sh',
  '-c',
]

const { status } = spawnSync('unshare', [...NAMESPACE, SETUP])
const reason = status === 0 ? '' : ' (not run: no network namespace with addresses can be made)'

/** Requests a name that resolves to each address, on a machine that has these addresses. */
async function requestAll(
  addresses: readonly string[],
  allowPrivate: readonly string[] = [],
): Promise<unknown> {
  const command = `${SETUP} && exec "$0" --import="$1" "$2"`
  const child = spawn('unshare', [...NAMESPACE, command, process.execPath, BUILT_MODULES, WORKER], {
    cwd: ROOT,
  })
  child.stdin.end(JSON.stringify({ addresses, allowPrivate }))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe('a listed name that resolves to a public address of this machine', () => {
  it.skipIf(reason !== '')(`is refused${reason}`, async () => {
    const addresses = [...OWN, ROUTED, `::ffff:${OWN[0]}`]
    expect(await requestAll(addresses)).toEqual({
      [OWN[0]]: 'own-address',
      [OWN[1]]: 'own-address',
      [ROUTED]: 'own-address',
      // Refused on any machine.
      [`::ffff:${OWN[0]}`]: 'special-address',
    })
  })

  it.skipIf(reason !== '')(`is reached if the operator allows it${reason}`, async () => {
    const addresses = [...OWN, ROUTED]
    expect(await requestAll(addresses, [`${OWN[0]}/32`, OWN[1], 'api.example.test'])).toEqual({
      [OWN[0]]: 'reached',
      [OWN[1]]: 'reached',
      [ROUTED]: 'reached',
    })
  })
})
