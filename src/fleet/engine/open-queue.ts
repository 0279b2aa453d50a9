import { nameStream, QUEUE_CONSUMER } from './assets.ts'
import type { MessageQueue, QueuedMessage, QueueStream } from './engine.ts'
import type { EngineClient, EngineConnection } from './connection/load-client.ts'

/** Time for which the engine keeps a pull. */
const PULL_MS = 5000
/** A pull that the engine lost, for example at its restart, gets no answer at all. */
const LOST_MS = PULL_MS + 2000
/** Pause after an answer that says that the engine cannot serve pulls now. */
const PAUSE_MS = 500
const ACK_MS = 2000
const ACK_TRIES = 3
/** Status of a pull that expired without a message. */
const EXPIRED = 408

interface QueueNames {
  tenant: string
  /** Prefix of all subjects of the tenant. */
  prefix: string
  stream: QueueStream
}

type EngineMsg = Awaited<ReturnType<EngineConnection['request']>>

/** Opens a queue for pulls of one message each. */
export async function openQueue(
  client: EngineClient,
  connection: EngineConnection,
  { tenant, prefix, stream }: QueueNames,
): Promise<MessageQueue> {
  const name = nameStream(tenant, stream)
  const { consumers } = await client.jetstreamManager(connection, { checkAPI: false })
  const { config } = await consumers.info(name, QUEUE_CONSUMER)
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${name}.${QUEUE_CONSUMER}`
  return {
    ackWaitMs: (config.ack_wait ?? 0) / 1e6,
    async pull(signal) {
      const inbox = client.createInbox(readInboxPrefix(connection))
      const message = await pullOne(connection, { subject, inbox }, signal)
      return message && toQueued(connection, message, prefix)
    },
  }
}

async function pullOne(
  connection: EngineConnection,
  { subject, inbox }: { subject: string; inbox: string },
  signal: AbortSignal,
): Promise<EngineMsg | undefined> {
  if (signal.aborted || connection.isClosed()) return undefined
  return await new Promise<EngineMsg | undefined>((resolve) => {
    let isOver = false
    const finish = (message?: EngineMsg) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      // Messages that are on their way arrive before the subscription ends.
      subscription.drain().catch(() => {})
      resolve(message)
    }
    const stop = () => finish()
    let timer = setTimeout(stop, LOST_MS)
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error) return finish()
        const code = message.headers?.code ?? 0
        if (code === 0) return isOver ? returnToQueue(message) : finish(message)
        clearTimeout(timer)
        timer = setTimeout(stop, code === EXPIRED ? 0 : PAUSE_MS)
      },
    })
    signal.addEventListener('abort', stop, { once: true })
    const body = JSON.stringify({ batch: 1, expires: PULL_MS * 1e6 })
    connection.publish(subject, body, { reply: inbox })
  })
}

/** Permissions may restrict a node to inboxes of its own. The type of connections has no options. */
function readInboxPrefix(connection: EngineConnection): string | undefined {
  return (connection as { options?: { inboxPrefix?: string } }).options?.inboxPrefix
}

/** Returns a message that no pull waits for. */
function returnToQueue(message: EngineMsg): void {
  message.respond('-NAK')
}

function toQueued(connection: EngineConnection, message: EngineMsg, prefix: string): QueuedMessage {
  return {
    subject: message.subject.slice(prefix.length),
    body: message.data,
    async ack() {
      for (let attempt = 0; attempt < ACK_TRIES; attempt++) {
        try {
          await connection.request(message.reply ?? '', '+ACK', { timeout: ACK_MS })
          return
        } catch {
          // Not confirmed: it may have been lost.
        }
      }
    },
    nak: (delayMs) => void message.respond(`-NAK {"delay": ${Math.round(delayMs * 1e6)}}`),
    working: () => void message.respond('+WPI'),
  }
}
