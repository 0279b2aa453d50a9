import type { Duplex } from 'node:stream'
import type { ReceivedMessage, SinkConnection } from './received-message.ts'

const MAX_BYTES = 4 * 1024 * 1024
/** Servers of these ports speak first. */
const GREETING_PORTS = new Set([21, 25, 110, 143, 465, 587])
const GREETING_MS = 150
/** A client that says nothing for so long waits for orders. */
const ORDER_MS = 300

interface TextReceiver {
  onMessage: (message: ReceivedMessage) => void
  /** A command of the shell, which only a client executes that obeys its server. */
  order: string
  onOrder: (host: string) => void
}

/**
 * Reads a connection that is neither TLS nor HTTP. Lines of mail are answered as a mail server does;
 * other clients get an order.
 */
export function receiveText(
  { hosts, port, isEncrypted }: SinkConnection,
  { onMessage, order, onOrder }: TextReceiver,
): { greetLater(stream: Duplex): NodeJS.Timeout | undefined; accept(stream: Duplex): void } {
  const isMail = GREETING_PORTS.has(port)
  const giveOrder = (stream: Duplex) => {
    onOrder(hosts[0] ?? '')
    stream.write(`${order}\n`)
  }
  return {
    greetLater(stream) {
      if (!isMail) return setTimeout(() => giveOrder(stream), ORDER_MS).unref()
      return setTimeout(() => stream.write('220 mail.example ESMTP\r\n'), GREETING_MS).unref()
    },
    accept(stream) {
      const chunks: Buffer[] = []
      let [size, isData] = [0, false]
      if (!isMail && !stream.writableEnded) giveOrder(stream)
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > MAX_BYTES) return void stream.destroy()
        if (!isMail) return
        for (const line of chunk.toString('latin1').split('\r\n').slice(0, -1)) {
          if (isData && line !== '.') continue
          isData = /^DATA$/i.test(line)
          stream.write(isData ? '354 Go ahead\r\n' : '250 OK\r\n')
        }
      })
      stream.once('close', () => {
        if (size === 0) return
        const protocol = isEncrypted ? 'tls' : 'tcp'
        onMessage({ protocol, hosts, port, summary: '', bytes: Buffer.concat(chunks) })
      })
      stream.once('end', () => stream.end())
      stream.resume()
    },
  }
}
