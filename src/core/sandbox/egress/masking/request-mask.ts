import { decodePercents } from '../../../../util/text/decode-percents.ts'
import type { NetworkRefusal } from '../decision.ts'
import type { NetworkDestination } from '../destination.ts'
import type { FlatHeaders } from './flat-headers.ts'
import { isSentTo, refuseStandIn, type MaskedSecret } from './masked-secret.ts'
import { replaceBytes } from './replacer.ts'
import { TextSearch, type Replacement } from './text-search.ts'
import { encodeUrl, escapeJson, listAnswerReplacements } from './value-forms.ts'

interface RequestHead {
  path: string
  headers: FlatHeaders
}

/** A stand-in that stayed what it is, in a part of a request that its secret does not name. */
export interface UnplacedStandIn {
  secret: MaskedSecret
  part: string
}

/** Puts values in place of stand-ins in requests to one destination, and back in its answers. */
export class RequestMask {
  /** The secrets that the destination gets. */
  readonly secrets: readonly MaskedSecret[]
  /** Finds what answers must not contain. */
  readonly answerSearch: TextSearch
  /** True if an answer has the same length after its replacements. */
  readonly keepsAnswerLength: boolean
  readonly #foreign: readonly MaskedSecret[]
  readonly #destination: NetworkDestination

  constructor(all: readonly MaskedSecret[], destination: NetworkDestination) {
    this.#destination = destination
    this.secrets = all.filter((each) => isSentTo(each, destination))
    this.#foreign = all.filter((each) => !this.secrets.includes(each))
    const replacements = listAnswerReplacements(this.secrets)
    this.answerSearch = new TextSearch(replacements)
    this.keepsAnswerLength = replacements.every(({ from, to }) => from.length === to.length)
  }

