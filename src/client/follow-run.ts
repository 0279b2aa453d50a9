import { isEventStream } from './call.ts'
import { startDeadline } from './deadline.ts'
import { readEvent, type RunStreamEvent } from './events.ts'
import type { CallOptions, Settings } from './options.ts'
import { piecesOf, readText } from './read-body.ts'
import { refusal } from './refusal.ts'
import { send } from './send.ts'
import { readServerSent } from './server-sent.ts'

/** Servers give a sign of life more often than this. */
const QUIET_MS = 60_000

/** What happened in a run so far, then what happens, until it is over. */
export async function* followRun(
  settings: Settings,
  runId: string,
  options: Pick<CallOptions, 'signal' | 'timeoutMs'>,
): AsyncGenerator<RunStreamEvent> {
  const deadline = startDeadline(options.timeoutMs ?? QUIET_MS, options.signal)
  const url = new URL(`runs/${encodeURIComponent(runId)}/events`, settings.endpoint)
  try {
    const headers = { accept: 'text/event-stream' }
    const response = await send(settings, { url, verb: 'GET', headers, deadline })
    if (!isEventStream(response)) {
      throw refusal(
        url,
        response.status,
        await readText(response, deadline, settings.maxAnswerBytes),
      )
    }
    const pieces = renewing(piecesOf(response, deadline), deadline.renew)
    for await (const { name, data } of readServerSent(pieces, settings.maxAnswerBytes)) {
      const event = readEvent(name, data)
      if (event) yield event
    }
  } finally {
    deadline.release()
  }
}

/** Starts the time anew with every piece. */
async function* renewing(
  pieces: AsyncIterable<Uint8Array>,
  renew: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    renew()
    yield piece
  }
}
