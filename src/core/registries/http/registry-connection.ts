import { lookup } from 'node:dns'
import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { SkillsError } from '../../../errors.ts'
import { classifyAddress } from '../../sandbox/egress/special-address.ts'
import { registryError } from './registry-error.ts'

export interface RegistryRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: URL
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
  /** Upper bound for the response. */
  maxBytes: number
}

export interface RegistryResponse {
  /** Address that answered, after redirects. */
  url: URL
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface ConnectionOptions {
  signal: AbortSignal
  /** Milliseconds for one request with its redirects. */
  timeoutMs?: number | undefined
}

const MAX_REDIRECTS = 5
const TIMEOUT_MS = 60_000
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * HTTP to one registry that the user named. Other servers, which the registry names, are reached
 * only at public addresses, or at addresses of the same kind as the registry's own.
 */
export class RegistryConnection {
  readonly base: URL
  readonly #signal: AbortSignal
  readonly #timeoutMs: number
  /** Special use of the registry's own address, such as a private network. */
  #ownUse: string | undefined

  constructor(base: URL, { signal, timeoutMs = TIMEOUT_MS }: ConnectionOptions) {
    this.base = base
    this.#signal = signal
    this.#timeoutMs = timeoutMs
  }

  isOwn(url: URL): boolean {
    return url.origin === this.base.origin
  }

  /** Sends one request; redirects are returned as they are. */
  async send(request: RegistryRequest): Promise<RegistryResponse> {
    return await this.#bounded(request, async (signal) => await this.#exchange(request, signal))
  }

  /** Follows the redirects of a GET. Headers with credentials stay at the registry's own origin. */
  async sendFollowing(first: RegistryRequest): Promise<RegistryResponse> {
    return await this.#bounded(first, async (signal) => {
      let request = first
      for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
        const response = await this.#exchange(request, signal)
        const { location } = response.headers
        if (response.status < 300 || response.status > 399) return response
        if (location === undefined || !URL.canParse(location, request.url.href)) return response
        const url = new URL(location, request.url)
        const { authorization: _, ...headers } = request.headers ?? {}
        request = { ...request, url, headers: this.isOwn(url) ? (request.headers ?? {}) : headers }
      }
      throw registryError(first.url, `it has more than ${MAX_REDIRECTS} redirects`)
    })
  }

  async #bounded<T>(
    { url }: RegistryRequest,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    try {
      return await work(AbortSignal.any([this.#signal, timeout]))
    } catch (thrown) {
      this.#signal.throwIfAborted()
      if (timeout.aborted) {
        const seconds = this.#timeoutMs / 1000
        throw registryError(url, `it takes longer than ${seconds} s`, { code: 'remote/timeout' })
      }
      if (thrown instanceof SkillsError) throw thrown
      throw registryError(url, (thrown as Error).message, { code: 'remote/unreachable' })
    }
  }

  async #exchange(request: RegistryRequest, signal: AbortSignal): Promise<RegistryResponse> {
    this.#checkUrl(request.url)
    const response = await this.#open(request, signal)
    const { remoteAddress } = response.socket
    if (this.isOwn(request.url) && remoteAddress !== undefined) {
      this.#ownUse = classifyAddress(remoteAddress)
    }
    const body = await readResponseBody(request, response)
    return { url: request.url, status: response.statusCode ?? 0, headers: response.headers, body }
  }

  async #open(
    { method = 'GET', url, headers, body }: RegistryRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const isForeign = !this.isOwn(url)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isForeign && isIP(host) !== 0) this.#refuseSpecial(url, host)
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    return await new Promise((done, fail) => {
      const sent = request(
        url,
        {
          method,
          signal,
          headers: {
            'accept-encoding': 'identity',
            'user-agent': 'skills',
            ...headers,
            ...(body && { 'content-length': body.length }),
          },
          ...(isForeign && { lookup: this.#createLookup(url) }),
        },
        done,
      )
      sent.on('error', fail)
      sent.end(body)
    })
  }

  #checkUrl(url: URL): void {
    if (url.username !== '' || url.password !== '') {
      throw registryError(this.base, 'it names an address with a user name')
    }
    if (url.protocol === 'https:') return
    if (url.protocol === 'http:' && LOOPBACK.test(url.hostname)) return
    throw registryError(this.base, `it names ${url.protocol}//${url.host}, expected https`, {
      hint: 'Registries without https are used on this machine only',
    })
  }

  /** Checks the address to which the socket connects, so that no second answer of DNS counts. */
  #createLookup(url: URL): LookupFunction {
    return (host, options, done) => {
      lookup(host, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, [])
        try {
          for (const { address } of addresses) this.#refuseSpecial(url, address)
        } catch (thrown) {
          return done(thrown as Error, [])
        }
        const [first] = addresses
        return options.all === true
          ? done(null, addresses)
          : done(null, first?.address ?? '', first?.family)
      })
    }
  }

  #refuseSpecial(url: URL, address: string): void {
    const use = classifyAddress(address)
    if (use === undefined) return
    const isShared = use === 'loopback-address' || use === 'private-address'
    if (isShared && use === this.#ownUse) return
    const kind = use.replace('-', ' ')
    throw registryError(this.base, `it names "${url.host}", which is ${address}, a ${kind}`)
  }
}

async function readResponseBody(
  request: RegistryRequest,
  response: IncomingMessage,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > request.maxBytes) {
      response.destroy()
      throw registryError(request.url, `its answer has more than ${request.maxBytes} bytes`)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
