import {
  DEFAULT_NPM_REGISTRY,
  type ProcessEnvironment,
  type RegistryCredentials,
} from './credentials.ts'
import { credentialsError } from './credentials-error.ts'

/** Settings of the user's own .npmrc. That of a project is never read: it could choose a registry. */
export class NpmSettings {
  readonly #values = new Map<string, string>()
  readonly #file: string
  readonly #env: ProcessEnvironment

  // eslint-disable-next-line max-params -- the text, its path and the variables
  constructor(text: string, file: string, env: ProcessEnvironment) {
    this.#file = file
    this.#env = env
    for (const line of text.split(/\r?\n/)) {
      const [, key, value] = /^\s*([^#;\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (key !== undefined && value !== undefined) this.#values.set(key, unquote(value))
    }
  }

  /** The registry of a package: that of its scope, or the general one. */
  findRegistry(packageName: string): URL {
    const scope = /^(@[^/]+)\//.exec(packageName)?.[1]
    const key = scope === undefined ? undefined : `${scope}:registry`
    const text = (key && this.#read(key)) ?? this.#read('registry') ?? DEFAULT_NPM_REGISTRY
    if (!URL.canParse(text)) throw credentialsError(this.#file, `"${text}" is not a registry`)
    const url = new URL(text)
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return url
  }

  /** Credentials of a registry, or of a part of its address. */
  findCredentials(registry: URL): RegistryCredentials | undefined {
    for (
      let path = registry.pathname;
      ;
      path = path.slice(0, path.slice(0, -1).lastIndexOf('/') + 1)
    ) {
      const key = `//${registry.host}${path}`
      const found =
        this.#readCredentials(`${key}:`) ?? this.#readCredentials(`${key.slice(0, -1)}:`)
      if (found || path === '/' || path === '') return found
    }
  }

  #readCredentials(prefix: string): RegistryCredentials | undefined {
    const token = this.#read(`${prefix}_authToken`)
    if (token !== undefined) return { type: 'token', token }
    const both = this.#read(`${prefix}_auth`)
    if (both !== undefined) return this.#splitPassword(Buffer.from(both, 'base64').toString('utf8'))
    const [user, password] = [this.#read(`${prefix}username`), this.#read(`${prefix}_password`)]
    if (user === undefined || password === undefined) return undefined
    return { type: 'password', user, password: Buffer.from(password, 'base64').toString('utf8') }
  }

  #splitPassword(text: string): RegistryCredentials {
    const split = text.indexOf(':')
    if (split < 1) throw credentialsError(this.#file, '_auth is not "user:password" in base64')
    return { type: 'password', user: text.slice(0, split), password: text.slice(split + 1) }
  }

  /** Replaces `${NAME}` by the variable. A missing one is refused only if its setting is needed. */
  #read(key: string): string | undefined {
    return this.#values.get(key)?.replace(/\$\{([^}]+)\}/g, (_, name: string) => {
      const value = this.#env[name]
      if (value !== undefined && value !== '') return value
      throw credentialsError(this.#file, `"${key}" needs the variable ${name}, which is not set`)
    })
  }
}

function unquote(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? /^'(.*)'$/.exec(value)?.[1] ?? value
}
