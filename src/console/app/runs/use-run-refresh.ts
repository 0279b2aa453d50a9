import { useEffect } from 'preact/hooks'
import { liveState } from '../live-events.ts'

/** While a run goes on without events of the server. */
const BLIND_REFRESH_MS = 2000
/** While a run goes on: another process may perform it, which sends no events. */
const REFRESH_RUNNING_MS = 5000

/** Reads runs again at intervals while one goes on. Changes that the server reports are an option of `useMethod`. */
export function useRunRefresh(isRunning: boolean, reload: () => void): void {
  const everyMs = liveState.value === 'live' ? REFRESH_RUNNING_MS : BLIND_REFRESH_MS
  useEffect(() => {
    if (!isRunning) return undefined
    const repeated = setInterval(reload, everyMs)
    return () => clearInterval(repeated)
  }, [isRunning, everyMs])
}
