import { PassThrough, Readable, Writable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { waitForStreamEnd } from '../guest-host/child-streams.ts'
import { readGuestFiles } from '../guest-host/guest-files.ts'
import type { ExecutorExit, ExecutorProcess } from './executor.ts'

/** Bytes of one line, before encoding. */
const LINE_BYTES = 24 * 1024
/** A longer line is not one of the armour. */
const MAX_LINE = 64 * 1024
/** Bytes used by the reader from which on the guest gets a credit. */
const CREDIT_BYTES = 64 * 1024
const LINE = /^@(\d+) ([0-9a-f]{8}) ([A-Za-z0-9+/]+=*)\r?$/

/** Returns Python that carries bytes through text, as in `src/guest/armour.py`. */
export function readArmourCode(): string {
  const file = readGuestFiles().find(({ name }) => name === 'armour.py')
  return file?.text.toString('utf8') ?? ''
}

/** Wraps a command whose streams carry text, as one whose streams carry bytes. */
export function openArmouredStreams(text: ExecutorProcess): ExecutorProcess {
  let failure: string | undefined
  // A service may have one stream for both.
  const stderr = new PassThrough()
  text.stderr.on('data', (chunk: Buffer | string) => void stderr.write(chunk))
  void Promise.all([text.stdout, text.stderr].map(waitForStreamEnd)).then(() => stderr.end())
  const stdout = new ArmouredOutput(text, {
    onForeign: (line) => void stderr.write(`${line}\n`),
    onFailure: (problem) => {
      failure ??= problem
      text.kill()
    },
  })
  return {
    stdin: createInput(text.stdin),
    stdout,
    stderr,
    guarantees: text.guarantees,
    exited: text.exited.then((exit): ExecutorExit =>
      failure === undefined ? exit : { ...exit, failure },
    ),
    kill: () => text.kill(),
  }
}

/** The text stream remains open after the last byte, for credits. */
function createInput(text: Writable): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines: string[] = []
      for (let at = 0; at < chunk.length; at += LINE_BYTES) {
        lines.push(`d${chunk.subarray(at, at + LINE_BYTES).toString('base64')}\n`)
      }
      writeText(text, lines.join(''), done)
    },
    final(done) {
      writeText(text, '.\n', done)
    },
  })
}

function writeText(stream: Writable, text: string, done: () => void = () => {}): void {
  if (stream.writable) stream.write(text, () => done())
  else done()
}

interface ArmourHandlers {
  /** Receives a line that is not one of the armour, such as an error of the shell. */
  onForeign(line: string): void
  onFailure(problem: string): void
}

/** Decodes lines of text. Reports lost, changed and foreign text. */
class ArmouredOutput extends Readable {
  #stdin: Writable
  #handlers: ArmourHandlers
  #open = ''
  #number = 0
  #unread = 0

  constructor({ stdin, stdout }: ExecutorProcess, handlers: ArmourHandlers) {
    super()
    this.#stdin = stdin
    this.#handlers = handlers
    stdout.setEncoding('utf8')
    stdout.on('data', (text: string) => this.#receive(text))
    stdout.once('end', () => this.push(null)).once('close', () => this.push(null))
  }

  override _read(): void {
    if (this.#unread < CREDIT_BYTES) return
    writeText(this.#stdin, `+${this.#unread}\n`)
    this.#unread = 0
  }

  #receive(text: string): void {
    const lines = (this.#open + text).split('\n')
    this.#open = lines.pop() ?? ''
    if (this.#open.length > MAX_LINE)
      return this.#handlers.onFailure('a line of its output is too long')
    for (const line of lines) if (line !== '' && line !== '\r') this.#receiveLine(line)
  }

  #receiveLine(line: string): void {
    if (!line.startsWith('@')) return this.#handlers.onForeign(line)
    const [, number, sum, content = ''] = LINE.exec(line) ?? []
    const bytes = Buffer.from(content, 'base64')
    if (Number(number) !== this.#number || crc32(bytes) !== Number.parseInt(sum ?? '', 16)) {
      return this.#handlers.onFailure('text of its output was lost or changed on the way')
    }
    this.#number += 1
    this.#unread += bytes.length
    if (!this.readableEnded && !this.destroyed) this.push(bytes)
  }
}
