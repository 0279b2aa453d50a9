import { useEffect, useState } from 'preact/hooks'
import { connection, noteUnauthorized } from '../../app/api.ts'
import { token } from '../../app/session-token.ts'
import { parseMetrics, type MetricSample } from '../../models/metrics.ts'

const REFRESH_MS = 2000
const LONGEST_RETRY_MS = 30_000
/** Readings that are kept for the lines: two minutes. */
const MAX_READINGS = 60

export interface MetricReading {
  /** Milliseconds since the page was opened. */
  at: number
  samples: readonly MetricSample[]
}

/** Reads the metrics of the server again and again while the tab is visible. */
export function useMetrics(): { data: readonly MetricReading[] | undefined; error: unknown } {
  const [readings, setReadings] = useState<readonly MetricReading[]>()
  const [error, setError] = useState<unknown>()
  const secret = token.value
  useEffect(() => {
    const aborted = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async (retryMs: number) => {
      if (document.hidden) return
      try {
        const samples = parseMetrics(await fetchMetrics(secret, aborted.signal))
        const reading = { at: performance.now(), samples }
        setReadings((before = []) => [...before, reading].slice(-MAX_READINGS))
        setError(undefined)
        timer = setTimeout(() => void ask(REFRESH_MS), REFRESH_MS)
      } catch (thrown) {
        if (aborted.signal.aborted) return
        setError(thrown)
        const nextMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
        timer = setTimeout(() => void ask(nextMs), retryMs)
      }
    }
    const onVisible = () => {
      clearTimeout(timer)
      void ask(REFRESH_MS)
    }
    document.addEventListener('visibilitychange', onVisible)
    void ask(REFRESH_MS)
    return () => {
      aborted.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [secret])
  return { data: readings, error }
}

async function fetchMetrics(secret: string | undefined, signal: AbortSignal): Promise<string> {
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  let response: Response
  try {
    response = await fetch('/metrics', { headers, signal })
  } catch (cause) {
    if (!signal.aborted) connection.value = 'gone'
    throw new Error('The server does not answer', { cause })
  }
  if (response.status === 401) noteUnauthorized()
  if (response.status === 403) {
    const data = { kind: 'auth/scope', scope: 'read' }
    throw Object.assign(new Error('This token may not read the metrics'), { data })
  }
  if (!response.ok) throw new Error(`The server answers with the status ${response.status}`)
  connection.value = 'ok'
  return await response.text()
}
