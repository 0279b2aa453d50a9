import { findHeader, type HeaderList } from '../../core/testing/cassettes/cassette.ts'
import { namesCredential } from '../../core/testing/cassettes/credential-names.ts'
import { isForm, mapJsonFields, parseJson } from '../../core/testing/cassettes/message-body.ts'
import { listForms, MIN_SECRET_LENGTH } from '../../core/testing/cassettes/placeholders.ts'

/** A value that is a placeholder or a stand-in already. */
const REPLACED = /\{\{\w+\}\}|^redacted(?:-\d+)?$|\[redacted\]/

/** Invents values in place of the credentials that requests and responses contain. */
export class StandIns {
  readonly #byValue = new Map<string, string>()

  /** Credentials that are long enough to be found in other texts. */
  listValues(): string[] {
    return [...this.#byValue.keys()].filter((value) => value.length >= MIN_SECRET_LENGTH)
  }

  /** Learns the credentials of headers, whose values `hide` has made free of secrets. */
  learnHeaders(headers: HeaderList): void {
    for (const [name, value] of headers) {
      if (namesCredential(name)) for (const part of listCredentials(name, value)) this.#learn(part)
    }
  }

  learnUrl(url: string): void {
    if (url.includes('?')) this.#learnPairs(url.slice(url.indexOf('?') + 1))
  }

  learnBody(text: string, headers: HeaderList): void {
    if (isForm(headers)) return this.#learnPairs(text)
    const json = parseJson(text)
    if (!json) return
    mapJsonFields(json.value, (name, value) => {
      if (typeof value === 'string' && namesCredential(name)) this.#learn(value)
      return undefined
    })
  }

  /** Replaces long credentials wherever they are. */
  replaceText(text: string): string {
    return this.listValues()
      .toSorted((a, b) => b.length - a.length)
      .flatMap((value) => listForms(value).map((form) => [form, this.#learn(value)] as const))
      .reduce((result, [form, standIn]) => result.replaceAll(form, standIn), text)
  }

  replaceUrl(url: string): string {
    const [head = '', ...query] = url.split('?')
    if (query.length === 0) return this.replaceText(url)
    return this.replaceText(`${head}?${this.#replacePairs(query.join('?'))}`)
  }

  replaceHeader(name: string, value: string): string {
    if (!namesCredential(name)) return this.replaceText(value)
    if (name !== 'set-cookie') return this.#learn(value)
    const [pair = '', ...attributes] = value.split(';')
    const at = pair.indexOf('=')
    // A date in the past would delete the cookie.
    const kept = attributes.filter((each) => !/^\s*(?:expires|max-age)=/i.test(each))
    return [`${pair.slice(0, at)}=${this.#learn(pair.slice(at + 1))}`, ...kept].join(';')
  }

  replaceBody(text: string, headers: HeaderList): string {
    if (isForm(headers)) return this.replaceText(this.#replacePairs(text))
    const json = parseJson(text)
    let result = text
    if (json) {
      mapJsonFields(json.value, (name, value) => {
        if (typeof value === 'string' && namesCredential(name)) {
          result = replaceJsonField(result, { name, value, by: this.#learn(value) })
        }
        return undefined
      })
    }
    return this.replaceText(result)
  }

  #learnPairs(query: string): void {
    for (const [name, value] of new URLSearchParams(query)) {
      if (namesCredential(name)) this.#learn(value)
    }
  }

  #replacePairs(query: string): string {
    const pairs = query.split('&').map((pair) => {
      const at = pair.indexOf('=')
      const [entry] = new URLSearchParams(pair)
      if (at === -1 || !entry || !namesCredential(entry[0])) return pair
      return `${pair.slice(0, at)}=${this.#learn(entry[1])}`
    })
    return pairs.join('&')
  }

  /** Returns the stand-in of a value; values without a secret stay as they are. */
  #learn(value: string): string {
    if (value === '' || REPLACED.test(value)) return value
    const known = this.#byValue.get(value) ?? `redacted-${this.#byValue.size + 1}`
    this.#byValue.set(value, known)
    return known
  }
}

/** Lists the parts of a header that are credentials. */
function listCredentials(name: string, value: string): string[] {
  const lower = name.toLowerCase()
  if (lower === 'set-cookie') return [value.split(';')[0]?.replace(/^[^=]*=/, '') ?? '']
  if (lower === 'cookie') return value.split(/;\s*/).map((pair) => pair.replace(/^[^=]*=/, ''))
  const [, scheme = '', rest = value] = /^(\w+)\s+(.*)$/.exec(value) ?? []
  if (scheme.toLowerCase() !== 'basic') return [rest]
  const password = Buffer.from(rest, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
  return [rest, password]
}

function replaceJsonField(
  text: string,
  { name, value, by }: { name: string; value: string; by: string },
): string {
  const [key, old] = [name, value].map((each) => escapePattern(JSON.stringify(each)))
  return text.replaceAll(new RegExp(`(${key}\\s*:\\s*)${old}`, 'g'), `$1${JSON.stringify(by)}`)
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

/** Selects the request headers that a cassette keeps. */
export function selectRequestHeaders(headers: HeaderList, compared: readonly string[]): HeaderList {
  const names = [...new Set(['content-type', ...compared])]
  return names.flatMap((name) => {
    const value = findHeader(headers, name)
    return value === undefined ? [] : [[name, value] as const]
  })
}