  /** Puts the values into the path and the headers. */
  unmaskHead(
    { path, headers }: RequestHead,
    onUnplaced: (found: UnplacedStandIn) => void,
  ): RequestHead | NetworkRefusal {
    const foreign = this.#foreign.find(({ standIn }) => hasStandIn([path, ...headers], standIn))
    if (foreign) return refuseStandIn(foreign, this.#destination)
    const unmasked = {
      path: this.#unmaskPath(path),
      headers: headers.map((text, at) =>
        at % 2 === 0 ? text : this.#unmaskHeader((headers[at - 1] ?? '').toLowerCase(), text),
      ),
    }
    const broken = unmasked.headers.findIndex(
      (text, at) => at % 2 === 1 && /[^\t\u0020-\u007E\u0080-\u00FF]/.test(text),
    )
    if (broken >= 0) {
      const message = `The secret for the header ${unmasked.headers[broken - 1]} has a line break or control character, which no header can have`
      return { reason: 'request-refused', message }
    }
    this.#findUnplaced(unmasked, onUnplaced)
    return unmasked
  }

  /** Lists the replacements in a body of the type, and the stand-ins that it must not have. */
  listBodyReplacements(type: string | undefined, isEncoded: boolean): Replacement[] {
    const encode = isEncoded ? undefined : selectEncoder(type)
    const own = this.secrets.filter(({ places }) => places.some(({ kind }) => kind === 'body'))
    const replacements = own.flatMap(({ standIn, value }) =>
      encode
        ? [standIn, encodeUrl(standIn)].map((from) => ({
            from: Buffer.from(from),
            to: Buffer.from(encode(value)),
          }))
        : [],
    )
    const foreign = this.#foreign.flatMap(({ standIn }) => {
      const bytes = Buffer.from(standIn)
      return [{ from: bytes, to: bytes }]
    })
    return [...deduplicate(replacements), ...foreign]
  }

  /** Throws if what was found in a body belongs to another destination. */
  checkFound = ({ from }: Replacement): void => {
    const foreign = this.#foreign.find(({ standIn }) => from.equals(Buffer.from(standIn)))
    if (foreign) throw new StandInError(refuseStandIn(foreign, this.#destination))
  }

  /** Puts stand-ins in place of values into the head of an answer, of which servers echo any part. */
  maskHeaders(texts: FlatHeaders): string[] {
    return texts.map((text) =>
      replaceBytes(Buffer.from(text, 'latin1'), this.answerSearch).toString('latin1'),
    )
  }

  #unmaskPath(path: string): string {
    const [, name = '', query = ''] = /^([^?]*)(.*)$/s.exec(path) ?? []
    const inPath = this.secrets.filter(({ places }) => places.some(({ kind }) => kind === 'path'))
    const pairs = query.split('&').map((pair) => {
      const escaped = pair.replace(/^\?/, '').split('=', 1)[0] ?? ''
      const key = decodePercents(escaped.replaceAll('+', ' '))
      const secrets = this.secrets.filter(({ places }) =>
        places.some((place) => place.kind === 'query' && place.name === key),
      )
      return secrets.reduce(unmaskUrl, pair)
    })
    return inPath.reduce(unmaskUrl, name) + pairs.join('&')
  }

  #unmaskHeader(name: string, text: string): string {
    const secrets = this.secrets.filter(({ places }) =>
      places.some((place) => place.kind === 'header' && place.name === name),
    )
    if (secrets.length === 0) return text
    const unmask = (plain: string) =>
      secrets.reduce(
        (each, secret) => each.replaceAll(secret.standIn, () => encodeBytes(secret.value)),
        plain,
      )
    const [, scheme = '', encoded = ''] = /^(basic\s+)([A-Za-z0-9+/_-]+=*)\s*$/i.exec(text) ?? []
    const unmasked = unmask(text)
    if (unmasked !== text || encoded === '' || !name.endsWith('authorization')) return unmasked
    const plain = Buffer.from(encoded, 'base64').toString('latin1')
    const inBasic = unmask(plain)
    return inBasic === plain ? text : scheme + Buffer.from(inBasic, 'latin1').toString('base64')
  }

  #findUnplaced(
    { path, headers }: RequestHead,
    onUnplaced: (found: UnplacedStandIn) => void,
  ): void {
    for (const secret of this.secrets) {
      if (hasStandIn([path], secret.standIn)) onUnplaced({ secret, part: 'the address' })
      const at = headers.findIndex((text) => hasStandIn([text], secret.standIn))
      if (at >= 0) onUnplaced({ secret, part: `the header ${headers[at - (at % 2)] ?? ''}` })
    }
  }
}

/** A refusal in the middle of a body. */
export class StandInError extends Error {
  readonly refusal: NetworkRefusal

  constructor(refusal: NetworkRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

type Encoder = (value: string) => string

/** How a body of the type writes a value; undefined for types that are passed on as they are. */
function selectEncoder(type = 'text/plain'): Encoder | undefined {
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(essence) || /ndjson|jsonl/.test(essence))
    return escapeJson
  if (essence === 'application/x-www-form-urlencoded') return encodeUrl
  const isText = /^text\/|^multipart\/|[/+]xml$|^application\/(?:graphql|yaml|x-yaml|javascript)$/
  return isText.test(essence) ? (value) => value : undefined
}

function unmaskUrl(text: string, { standIn, value }: MaskedSecret): string {
  const put = () => encodeUrl(value)
  return text.replaceAll(standIn, put).replaceAll(encodeUrl(standIn), put)
}

/** Looks into Basic authentication too. */
function hasStandIn(texts: readonly string[], standIn: string): boolean {
  return texts.some((text) => {
    if (text.includes(standIn) || text.includes(encodeUrl(standIn))) return true
    const [, encoded] = /^basic\s+([A-Za-z0-9+/_-]+=*)/i.exec(text) ?? []
    return encoded !== undefined && Buffer.from(encoded, 'base64').includes(standIn)
  })
}

function encodeBytes(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function deduplicate(replacements: readonly Replacement[]): Replacement[] {
  return [...new Map(replacements.map((each) => [each.from.toString('latin1'), each])).values()]
}
