import { SkillsError } from '../../../errors.ts'
import { isSafeAddress } from '../../../util/loopback-host.ts'
import {
  DEFAULT_NPM_REGISTRY,
  isToken,
  readNpmVariable,
  type ProcessEnvironment,
  type RegistryCredentials,
} from './credentials.ts'
import { credentialsError } from './credentials-error.ts'

/**
 * Settings of the user's own .npmrc, read as npm reads them. That of a project or a skill is never
 * read: it could choose a registry, and send variables to it.
 */
export class NpmSettings {
  readonly #values: ReadonlyMap<string, string>
  readonly #file: string
  readonly #env: ProcessEnvironment

  constructor(text: string, file: string, env: ProcessEnvironment) {
    this.#values = parseSettings(text)
    this.#file = file
    this.#env = env
  }

  /** The registry of a package: that of its scope, or the general one. */
  findRegistry(packageName: string): URL {
    const scope = /^(@[^/]+)\//.exec(packageName)?.[1]
    const own = scope === undefined ? undefined : this.#read(`${scope}:registry`)
    const general = () => readNpmVariable(this.#env, 'registry') ?? this.#read('registry')
    return parseRegistry(own ?? general() ?? DEFAULT_NPM_REGISTRY)
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
    const token = this.#readSecret(`${prefix}_authToken`)
    if (token !== undefined && isToken(token)) return { type: 'token', token }
    if (token !== undefined) {
      throw credentialsError(this.#file, `"${prefix}_authToken" has characters that no token has`)
    }
    const both = this.#readSecret(`${prefix}_auth`)
    if (both !== undefined) return this.#splitPassword(Buffer.from(both, 'base64').toString('utf8'))
    const user = this.#readSecret(`${prefix}username`)
    const password = this.#readSecret(`${prefix}_password`)
    if (user === undefined || password === undefined) return undefined
    return { type: 'password', user, password: Buffer.from(password, 'base64').toString('utf8') }
  }

  #splitPassword(text: string): RegistryCredentials {
    const split = text.indexOf(':')
    if (split < 1) throw credentialsError(this.#file, '_auth is not "user:password" in base64')
    return { type: 'password', user: text.slice(0, split), password: text.slice(split + 1) }
  }

  /** An empty setting is none, as in npm. */
  #readSecret(key: string): string | undefined {
    return this.#read(key) || undefined
  }

  /**
   * Replaces `${NAME}` by the variable, and `${NAME?}` by an empty text if there is none. A missing
   * one is refused only if its setting is needed.
   */
  #read(key: string): string | undefined {
    return this.#values.get(key)?.replace(/\$\{([^}]+)\}/g, (_, written: string) => {
      const name = written.replace(/\?$/, '')
      const value = this.#env[name]
      if (value !== undefined && value !== '') return value
      if (name !== written) return ''
      throw credentialsError(this.#file, `"${key}" needs the variable ${name}, which is not set`)
    })
  }
}

/** Parses the lines before the first section: npm takes no registry and no token from a section. */
function parseSettings(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[[^\]]*\]\s*$/.test(line)) break
    const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) values.set(key, parseSetting(value))
  }
  return values
}

/** A value in quotes is taken as it is; otherwise `;` and `#` begin a comment. */
function parseSetting(written: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(written)?.[2]
  if (quoted !== undefined) return quoted
  return written.replace(/\\([\\;#])|[;#].*$/g, (_, escaped?: string) => escaped ?? '').trim()
}

function parseRegistry(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !isSafeAddress(url) || url.username !== '' || url.password !== '') {
    const shown = text.replace(/\/\/.*@/, '//…@')
    throw new SkillsError('config/invalid', `The npm registry "${shown}" cannot be used`, {
      hint: 'Set registry in your .npmrc to an https URL, or to http on this machine, and credentials in a line of their own',
    })
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  url.search = ''
  url.hash = ''
  return url
}
