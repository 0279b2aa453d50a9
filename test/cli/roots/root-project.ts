import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PackedFile } from '../../../src/core/packing/packed-file.ts'
import { writeZip } from '../../../src/core/packing/write/write-zip.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliResult, type Tree } from '../../helpers/skills.ts'

export interface RootProject {
  cwd: string
  home: string
  /** Folder of cached roots. */
  cache: string
  pins: string
  configure(...roots: readonly string[]): void
  run(...argv: readonly string[]): Promise<CliResult>
}

/** A project, and a home folder of its own. */
export function createRootProject(): RootProject {
  const cwd = join(createFolder(), 'project')
  mkdirSync(cwd)
  const home = createFolder()
  const config = join(cwd, 'skills.config.toml')
  writeFileSync(config, '')
  return {
    cwd,
    home,
    cache: join(home, '.local/share/skills/roots'),
    pins: join(cwd, 'skills.roots.lock'),
    configure: (...roots) => writeFileSync(config, `roots = ${JSON.stringify(roots)}\n`),
    run: async (...argv) => await runSkills(argv, { cwd, env: { HOME: home }, trusts: true }),
  }
}

/** Files of a source with two skills, and a file that belongs to none. */
export const TWO_SKILLS: Tree = {
  ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
  ...prefixPaths('more/count', createActionSkill('demo.count')),
  'README.md': '# Skills\n',
}

export function toPackedFiles(tree: Tree): PackedFile[] {
  return Object.entries(tree).map(([path, content]) => ({
    path,
    isExecutable: false,
    bytes: Buffer.from(content),
  }))
}

export async function zipTree(tree: Tree): Promise<Buffer> {
  return Buffer.from(await writeZip(toPackedFiles(tree)))
}

/** A server on this machine; returns its address. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
