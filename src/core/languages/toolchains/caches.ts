import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type CacheEnvironment = Readonly<Record<string, string | undefined>>

/** A package cache of the user, which runs read. */
export interface PackageCache {
  /** The folder that a tool takes for its cache. */
  path: string
  /** Its parts without credentials and logs; the folder itself if empty. */
  parts: readonly string[]
  /** Variables that make the tool read it, and not write to it. */
  environment: Readonly<Record<string, string>>
  /** A writable folder inside in which the parts are mounted too, for a tool that requires one. */
  writableParent?: string
  /** Variables without the cache. */
  otherwise?: Readonly<Record<string, string>>
}

/** Finds the caches of Go, npm, pip, Maven, Gradle and Cargo, whether they exist or not. */
export function listPackageCaches(env: CacheEnvironment): PackageCache[] {
  const home = env['HOME'] ?? ''
  const cacheHome = env['XDG_CACHE_HOME'] || join(home, '.cache')
  const modules = findGoModules(env, home)
  const npm = env['npm_config_cache'] || env['NPM_CONFIG_CACHE'] || join(home, '.npm')
  const pip = env['PIP_CACHE_DIR'] || join(cacheHome, 'pip')
  const maven = env['MAVEN_USER_HOME'] || join(home, '.m2')
  const gradle = env['GRADLE_USER_HOME'] || join(home, '.gradle')
  const cargo = env['CARGO_HOME'] || join(home, '.cargo')
  const all: PackageCache[] = [
    { path: modules, parts: [], environment: { GOMODCACHE: modules, GOPROXY: 'off' } },
    {
      path: npm,
      parts: ['_cacache'],
      environment: {
        npm_config_cache: npm,
        npm_config_offline: 'true',
        npm_config_logs_max: '0',
        npm_config_update_notifier: 'false',
      },
    },
    {
      path: pip,
      parts: ['http', 'http-v2'],
      // pip ignores a cache whose folder it cannot write to.
      environment: { PIP_CACHE_DIR: '/tmp' },
      writableParent: '/tmp',
    },
    {
      path: maven,
      parts: ['repository', 'wrapper'],
      environment: { MAVEN_USER_HOME: maven, MAVEN_OPTS: `-Dmaven.repo.local=${maven}/repository` },
    },
    {
      path: gradle,
      parts: ['caches', 'wrapper', 'jdks'],
      environment: { GRADLE_RO_DEP_CACHE: join(gradle, 'caches') },
    },
    {
      path: cargo,
      parts: ['registry', 'git'],
      environment: { CARGO_HOME: cargo, CARGO_NET_OFFLINE: 'true' },
      otherwise: { CARGO_HOME: '/workspace/.cache/cargo' },
    },
  ]
  return all.filter(({ path }) => path.startsWith('/'))
}

/** Finds Go's module cache, which variables or Go's own settings may move. */
function findGoModules(env: CacheEnvironment, home: string): string {
  const settings = readGoSettings(env, home)
  const read = (name: string) => env[name] || settings.get(name)
  const [first = ''] = (read('GOPATH') ?? '').split(':')
  return read('GOMODCACHE') ?? join(first || join(home, 'go'), 'pkg/mod')
}

function readGoSettings(env: CacheEnvironment, home: string): Map<string, string> {
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const file = env['GOENV'] || join(config, 'go/env')
  try {
    const lines = readFileSync(file, 'utf8').matchAll(/^(GOMODCACHE|GOPATH)=(.+)$/gm)
    return new Map([...lines].map(([, name = '', value = '']) => [name, value.trim()]))
  } catch {
    return new Map()
  }
}

/** Lists the parts of a cache that exist. */
export function listCacheParts({ path, parts }: PackageCache): string[] {
  const all = parts.length === 0 ? [path] : parts.map((part) => join(path, part))
  return all.filter((each) => existsSync(each))
}
