import { isEventStream } from './call.ts'
import { startDeadline } from './deadline.ts'
import { readEvent, type RunStreamEvent } from './events.ts'
import type { CallOptions, ClientSettings } from './options.ts'
import { readPieces, readText, restartOnPiece } from './read-body.ts'
import { errorFromBody } from './error-response.ts'
import { send } from './send.ts'
import { readServerSent } from './server-sent.ts'

/** Longer than the interval of the server's heartbeats. */
const SILENCE_TIMEOUT_MS = 60_000

/** Replays the events of a run and follows it until it ends. */
export async function* followRun(
  settings: ClientSettings,
  runId: string,
  options: Pick<CallOptions, 'signal' | 'timeoutMs'>,
): AsyncGenerator<RunStreamEvent> {
  const deadline = startDeadline(options.timeoutMs ?? SILENCE_TIMEOUT_MS, options.signal)
  const url = new URL(`runs/${encodeURIComponent(runId)}/events`, settings.endpoint)
  try {
    const headers = { accept: 'text/event-stream' }
    const response = await send(settings, { url, verb: 'GET', headers, deadline })
    if (!isEventStream(response)) {
      throw errorFromBody(
        url,
        response.status,
        await readText(response, deadline, settings.maxAnswerBytes),
      )
    }
    const pieces = restartOnPiece(readPieces(response, deadline), deadline.restart)
    for await (const { name, data } of readServerSent(pieces, settings.maxAnswerBytes)) {
      const event = readEvent(name, data)
      if (event) yield event
    }
  } finally {
    deadline.release()
  }
}
