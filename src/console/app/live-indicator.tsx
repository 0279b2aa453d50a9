import { activeRuns, liveState, type LiveState } from './live-events.ts'

const LABELS: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  lost: 'not connected',
}

/** Shows whether changes of the server appear at once, and the number of its runs. */
export function LiveIndicator() {
  const { size } = activeRuns.value
  const state = liveState.value
  const runs = size === 1 ? '1 run' : `${size} runs`
  return (
    <span class="live" data-state={state}>
      {LABELS[state]}
      {state === 'live' && size > 0 && ` · ${runs}`}
    </span>
  )
}
