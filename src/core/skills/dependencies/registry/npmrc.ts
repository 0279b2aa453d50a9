import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import type { ProcessEnvironment } from '../../../registries/credentials/credentials.ts'
import { isSafeAddress } from './request.ts'

/** The user's settings of npm that name registries and credentials. */
export interface NpmConfiguration {
  /** Registry of a package, with a slash at its end. */
  getRegistry(name: string): URL
  /** Header with the credentials of the registry that the URL is below; empty without any. */
  authorize(url: URL): Record<string, string>
}

export const DEFAULT_REGISTRY = 'https://registry.npmjs.org/'
const MAX_BYTES = 256 * 1024

/**
 * Reads the registry of the environment and of the user's own .npmrc. Files of a project or a skill
 * are never read: they could send the user's credentials to a registry of their choice.
 */
export function readNpmSettings(env: ProcessEnvironment): NpmConfiguration {
  const values = parseNpmrc(readUserFile(env), env)
  const fromEnvironment = env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY']
  const common = toRegistry(fromEnvironment || values.get('registry') || DEFAULT_REGISTRY)
  return {
    getRegistry: (name) => {
      const scope = /^(@[^/]+)\//.exec(name)?.[1]
      const own = scope === undefined ? undefined : values.get(`${scope}:registry`)
      return own === undefined ? common : toRegistry(own)
    },
    authorize: (url) => findCredentials(values, url),
  }
}

function readUserFile(env: ProcessEnvironment): string {
  const { HOME } = env
  const named = env['npm_config_userconfig'] ?? env['NPM_CONFIG_USERCONFIG']
  const path = named ?? (HOME === undefined ? undefined : join(HOME, '.npmrc'))
  if (path === undefined) return ''
  try {
    return readFileSync(path, 'utf8').slice(0, MAX_BYTES)
  } catch {
    // Most users have none.
    return ''
  }
}

function parseNpmrc(text: string, env: ProcessEnvironment): Map<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    const found = /^\s*([^#;=\s][^=\s]*)\s*=\s*(.*?)\s*$/.exec(line)
    if (!found) continue
    const [, key = '', written = ''] = found
    const value = written.replace(/^(["'])(.*)\1$/, '$2')
    values.set(
      key,
      value.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => env[name] ?? all),
    )
  }
  return values
}

function toRegistry(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !isSafeAddress(url) || url.username !== '' || url.password !== '') {
    const shown = text.replace(/\/\/[^/]*@/, '//…@')
    throw new SkillsError('config/invalid', `The npm registry "${shown}" cannot be used`, {
      hint: 'Set registry in your .npmrc to an https URL, or to http on this machine, and credentials in a line of their own',
    })
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  url.search = ''
  url.hash = ''
  return url
}

/** Credentials belong to a host and a path: `//host/path/:_authToken=…`. */
function findCredentials(values: ReadonlyMap<string, string>, url: URL): Record<string, string> {
  for (let path = url.pathname; ; path = path.replace(/[^/]*\/?$/, '')) {
    if (path.endsWith('/')) {
      const token = values.get(`//${url.host}${path}:_authToken`)
      if (token) return { authorization: `Bearer ${token}` }
      const basic = values.get(`//${url.host}${path}:_auth`)
      if (basic) return { authorization: `Basic ${basic}` }
    }
    if (path === '/' || path === '') return {}
  }
}
