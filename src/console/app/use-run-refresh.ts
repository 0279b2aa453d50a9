import { useEffect, useRef } from 'preact/hooks'
import { liveState, runChanges } from './live-events.ts'

/** From a reported change to the next reading. */
const REFRESH_MS = 500
/** Without events of the server, while a run goes on. */
const BLIND_REFRESH_MS = 2000

/** Reads runs again after the server reports changes, or at intervals while it cannot. */
export function useRunRefresh(isRunning: boolean, reload: () => void): void {
  const changes = runChanges.value
  const isBlind = liveState.value !== 'live' && isRunning
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
    if (!isBlind) return undefined
    const repeated = setInterval(reload, BLIND_REFRESH_MS)
    return () => clearInterval(repeated)
  }, [isBlind])
  useEffect(() => () => clearTimeout(timer.current), [])
}
