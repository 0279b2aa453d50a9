import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkRefusal, SpecialAddressReason } from './decision.ts'
import { isOwnAddress } from './own-address.ts'
import type { PrivateExceptions } from './private-exceptions.ts'
import { classifyAddress } from './special-address.ts'

const LOOKUP_TIMEOUT_MS = 10_000
const MAX_NAMES = 256

/** Resolves all addresses of a name. */
export type HostLookup = (name: string) => Promise<readonly string[]>

const lookUpOnHost: HostLookup = async (name) =>
  (await lookUp(name, { all: true, verbatim: true })).map(({ address }) => address)

const SPECIAL_USE_TEXTS: Record<SpecialAddressReason, string> = {
  'loopback-address': 'is a loopback address',
  'private-address': 'is a private address',
  'link-local-address': 'is a link-local address',
  'metadata-address': 'is the address of a metadata service',
  'special-address': 'is a special-purpose address',
  'own-address': 'is an address of this machine',
}

/**
 * Resolves each name once per run, so that every connection goes to the address that was checked.
 */
export class Resolver {
  #answers = new Map<string, Promise<readonly string[]>>()
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #exceptions: PrivateExceptions
  #lookup: HostLookup

  constructor(exceptions: PrivateExceptions, lookup: HostLookup = lookUpOnHost) {
    this.#exceptions = exceptions
    this.#lookup = lookup
  }

  /** Resolves the addresses that a run may connect to for a host and port. */
  async resolve(host: string, port: number): Promise<readonly string[] | NetworkRefusal> {
    const addresses = isIP(host) === 0 ? await this.#resolveOnce(host) : [host]
    const checked = await Promise.all(
      addresses.map(async (address) => ({
        address,
        use: await this.#findSpecialUse(host, address, port),
      })),
    )
    const allowed = checked.filter(({ use }) => use === undefined)
    if (allowed.length > 0) return allowed.map(({ address }) => address)
    const [refused] = checked
    if (refused?.use === undefined) {
      return { reason: 'unresolved', message: `${host} has no address` }
    }
    const subject =
      refused.address === host ? host : `${host} has the address ${refused.address}, which`
    const message = `${subject} ${SPECIAL_USE_TEXTS[refused.use]}; only the operator can allow it, with run.network.allow_private`
    return { reason: refused.use, message }
  }

  /** Stops all lookups. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * Looks up one name at a time: this process has only two lookup threads, and a name server that
   * does not respond blocks one for long. A lookup whose turn comes too late is skipped, since its
   * caller has timed out.
   */
  #lookUpInTurn(host: string): Promise<readonly string[]> {
    const deadline = performance.now() + LOOKUP_TIMEOUT_MS
    const turn = this.#last.then(async () => {
      if (this.#isClosed || performance.now() >= deadline) return []
      return await this.#lookup(host).catch(() => [])
    })
    this.#last = turn
    return turn
  }

  /** Checks this machine's own addresses at every connection, because they change. */
  async #findSpecialUse(
    host: string,
    address: string,
    port: number,
  ): Promise<SpecialAddressReason | undefined> {
    const use =
      classifyAddress(address) ?? ((await isOwnAddress(address)) ? 'own-address' : undefined)
    // Always refused: the owner of a name controls its address, so an exception could expose cloud
    // credentials.
    if (use === undefined || use === 'metadata-address') return use
    return this.#exceptions.allows(host, address, port) ? undefined : use
  }

  #resolveOnce(host: string): Promise<readonly string[]> {
    const cached = this.#answers.get(host)
    if (cached) return cached
    if (this.#answers.size >= MAX_NAMES) return Promise.resolve([])
    const answer = this.#lookUpWithTimeout(host)
    this.#answers.set(host, answer)
    return answer
  }

  async #lookUpWithTimeout(host: string): Promise<readonly string[]> {
    const addresses = await Promise.race([
      this.#lookUpInTurn(host),
      sleep(LOOKUP_TIMEOUT_MS, [], { ref: false }),
    ])
    // Not cached: the resolver may be down only briefly.
    if (addresses.length === 0) this.#answers.delete(host)
    return addresses
  }
}
