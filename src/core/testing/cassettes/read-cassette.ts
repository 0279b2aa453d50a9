import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readToml } from '../../skills/manifest/toml-source.ts'
import { readTable } from '../document/field.ts'
import { ProblemList, type Place, type SuiteProblem } from '../document/problems.ts'
import type { Cassette, HeaderList, RecordedExchange } from './cassette.ts'
import { CASSETTE_FIELDS } from './cassette-fields.ts'

/** Longer files are refused. */
const MAX_BYTES = 16 * 1024 * 1024
/** The runtime sets these, and bodies are saved without compression. */
const FRAMING = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const HEADER_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

export type CassetteFile =
  | { cassette: Cassette; problems: readonly [] }
  | { cassette: undefined; problems: readonly SuiteProblem[] }

/** Folder of the bodies of a cassette: `oslo` next to `oslo.toml`. */
export function getBodyFolder(file: string): string {
  return file.replace(/\.toml$/, '')
}

/** Reads a cassette strictly. Every mistake has a position. */
export function readCassette(file: string, text = readFileSync(file, 'utf8')): CassetteFile {
  const document = readToml(file, text)
  const list = new ProblemList(file, document)
  if (list.problems.length > 0) return { cassette: undefined, problems: list.problems }
  const top = list.at([])
  const values = readTable(CASSETTE_FIELDS, document.data, top)
  if (!values || list.problems.length > 0) return { cassette: undefined, problems: list.problems }
  const bodies = new BodyFiles(getBodyFolder(file))
  const exchanges = (values.exchanges ?? []).map((each, at): RecordedExchange => {
    const place = top.at('exchanges').at(at)
    const { request, response, times = 1 } = each
    const { method = '', url = '' } = request ?? {}
    return {
      request: { method, url, ...readMessage(request, bodies, place.at('request')) },
      response: {
        status: response?.status ?? 0,
        ...readMessage(refuseFraming(response, place), bodies, place.at('response')),
      },
      times,
      position: place.position,
    }
  })
  for (const name of bodies.listUnused()) {
    top.refuse(`The file "${name}" of the folder of bodies belongs to no exchange`, {
      help: 'Delete it, or name it with file = "…"',
    })
  }
  if (list.problems.length > 0) return { cassette: undefined, problems: list.problems }
  const { recorded, expires, match_headers: compared = [], ordered = false } = values
  const comparedHeaders = compared.map((name) => name.toLowerCase())
  return {
    cassette: { file, recorded, expires, comparedHeaders, isOrdered: ordered, exchanges },
    problems: [],
  }
}

interface WrittenMessage {
  headers?: ReadonlyMap<string, string[]> | undefined
  text?: string | undefined
  file?: string | undefined
}

// eslint-disable-next-line max-params -- the message, the files and the place
function readMessage(message: WrittenMessage = {}, bodies: BodyFiles, place: Place) {
  return { headers: listHeaders(message.headers, place), body: bodies.read(message, place) }
}

function listHeaders(headers: ReadonlyMap<string, string[]> = new Map(), place: Place): HeaderList {
  const list: [string, string][] = []
  for (const [name, values] of headers) {
    const at = place.at('headers').at(name)
    if (!HEADER_NAME.test(name)) at.refuse(`"${name}" is not a name of a header`, { what: 'key' })
    for (const value of values) {
      if (!HEADER_VALUE.test(value)) {
        at.refuse('A header has no line breaks, and only characters of Latin-1')
      }
      list.push([name.toLowerCase(), value])
    }
  }
  return list
}

/** Such headers of an answer would contradict the body that is sent. */
function refuseFraming<Message extends WrittenMessage>(
  message: Message | undefined,
  place: Place,
): Message | undefined {
  for (const name of message?.headers?.keys() ?? []) {
    if (!FRAMING.has(name.toLowerCase())) continue
    const at = place.at('response').at('headers').at(name)
    at.refuse(`The runtime sets the header "${name}" of an answer`, {
      what: 'key',
      help: 'Delete it',
    })
  }
  return message
}

/** The files next to a cassette. */
class BodyFiles {
  readonly #folder: string
  readonly #names: ReadonlySet<string>
  readonly #used = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
    const isThere = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    this.#names = new Set(isThere ? readdirSync(folder) : [])
  }

  read({ text, file }: WrittenMessage, place: Place): Buffer {
    if (text !== undefined && file !== undefined) {
      place.at('file').refuse('Expected one of text and file, got both', { what: 'key' })
    }
    if (file === undefined) return Buffer.from(text ?? '')
    this.#used.add(file)
    const path = join(this.#folder, file)
    const size = this.#names.has(file) ? lstatSync(path, { throwIfNoEntry: false }) : undefined
    if (!size?.isFile()) {
      place.at('file').refuse(`There is no file "${file}" in the folder of bodies`, {
        help: `Bodies are plain files of ${this.#folder}`,
      })
      return Buffer.alloc(0)
    }
    if (size.size > MAX_BYTES) {
      place.at('file').refuse(`The file has ${size.size} bytes, expected at most ${MAX_BYTES}`)
      return Buffer.alloc(0)
    }
    return readFileSync(path)
  }

  listUnused(): string[] {
    return [...this.#names].filter((name) => !this.#used.has(name)).sort()
  }
}
