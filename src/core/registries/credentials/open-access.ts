import { join } from 'node:path'
import { throwIfExhausted } from '../../../errors.ts'
import { once } from '../../../util/once.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { findDockerCredentials } from './docker-config.ts'
import {
  isToken,
  readNpmVariable,
  type ProcessEnvironment,
  type RegistryAccess,
  type RegistryCredentials,
} from './credentials.ts'
import { credentialsError } from './credentials-error.ts'
import { NpmSettings } from './npmrc.ts'

const MAX_BYTES = 1024 ** 2
const FILE_HINT =
  'Correct the file, or name another one in npm_config_userconfig, and in DOCKER_CONFIG for Docker'

/**
 * Opens the registries and credentials of the user: variables, `~/.npmrc` and the configuration of
 * Docker. Files are read when a registry needs them.
 */
export function openRegistryAccess(env: ProcessEnvironment): RegistryAccess {
  const npm = once(() => {
    const file = readNpmVariable(env, 'userconfig') ?? locateInHome(env, '.npmrc')
    const text = file && readSettingsFile(file)
    return new NpmSettings(text ?? '', file ?? '.npmrc', env)
  })
  return {
    findNpmRegistry: (name) => npm().findRegistry(name),
    findNpmCredentials: (registry) =>
      readVariables(env, registry.host) ?? npm().findCredentials(registry),
    findOciCredentials(registry) {
      const found = readVariables(env, registry)
      if (found) return found
      const folder = env['DOCKER_CONFIG'] ?? locateInHome(env, '.docker')
      const file = folder && join(folder, 'config.json')
      const text = file && readSettingsFile(file)
      return text ? findDockerCredentials(text, registry, file) : undefined
    },
  }
}

/** A token is for the registry that SKILLS_REGISTRY names, so that no other one gets it. */
function readVariables(env: ProcessEnvironment, registry: string): RegistryCredentials | undefined {
  const token = env['SKILLS_REGISTRY_TOKEN']
  if (token === undefined || token === '') return undefined
  const named = env['SKILLS_REGISTRY']?.replace(/^https?:\/\//, '').replace(/\/.*$/, '')
  if (!named) {
    throw credentialsError(
      'SKILLS_REGISTRY_TOKEN',
      'SKILLS_REGISTRY must name the host that gets it, such as ghcr.io',
    )
  }
  if (!isToken(token)) {
    throw credentialsError('SKILLS_REGISTRY_TOKEN', 'it has characters that no token has')
  }
  if (named.toLowerCase() !== registry.toLowerCase()) return undefined
  const user = env['SKILLS_REGISTRY_USER']
  return user ? { type: 'password', user, password: token } : { type: 'token', token }
}

function locateInHome(env: ProcessEnvironment, name: string): string | undefined {
  const home = env['HOME']
  return home ? join(home, name) : undefined
}

/** The text of a file; undefined if it does not exist. */
function readSettingsFile(file: string): string | undefined {
  try {
    const bytes = readUpTo(file, MAX_BYTES)
    if (bytes) return Buffer.from(bytes).toString('utf8')
  } catch (cause) {
    throwIfExhausted(cause)
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw credentialsError(file, `it cannot be read (${code})`, FILE_HINT)
  }
  throw credentialsError(file, `it has more than ${MAX_BYTES} bytes`, FILE_HINT)
}
