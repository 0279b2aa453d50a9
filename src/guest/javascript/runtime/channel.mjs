// Frames to and from the host: key, opcode, length, checksum, content. Stray bytes cannot be
// mistaken for a frame.
import { readSync as readFrom, writeSync as writeTo } from 'node:fs'
import * as zlib from 'node:zlib'
import { job } from './job.mjs'

// Code of an earlier cell may replace functions of its kernel: those of the start are used.
const readSync = readFrom
const writeSync = writeTo
const stringify = JSON.stringify.bind(JSON)
const alloc = Buffer.alloc.bind(Buffer)
const concat = Buffer.concat.bind(Buffer)
const from = Buffer.from.bind(Buffer)
export const CHANNEL = 7
let key = from(job.key, 'hex')
/** False for code that may send nothing. */
let maySend = () => true
const KEY_BYTES = key.length
export const HEADER_BYTES = KEY_BYTES + 9
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

/** Uses this key for the following frames, if `check` returns true for the code that sends them. */
export function useKey(bytes, check) {
  key = bytes
  maySend = check
}

export const joinBytes = concat

/** Splits the header of a frame. */
export function parseHeader(head) {
  return { key: from(head.subarray(0, KEY_BYTES)), size: head.readUInt32BE(KEY_BYTES + 1) }
}

/** Writes one complete frame. */
export function send(opcode, ...parts) {
  if (!maySend()) {
    // Late lines and progress are dropped.
    if (opcode === 'L' || opcode === 'P') return
    throw new Error('The cell that started this code has ended')
  }
  const content = concat(parts)
  const head = alloc(HEADER_BYTES)
  key.copy(head)
  head.write(opcode, KEY_BYTES, 'latin1')
  head.writeUInt32BE(content.length, KEY_BYTES + 1)
  head.writeUInt32BE(checksum(content), KEY_BYTES + 5)
  const data = concat([head, content])
  for (let done = 0; done < data.length;) {
    done += retryWhenBusy(() => writeSync(CHANNEL, data, done, data.length - done))
  }
}

export function sendJson(opcode, value) {
  send(opcode, from(stringify(value)))
}

/** Sends a request and waits for the host's response. */
export function request(opcode, ...parts) {
  send(opcode, ...parts)
  const head = readExactly(HEADER_BYTES)
  const size = head.readUInt32BE(KEY_BYTES + 1)
  if (!head.subarray(0, KEY_BYTES).equals(key) || size > MAX_CONTENT) throw createChannelError()
  const content = readExactly(size)
  if (checksum(content) !== head.readUInt32BE(KEY_BYTES + 5)) throw createChannelError()
  return content
}

function readExactly(size) {
  const data = alloc(size)
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
