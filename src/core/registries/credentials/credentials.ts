export type ReadableCredentials =
  | { type: 'password'; user: string; password: string }
  | { type: 'token'; token: string }

/** Credentials of the user for one registry. */
export type RegistryCredentials =
  | ReadableCredentials
  /** Credentials exist, but cannot be read. */
  | { type: 'unusable'; reason: string }

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/** Registries and credentials of the user. A package or a registry never chooses them. */
export interface RegistryAccess {
  /** Address of the npm registry of a package, with a slash at its end. */
  findNpmRegistry(packageName: string): URL
  findNpmCredentials(registry: URL): RegistryCredentials | undefined
  /** `registry` is a host with an optional port. */
  findOciCredentials(registry: string): RegistryCredentials | undefined
}

export const DEFAULT_NPM_REGISTRY = 'https://registry.npmjs.org/'

const TOKEN = /^[!-~]{1,16384}$/

export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** A setting of npm in a variable. As for npm, the name in lower case precedes, and "" is none. */
export function readNpmVariable(env: ProcessEnvironment, name: string): string | undefined {
  return env[`npm_config_${name}`] || env[`NPM_CONFIG_${name.toUpperCase()}`] || undefined
}

/** Formats the header of HTTP Basic; a token is a Bearer. */
export function formatAuthorization(credentials: ReadableCredentials): string {
  if (credentials.type === 'token') return `Bearer ${credentials.token}`
  const { user, password } = credentials
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
