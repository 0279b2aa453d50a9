import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Refusal, SpecialReason } from './decision.ts'
import type { PrivateExceptions } from './private-exceptions.ts'
import { specialUse } from './special-address.ts'

const LOOK_UP_MS = 10_000
const MAX_NAMES = 256

/** All addresses of a name, by the host's resolver. */
export type Lookup = (name: string) => Promise<readonly string[]>

const hostLookup: Lookup = async (name) =>
  (await lookUp(name, { all: true, verbatim: true })).map(({ address }) => address)

const SENTENCES: Record<SpecialReason, string> = {
  'loopback-address': 'is an address of this machine itself',
  'private-address': 'is a private address',
  'link-local-address': 'is a link-local address',
  'metadata-address': 'is the address of a metadata service',
  'special-address': 'is an address for special uses',
}

/** Asks for each name once in a run: what was checked is what is connected to, later as well. */
export class Resolver {
  #asked = new Map<string, Promise<readonly string[]>>()
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #exceptions: PrivateExceptions
  #lookup: Lookup

  constructor(exceptions: PrivateExceptions, lookup: Lookup = hostLookup) {
    this.#exceptions = exceptions
    this.#lookup = lookup
  }

  /** Addresses that a run may connect to for this host and port. */
  async resolve(host: string, port: number): Promise<readonly string[] | Refusal> {
    const found = isIP(host) === 0 ? await this.#once(host) : [host]
    const checked = found.map((address) => ({
      address,
      use: this.#whyRefused(host, address, port),
    }))
    const good = checked.filter(({ use }) => use === undefined)
    if (good.length > 0) return good.map(({ address }) => address)
    const [bad] = checked
    if (bad?.use === undefined) {
      return { reason: 'unresolved', message: `${host} has no address` }
    }
    const what = bad.address === host ? host : `${host} has the address ${bad.address}, which`
    const message = `${what} ${SENTENCES[bad.use]}; only the operator can allow it, with run.network.allow_private`
    return { reason: bad.use, message }
  }

  /** Nothing more is looked up. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * One name at a time: this process has two threads for names, and a name server that does not
   * answer holds one for long. Who waited too long for a turn has given up already.
   */
  #lookUpInTurn(host: string): Promise<readonly string[]> {
    const deadline = performance.now() + LOOK_UP_MS
    const turn = this.#last.then(async () => {
      if (this.#isClosed || performance.now() >= deadline) return []
      return await this.#lookup(host).catch(() => [])
    })
    this.#last = turn
    return turn
  }

  #whyRefused(host: string, address: string, port: number): SpecialReason | undefined {
    const use = specialUse(address)
    // A name's owner says which address it has: nobody's list may lead to credentials.
    if (use === undefined || use === 'metadata-address') return use
    return this.#exceptions.allow(host, address, port) ? undefined : use
  }

  #once(host: string): Promise<readonly string[]> {
    const known = this.#asked.get(host)
    if (known) return known
    if (this.#asked.size >= MAX_NAMES) return Promise.resolve([])
    const asked = this.#ask(host)
    this.#asked.set(host, asked)
    return asked
  }

  async #ask(host: string): Promise<readonly string[]> {
    const found = await Promise.race([
      this.#lookUpInTurn(host),
      sleep(LOOK_UP_MS, [], { ref: false }),
    ])
    // A resolver that is down for a moment is asked again.
    if (found.length === 0) this.#asked.delete(host)
    return found
  }
}
