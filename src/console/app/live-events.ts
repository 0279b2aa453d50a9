import { batch, computed, effect, signal, type Signal } from '@preact/signals'
import { startDeadline } from '../../client/deadline.ts'
import { readPieces, restartOnPiece } from '../../client/read-body.ts'
import { readServerSent } from '../../client/server-sent.ts'
import type { ConsoleEventData, RunChange } from '../../server/console/console-event.ts'
import { applyRunChanges, type ActiveRuns } from '../models/active-runs.ts'
import { connection, noteUnauthorized } from './api.ts'
import { token } from './session-token.ts'

/** State of the stream of events. A hidden tab has none, because browsers open few connections. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'lost'

export const liveState = signal<LiveState>('connecting')
/** Runs of the server that have not ended. */
export const activeRuns = signal<ActiveRuns>(new Map())
/** Scopes of the token of this tab. Empty until the server says them. */
export const scopes = signal<ReadonlySet<string>>(new Set())
/** Each number grows when something of its kind changed, or may have while there was no stream. */
export const runChanges = signal(0)
export const skillChanges = signal(0)
export const reloadChanges = signal(0)

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** Changes of this time are shown at once, as of many short runs. */
const BATCH_MS = 200
const MAX_EVENT_BYTES = 1024 ** 2
/** The server sends a sign of life every 15 seconds. */
const LONGEST_SILENCE_MS = 45_000
/** Answers of a server that has no events for this page. */
const NO_EVENTS = new Set([403, 404])

/** Follows the events of the server while the tab is visible. */
export function startLiveEvents(): void {
  const isHidden = signal(document.hidden)
  const needsToken = computed(() => connection.value === 'token-required')
  document.addEventListener('visibilitychange', () => (isHidden.value = document.hidden))
  effect(() => {
    const aborted = new AbortController()
    const secret = token.value
    if (needsToken.value) return undefined
    if (isHidden.value) liveState.value = 'paused'
    else void keepFollowing(secret, aborted.signal)
    return () => aborted.abort()
  })
}

async function keepFollowing(secret: string | undefined, ended: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS
  const onHello = () => void (retryMs = FIRST_RETRY_MS)
  while (!ended.aborted) {
    liveState.value = 'connecting'
    try {
      if (!(await followOnce({ secret, ended, onHello }))) return
    } catch {
      if (ended.aborted) return
      connection.value = 'gone'
    }
    if (ended.aborted) return
    liveState.value = 'lost'
    await pause(retryMs, ended)
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
  }
}

/** Follows one stream to its end. Returns false if there is no use in asking again. */
async function followOnce({
  secret,
  ended,
  onHello,
}: {
  secret: string | undefined
  ended: AbortSignal
  onHello: () => void
}): Promise<boolean> {
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  // A connection may be lost without a sign, as by a machine that sleeps.
  const deadline = startDeadline(LONGEST_SILENCE_MS, ended)
  const changes = collectChanges()
  try {
    const response = await fetch('/console/events', { headers, signal: deadline.signal })
    const { status, ok } = response
    if (status === 401) noteUnauthorized()
    if (status === 401 || NO_EVENTS.has(status)) return false
    if (!ok) return true
    const pieces = restartOnPiece(readPieces(response, deadline), deadline.restart)
    for await (const { name, data } of readServerSent(pieces, MAX_EVENT_BYTES)) {
      if (name === 'hello') onHello()
      changes.add(name, JSON.parse(data))
    }
  } finally {
    deadline.release()
    changes.flush()
  }
  return true
}

let hasBeenLive = false

/** Applies events in batches. */
function collectChanges() {
  let runs: RunChange[] = []
  const changed = new Set<Signal<number>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    batch(() => {
      if (runs.length > 0) activeRuns.value = applyRunChanges(activeRuns.peek(), runs)
      for (const each of changed) each.value += 1
    })
    runs = []
    changed.clear()
  }
  const begin = (hello: ConsoleEventData['hello']) => {
    batch(() => {
      connection.value = 'ok'
      liveState.value = 'live'
      scopes.value = new Set(hello.scopes)
      activeRuns.value = applyRunChanges(new Map(), hello.runs)
    })
    // Something may have changed while there was no stream.
    if (hasBeenLive) for (const each of [runChanges, skillChanges, reloadChanges]) changed.add(each)
    hasBeenLive = true
  }
  const add = (name: string, data: unknown) => {
    if (name === 'hello') begin(data as ConsoleEventData['hello'])
    if (name === 'skills') changed.add(skillChanges)
    if (name === 'reload') changed.add(reloadChanges)
    if (name === 'run') {
      runs.push(data as RunChange)
      changed.add(runChanges)
    }
    timer ??= setTimeout(flush, BATCH_MS)
  }
  return { add, flush }
}

/** Waits for about a time: the tabs of a browser do not all ask at once. */
async function pause(ms: number, ended: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms * (0.5 + Math.random() / 2))
    ended.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
