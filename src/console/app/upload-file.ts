import { createClient, type BlobFacts } from '../../client/index.ts'
import { noteFailure } from './api.ts'
import { token } from './session-token.ts'

/** Stores a file as a blob. `onProgress` gets the part of it that was sent, from 0 to 1. */
export async function uploadFile(
  file: File,
  onProgress: (share: number) => void,
): Promise<BlobFacts> {
  const client = createClient({
    url: location.origin,
    token: token.value,
    retries: 0,
    allowPlainHttp: true,
    fetch: createReportingFetch(onProgress),
  })
  try {
    return await client.uploadBlob(file, { kind: file.type || 'application/octet-stream' })
  } catch (thrown) {
    noteFailure(thrown)
    throw thrown
  }
}

/** `fetch` does not report how much of a body was sent; XMLHttpRequest does. */
function createReportingFetch(onProgress: (share: number) => void): typeof fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) =>
    await new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, new Request(input).url)
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded, total }) =>
        onProgress(total === 0 ? 1 : loaded / total),
      )
      request.addEventListener('load', () =>
        resolve(new Response(request.responseText || null, { status: request.status })),
      )
      request.addEventListener('error', () => reject(new TypeError('The connection failed')))
      request.addEventListener('abort', () => reject(signal?.reason as Error))
      signal?.addEventListener('abort', () => request.abort(), { once: true })
      request.send(body as Blob)
    })
}
