import { useEffect, useRef } from 'preact/hooks'
import { liveState, runChanges } from '../live-events.ts'

/** From a reported change to the next reading. */
const REFRESH_MS = 500
/** While a run goes on without events of the server. */
const BLIND_REFRESH_MS = 2000
/** While a run goes on: another process may perform it, which sends no events. */
const REFRESH_RUNNING_MS = 5000

/** Reads runs again after the server reports changes, or at intervals while it cannot. */
export function useRunRefresh(isRunning: boolean, reload: () => void): void {
  const changes = runChanges.value
  const everyMs = liveState.value === 'live' ? REFRESH_RUNNING_MS : BLIND_REFRESH_MS
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Many short runs change the list more often than it can be read.
    if (changes > 0) timer.current ??= setTimeout(refresh, REFRESH_MS)
    function refresh() {
      timer.current = undefined
      reload()
    }
  }, [changes])
  useEffect(() => {
    if (!isRunning) return undefined
    const repeated = setInterval(reload, everyMs)
    return () => clearInterval(repeated)
  }, [isRunning, everyMs])
  useEffect(() => () => clearTimeout(timer.current), [])
}
