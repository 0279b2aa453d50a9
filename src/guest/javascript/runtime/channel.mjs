// Frames to and from the host: key, opcode, length, checksum, content. Stray bytes cannot be
// mistaken for a frame.
import { readSync, writeSync } from 'node:fs'
import * as zlib from 'node:zlib'
import { job } from './job.mjs'

const CHANNEL = 7
const KEY = Buffer.from(job.key, 'hex')
const HEADER_BYTES = KEY.length + 9
const MAX_CONTENT = 1 << 20
/** Shared memory that never changes: waiting on it with a timeout sleeps synchronously. */
const SLEEP_CELL = new Int32Array(new SharedArrayBuffer(4))

/** Table for older versions of Node, which have no zlib.crc32. */
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function computeChecksum(content) {
  let value = 0xffffffff
  for (const byte of content) value = (value >>> 8) ^ TABLE[(value ^ byte) & 255]
  return (value ^ 0xffffffff) >>> 0
}

const checksum = zlib.crc32 ?? computeChecksum

/** Writes one complete frame. */
export function send(opcode, ...parts) {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(HEADER_BYTES)
  KEY.copy(head)
  head.write(opcode, KEY.length, 'latin1')
  head.writeUInt32BE(content.length, KEY.length + 1)
  head.writeUInt32BE(checksum(content), KEY.length + 5)
  const data = Buffer.concat([head, content])
  for (let done = 0; done < data.length;) {
    done += retryWhenBusy(() => writeSync(CHANNEL, data, done, data.length - done))
  }
}

export function sendJson(opcode, value) {
  send(opcode, Buffer.from(JSON.stringify(value)))
}

/** Sends a request and waits for the host's response. */
export function request(opcode, ...parts) {
  send(opcode, ...parts)
  const head = readExactly(HEADER_BYTES)
  const size = head.readUInt32BE(KEY.length + 1)
  if (!head.subarray(0, KEY.length).equals(KEY) || size > MAX_CONTENT) throw createChannelError()
  const content = readExactly(size)
  if (checksum(content) !== head.readUInt32BE(KEY.length + 5)) throw createChannelError()
  return content
}

function readExactly(size) {
  const data = Buffer.alloc(size)
  for (let done = 0; done < size;) {
    const count = retryWhenBusy(() => readSync(CHANNEL, data, done, size - done, null))
    if (count === 0) throw new Error('The channel to the runtime is closed')
    done += count
  }
  return data
}

/** Retries on EAGAIN: user code may have set the descriptor to nonblocking. */
function retryWhenBusy(work) {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(SLEEP_CELL, 0, 0, 1)
    }
  }
}

function createChannelError() {
  return new Error('The channel to the runtime was written to by something else')
}
