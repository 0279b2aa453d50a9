import { SkillsError } from '../../errors.ts'
import { readStreamUpTo } from '../../util/bytes/read-up-to.ts'
import { findRedirect, openResponse } from '../registries/http/open-response.ts'
import { classifyAddress } from '../sandbox/egress/special-address.ts'
import { checkAddress } from './check-address.ts'

/** Upper bounds of one download. */
export interface DownloadLimits {
  bytes: number
  /** Milliseconds for the whole download, redirects included. */
  timeoutMs: number
}

const MAX_REDIRECTS = 5

/** Downloads a file; undefined if the server has none. */
export async function downloadFile(
  url: URL,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const timeout = AbortSignal.timeout(limits.timeoutMs)
  try {
    return await followRedirects(url, limits, AbortSignal.any([signal, timeout]))
  } catch (thrown) {
    signal.throwIfAborted()
    if (timeout.aborted) throw slowDownloadError(url, limits.timeoutMs)
    if (thrown instanceof SkillsError) throw thrown
    throw downloadError(url, (thrown as Error).message, 'remote/unreachable')
  }
}

async function followRedirects(
  first: URL,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  let url = first
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const target = url
    // The user named the first server; a server may name no private one.
    const checkIp =
      url.origin === first.origin ? undefined : (address: string) => refuseSpecial(target, address)
    const response = await openResponse({ url, signal, checkIp })
    const { statusCode = 0 } = response
    if (statusCode === 200) {
      const body = await readStreamUpTo(response, limits.bytes)
      if (body) return body
      throw downloadError(first, `it has more than ${limits.bytes} bytes`)
    }
    response.destroy()
    if (statusCode === 404 || statusCode === 410) return undefined
    const next = findRedirect(response, url)
    if (!next) throw downloadError(first, `the server answered with ${statusCode}`)
    checkAddress(next, next.href)
    url = next
  }
  throw downloadError(first, `it has more than ${MAX_REDIRECTS} redirects`)
}

function refuseSpecial(url: URL, address: string): void {
  const special = classifyAddress(address)
  if (special === undefined) return
  throw downloadError(url, `it is a redirect to ${address}, a ${special.replace('-', ' ')}`)
}

export function slowDownloadError(url: URL, timeoutMs: number): SkillsError {
  return downloadError(url, `it takes longer than ${timeoutMs / 1000} s`, 'remote/timeout')
}

export function downloadError(
  url: URL,
  problem: string,
  code: 'remote/unexpected' | 'remote/timeout' | 'remote/unreachable' = 'remote/unexpected',
): SkillsError {
  return new SkillsError(code, `Cannot download "${url.href}": ${problem}`, {
    hint: 'Check the address, or download the archive yourself and install the file',
  })
}
