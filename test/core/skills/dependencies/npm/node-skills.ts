import { createFolder } from '../../../../helpers/skills.ts'
import type { FakeRegistry, FakeVersion } from './fake-registry.ts'

/** The manifest of a skill that imports packages of Node. */
export const NODE_TOML = `name = "demo.node"
version = "0.1.0"
description = "Says hello."
kind = "action"

[runtime]
language = "node"
entrypoint = "code/main.mjs"
export = "main"

[dependencies]
node = "package-lock.json" # of npm
`

/** `import` and `require` of a package that requires another one. */
export const NODE_CODE = `import { createRequire } from 'node:module'
import hello from 'greetings'

export function main() {
  const required = createRequire(import.meta.url)('greetings')
  return [hello(), required(), required === hello]
}
`

export const GREETINGS: FakeVersion = {
  name: 'greetings',
  manifest: { dependencies: { '@demo/words': '^1.0.0' } },
  files: { 'index.js': "module.exports = () => require('@demo/words').hello\n" },
}
export const WORDS: FakeVersion = {
  name: '@demo/words',
  files: { 'index.js': "exports.hello = 'hello from npm'\n" },
}

/** An entry of a package-lock.json, and the version that the registry has for it. */
export interface LockedVersion extends FakeVersion {
  path?: string
  entry?: Record<string, unknown>
}

/** Publishes the versions; returns a package-lock.json whose first version is declared. */
export function lockVersions(registry: FakeRegistry, versions: readonly LockedVersion[]): string {
  const entries = versions.map((item) => {
    const { integrity, resolved } = registry.add(item)
    const path = item.path ?? `node_modules/${item.name}`
    const { version = '1.0.0', entry } = item
    return [path, { version, resolved, integrity, ...entry }] as const
  })
  const root = { name: 'demo', dependencies: { [versions[0]?.name ?? '']: '^1.0.0' } }
  return JSON.stringify(
    { lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(entries) } },
    null,
    2,
  )
}

/** A skill with a lock of `greetings`, which needs `@demo/words`. */
export function createNodeSkill(
  registry: FakeRegistry,
  files: Readonly<Record<string, string>> = {},
): string {
  return createFolder({
    'skill.toml': NODE_TOML,
    'SKILL.md': '---\nname: Hello\n---\n# Hello\n',
    'code/main.mjs': NODE_CODE,
    // Publishing replaces what a test has published.
    ...(files['package-lock.json'] === undefined && {
      'package-lock.json': lockVersions(registry, [GREETINGS, WORDS]),
    }),
    ...files,
  })
}
