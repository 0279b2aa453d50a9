import { startDeadline, type Deadline } from './deadline.ts'
import { ConnectionError } from './errors.ts'
import { readEvent, type RunStreamEvent } from './events.ts'
import type { CallOptions, RunOptions, ClientSettings } from './options.ts'
import { readAnswer } from './read-answer.ts'
import { readPieces, readText } from './read-body.ts'
import { withRetries } from './retry.ts'
import { send } from './send.ts'
import { readServerSent } from './server-sent.ts'

/** One method call. */
export interface MethodCall {
  method: string
  params: object
  /** True if the call may be repeated safely. */
  isRead: boolean
}

const JSON_TYPE = 'application/json'
const EVENTS_TYPE = 'text/event-stream'

/** Calls a method and waits for its result. */
export async function callMethod(
  settings: ClientSettings,
  call: MethodCall,
  options: CallOptions,
): Promise<unknown> {
  const deadline = startDeadline(options.timeoutMs ?? settings.timeoutMs, options.signal)
  const policy = { retries: options.retries ?? settings.retries, isRead: call.isRead, deadline }
  try {
    return await withRetries(policy, async () => {
      const { response, id } = await postCall(settings, call, { deadline, accept: JSON_TYPE })
      const text = await readText(response, deadline, settings.maxAnswerBytes)
      return readAnswer(text, { id, method: call.method, httpStatus: response.status })
    })
  } finally {
    deadline.release()
  }
}

/**
 * Calls a method that starts a run. Always requests an event stream, because proxies close
 * connections that are silent for minutes.
 */
export async function callRunMethod(
  settings: ClientSettings,
  call: MethodCall,
  options: RunOptions,
): Promise<unknown> {
  const { retries = settings.retries, onEvent = () => {}, runId, signal } = options
  const deadline = startDeadline(options.timeoutMs ?? settings.runTimeoutMs, signal)
  const params = runId === undefined ? call.params : { ...call.params, _meta: { run_id: runId } }
  const namedCall = { ...call, params }
  try {
    return await withRetries({ retries, isRead: false, deadline }, async () => {
      let sent = await postCall(settings, namedCall, { deadline, accept: EVENTS_TYPE })
      if (sent.response.status === 406) {
        await sent.response.body?.cancel()
        sent = await postCall(settings, namedCall, { deadline, accept: JSON_TYPE })
      }
      const { response, id } = sent
      const request = { id, method: call.method, httpStatus: response.status }
      const text = isEventStream(response)
        ? await followAnswer(settings, response, { deadline, onEvent })
        : await readText(response, deadline, settings.maxAnswerBytes)
      return readAnswer(text, request)
    })
  } finally {
    deadline.release()
  }
}

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.toLowerCase().startsWith(EVENTS_TYPE) === true
}

async function postCall(
  settings: ClientSettings,
  { method, params }: MethodCall,
  { deadline, accept }: { deadline: Deadline; accept: string },
): Promise<{ response: Response; id: string }> {
  const id = settings.nextId()
  const response = await send(settings, {
    url: settings.endpoint,
    verb: 'POST',
    headers: { 'content-type': JSON_TYPE, accept },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    deadline,
  })
  return { response, id }
}

/** Reports the events and returns the data of the last one, which is the response. */
async function followAnswer(
  { maxAnswerBytes }: ClientSettings,
  response: Response,
  { deadline, onEvent }: { deadline: Deadline; onEvent: (event: RunStreamEvent) => void },
): Promise<string> {
  for await (const { name, data } of readServerSent(
    readPieces(response, deadline),
    maxAnswerBytes,
  )) {
    if (name === 'response') return data
    const event = readEvent(name, data)
    if (event) onEvent(event)
  }
  throw new ConnectionError('The event stream ended before the response', {
    problem: 'broken',
    httpStatus: response.status,
  })
}
