// A server that reads requests and answers all of them alike. It receives the flood of a control
// arm, and has the lowest priority, so that the flood costs little more than its generator.
import { createServer } from 'node:http'
import { setPriority } from 'node:os'

setPriority(19)
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":null}'
const server = createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => outgoing.end(ANSWER))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`)
})
process.on('SIGTERM', () => process.exit())
